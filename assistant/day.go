package assistant

import (
	"strings"
	"time"
	"unicode/utf8"

	"windowseat/document"
)

// maxDayShift is how far a recording's day may lie from the meeting's: recordings
// of one matter are made within a week or two.
const maxDayShift = 14 * 24 * time.Hour

// dayFromWords finds the day on which something was said from the words
// themselves: "明天发给你，十五号" was said on the fourteenth, "this Friday, the
// eighteenth" in the week of the eighteenth. day is the day assumed so far; it is
// returned when the words say nothing else, or disagree among themselves.
func dayFromWords(doc *document.Document, day time.Time) time.Time {
	if day.IsZero() {
		return day
	}
	exact, weeks := map[time.Time]int{}, map[time.Time]int{}
	for i := range doc.Blocks {
		for _, p := range saidPairs(doc.Blocks[i].Text, day) {
			shifted := day.Add(p.calendar.date.Sub(p.other.date))
			if d := shifted.Sub(day); d > maxDayShift || d < -maxDayShift {
				continue
			}
			if p.other.bare || p.other.week {
				weeks[shifted]++
			} else {
				exact[shifted]++
			}
		}
	}
	if d, ok := only(exact); ok {
		return d
	}
	if d, ok := only(weeks); ok && len(exact) == 0 {
		return d
	}
	return day
}

// only is the single key of a map.
func only(votes map[time.Time]int) (time.Time, bool) {
	for d := range votes {
		return d, len(votes) == 1
	}
	return time.Time{}, false
}

// datePair is one day said in two ways side by side.
type datePair struct{ other, calendar datePhrase }

func saidPairs(text string, day time.Time) []datePair {
	var pairs []datePair
	found := findDates(text, day)
	for i := 1; i < len(found); i++ {
		a, b := found[i-1], found[i]
		if !a.ok || !b.ok || a.calendar || !b.calendar || found[i].start-found[i-1].end > maxTwiceBytes/2 || !standsAlone(text, b) {
			continue
		}
		weekday := a.bare || a.week
		if weekday && a.date.Weekday() != b.date.Weekday() || !weekday && !a.relative {
			continue
		}
		pairs = append(pairs, datePair{a, b})
	}
	return pairs
}

// standsAlone reports whether a time phrase is a clause of its own, as a repetition
// is: "我明天给你，十五号。" but not "我明天给你，十五号开会".
func standsAlone(text string, p datePhrase) bool {
	before := strings.TrimRight(text[:p.start], " ")
	before = strings.TrimSuffix(before, "就是")
	return (before == "" || endsClause(before)) && (p.end == len(text) || startsClause(text[p.end:]))
}

func endsClause(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, " "))
	return isClauseMark(r)
}

func startsClause(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " "))
	return isClauseMark(r)
}

func isClauseMark(r rune) bool {
	return strings.ContainsRune("，,。.；;！!？?：:、—…（）()", r)
}
