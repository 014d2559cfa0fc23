package assistant

import (
	"regexp"
	"time"
)

// due is a deadline found near a candidate.
type due struct {
	text     string
	line     int // of the transcript
	date     time.Time
	ok       bool
	inside   bool // stands in the candidate itself
	limit    bool // said as a limit: "之前", "by"
	corrects bool // stands in a sentence that corrects
	weekday  bool // names a day of the week
	calendar bool // names a day of the month
	acts     bool // stands right before the verb, or right behind who acts
	start    int  // bytes in the line
	end      int
	alone    bool // is a clause of its own
}

// dueReach is how many sentences of the same turn around a candidate may hold its
// deadline.
const dueReach = 3

// duesOf lists the deadlines of a candidate: those in it and in corrections that
// follow it; if there are none, those that stand around it: in the same turn, in
// the request that it answers, in a short answer to it.
func (j *job) duesOf(c candidate) []due {
	t := c.script
	var inside []due
	for i := c.first; i <= c.last; i++ {
		inside = append(inside, duesIn(t, i, true)...)
	}
	inside = append(inside, j.correctionsOf(c)...)
	if len(inside) > 0 {
		return inside
	}
	var around []due
	for i := max(0, c.first-dueReach); i <= min(len(t.lines)-1, c.last+dueReach); i++ {
		if i >= c.first && i <= c.last || t.signals[i].todo >= proposeTodo {
			continue
		}
		if t.lines[i].block == t.lines[c.first].block || i == c.first-1 && isQuestion(t.lines[i].text) || i == c.last+1 && isShort(t.lines[i].text) {
			around = append(around, duesIn(t, i, false)...)
		}
	}
	return around
}

// correctionsOf lists the deadlines of sentences after a candidate that correct
// its deadline: in the same turn, or by anybody in the next turns.
func (j *job) correctionsOf(c candidate) []due {
	t := c.script
	hasDue := false
	for i := c.first; i <= c.last; i++ {
		hasDue = hasDue || t.signals[i].deadline
	}
	if !hasDue {
		return nil
	}
	var found []due
	_, to := spanOfTurns(t, c, 0, turnsCorrect)
	for i := c.last + 1; i <= min(to, c.last+lookBack); i++ {
		if t.signals[i].todo >= proposeTodo && t.lines[i].block != t.lines[c.first].block {
			break // another promise: its deadline is its own
		}
		if t.signals[i].correction {
			found = append(found, duesIn(t, i, false)...)
		}
	}
	return found
}

func duesIn(t *transcript, i int, inside bool) []due {
	l := &t.lines[i]
	var found []due
	for _, p := range datesOf(l, l.text) {
		if p.past {
			continue
		}
		found = append(found, due{
			text: l.text[p.start:p.end], line: i, date: p.date, ok: p.ok, inside: inside,
			limit:    isLimit(l.text, p),
			corrects: t.signals[i].correction, weekday: p.bare || p.week, calendar: p.calendar,
			acts: actsAt(l.text, p), start: p.start, end: p.end, alone: standsAlone(l.text, p),
		})
	}
	return found
}

// actsAt reports whether a time belongs to the act itself: "我十八号就发".
func actsAt(text string, p datePhrase) bool {
	return agentBeside.MatchString(text[:p.start]) || actsNext.MatchString(text[p.end:])
}

var actsNext = regexp.MustCompile(`^(?:就|再|要|能|会|可以|一定|我|先)?(?:给你|给我|给大家|` + zhWork + `)`)

func isShort(text string) bool { return len([]rune(text)) <= 16 }

// certainDue is the deadline where the wording leaves no choice: the last one of a
// correction, the only one, the only one said as a limit, or the first of several
// that mean the same day. Deadlines outside the candidate are never certain.
func certainDue(dues []due) *due {
	var corrected, limit, act *due
	limits, acts, days := 0, 0, map[string]bool{}
	for i := range dues {
		d := &dues[i]
		if !d.inside && !d.corrects {
			return nil
		}
		if d.corrects && d.ok {
			corrected = d
		}
		if d.limit {
			limit = d
			limits++
		}
		if d.acts {
			act = d
			acts++
		}
		days[d.date.Format(isoDate)] = true
	}
	if d := saidTwice(dues); d != nil && (corrected == nil || d.corrects) {
		return d
	}
	switch {
	case len(dues) == 0:
		return nil
	case corrected != nil:
		return corrected
	case len(days) == 1:
		return &dues[0]
	case limits == 1:
		return limit
	case acts == 1:
		return act
	}
	return nil
}

// saidTwice is the deadline that is said in two ways side by side, once as a day of
// the month: "this Friday, the eighteenth", "我明天发给你，十五号". The day of the
// month counts: the other was reckoned from a day that may not be the one known
// here. A weekday has to fit it.
func saidTwice(dues []due) *due {
	for i := range dues {
		for k := range dues {
			a, b := dues[i], dues[k]
			if i == k || a.line != b.line || !a.ok || !b.ok || a.calendar || !b.calendar {
				continue
			}
			near := b.alone && b.start-a.end < maxTwiceBytes && a.start-b.end < maxTwiceBytes
			if a.weekday && a.date.Weekday() == b.date.Weekday() || !a.weekday && near {
				if b.start < a.start {
					return &b
				}
				a.date = b.date
				return &a
			}
		}
	}
	return nil
}

// maxTwiceBytes is how far apart a time and its repetition may stand: a clause of
// about ten characters.
const maxTwiceBytes = 36

// chosenDue is the deadline that the model picked; the first in the candidate when
// it picked none of several.
func chosenDue(dues []due, claimed string) *due {
	for i := range dues {
		if claimed != "" && dues[i].text == claimed {
			return &dues[i]
		}
	}
	for i := range dues {
		if dues[i].inside {
			return &dues[i]
		}
	}
	return nil
}

// dueTexts are the different wordings, in order.
func dueTexts(dues []due) []string {
	var texts []string
	for _, d := range dues {
		if !contains(texts, d.text) {
			texts = append(texts, d.text)
		}
	}
	return texts
}
