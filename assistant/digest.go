package assistant

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// digest is what code says about a whole: how much was found, and the most important
// of it. Numbers of items come from here, never from the model.
type digest struct {
	decisions, todos, risks int
	unconfirmed             int
	points                  []point
}

// point is one checked item of a digest.
type point struct {
	task  Task
	text  string
	score int
}

// How many points a digest gives, and how long they may be together in characters.
const (
	fewestPoints = 3
	mostPoints   = 5
	pointsLength = 260
)

func digestOf(run *RunDocument) digest {
	d := digest{decisions: len(run.Decisions), todos: len(run.Todos), risks: len(run.Risks)}
	for _, items := range [][]Item{run.Decisions, run.Todos, run.Risks} {
		for _, it := range items {
			if it.State != StateChecked {
				d.unconfirmed++
			}
		}
	}
	old := replacedIDs(run.Decisions)
	d.points = bestPoints(pointsOf(run.Decisions, old), mostPoints)
	for _, items := range [][]Item{run.Risks, run.Todos} {
		if missing := fewestPoints - len(d.points); missing > 0 {
			d.points = append(d.points, bestPoints(pointsOf(items, nil), missing)...)
		}
	}
	return d
}

// texts are the statements of the points.
func (d digest) texts() []string {
	all := make([]string, len(d.points))
	for i, p := range d.points {
		all[i] = p.text
	}
	return all
}

func (d digest) empty() bool { return d.decisions+d.todos+d.risks == 0 }

// replacedIDs are the decisions that a checked later one overrules.
func replacedIDs(decisions []Item) map[string]bool {
	old := map[string]bool{}
	for _, it := range decisions {
		if f, ok := it.Fields.(DecisionFields); ok && f.Replaces != nil && it.State == StateChecked {
			old[*f.Replaces] = true
		}
	}
	return old
}

// pointsOf are the checked items that still hold, with their scores.
func pointsOf(items []Item, old map[string]bool) []point {
	var all []point
	for _, it := range items {
		if it.State != StateChecked || old[it.ID] {
			continue
		}
		p := point{text: fieldsText(it.Fields), score: scoreOf(it)}
		switch f := it.Fields.(type) {
		case DecisionFields:
			p.task = TaskDecisions
		case RiskFields:
			p.task = TaskRisks
		case TodoFields:
			p.task = TaskTodos
			if f.Owner != nil {
				p.score++
			}
			if f.DueDate != nil {
				p.score++
			}
		}
		all = append(all, p)
	}
	return all
}

var (
	// moneyWords are amounts: a currency beside a figure.
	moneyWords = rx(`[¥￥$€£]\s?[0-9]|(?:[0-9]|` + zhNumeral + `|万|亿)\s?(?:多)?(?:元|块钱|欧元?|美元|美金|日元|港币|人民币)|\b[0-9][0-9,.]*\s?(?:k|m|million|thousand)?\s?(?:yuan|rmb|cny|usd|eur|gbp|euros?|dollars?|pounds?)\b`)
	// asSpoken are the words of somebody in the room: such a sentence does not stand
	// well by itself.
	asSpoken = rx(`[我你您咱]|\b(?:i|i'm|i'll|you|your|my|me)\b`)
)

// wordy is the length, in characters, from which a statement is a passage rather
// than a point.
const wordy = 70

// scoreOf weighs an item by what code can see: it overrules another, it was settled in
// so many words, it sets a date or an amount, it rests on several places.
func scoreOf(it Item) int {
	text, score := fieldsText(it.Fields), 0
	if f, ok := it.Fields.(DecisionFields); ok && f.Replaces != nil {
		score += 3
	}
	settled := false
	for _, e := range it.Evidence {
		settled = settled || sum(decisionCues, blankQuoted(foldWidth(e.Quote))) >= strongDecision
	}
	kinds := map[string]bool{}
	for _, f := range factsOf(text) {
		kinds[f.kind] = true
	}
	for _, signal := range []struct {
		holds  bool
		weight int
	}{
		{settled, 3},
		{kinds["date"], 2},
		{moneyWords.MatchString(foldWidth(text)), 2},
		{kinds["number"], 1},
		{len(it.Evidence) > 1, 1},
		{asSpoken.MatchString(text), -2},
		{utf8.RuneCountInString(text) > wordy, -2},
	} {
		if signal.holds {
			score += signal.weight
		}
	}
	return score
}

// bestPoints keeps the n best, of equals the earlier, in their order, and from the
// fourth on only while they are short together.
func bestPoints(all []point, n int) []point {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return all[order[a]].score > all[order[b]].score })
	var keep []int
	length := 0
	for _, i := range order[:min(n, len(order))] {
		length += utf8.RuneCountInString(all[i].text)
		if len(keep) < fewestPoints || length <= pointsLength {
			keep = append(keep, i)
		}
	}
	sort.Ints(keep)
	best := make([]point, len(keep))
	for i, k := range keep {
		best[i] = all[k]
	}
	return best
}

// digestWords are the words of a digest around what was found.
type digestWords struct {
	counts, unconfirmed, and, comma, gap string
	one, many                            map[Task]string
	before                               map[Task]string
}

var digestPhrases = map[string]digestWords{
	LangEn: {
		counts: "Found: %s%s.", unconfirmed: " (%d of them unconfirmed)", and: " and ", comma: ", ", gap: " ",
		one:    map[Task]string{TaskDecisions: "%d decision", TaskTodos: "%d action item", TaskRisks: "%d risk"},
		many:   map[Task]string{TaskDecisions: "%d decisions", TaskTodos: "%d action items", TaskRisks: "%d risks"},
		before: map[Task]string{TaskDecisions: "", TaskTodos: "To do: ", TaskRisks: "Risk: "},
	},
	LangZh: {
		counts: "共有 %s%s。", unconfirmed: "，其中 %d 项未经确认", and: "和 ", comma: "、", gap: "",
		one:    map[Task]string{TaskDecisions: "%d 项决定", TaskTodos: "%d 项待办", TaskRisks: "%d 项风险"},
		many:   map[Task]string{TaskDecisions: "%d 项决定", TaskTodos: "%d 项待办", TaskRisks: "%d 项风险"},
		before: map[Task]string{TaskDecisions: "", TaskTodos: "待办：", TaskRisks: "风险："},
	},
}

// text is the digest as sentences: the counts, then its points.
func (d digest) text(lang string) string {
	if d.empty() {
		return ""
	}
	w := digestPhrases[lang]
	unconfirmed := ""
	if d.unconfirmed > 0 {
		unconfirmed = fmt.Sprintf(w.unconfirmed, d.unconfirmed)
	}
	sentences := []string{fmt.Sprintf(w.counts, d.counted(lang), unconfirmed)}
	for _, p := range d.points {
		sentences = append(sentences, w.before[p.task]+closed(capital(p.text)))
	}
	return strings.Join(sentences, w.gap)
}

// counted is how much there is of what: "3 decisions and 1 risk".
func (d digest) counted(lang string) string {
	w := digestPhrases[lang]
	var found []string
	for _, c := range []struct {
		task Task
		n    int
	}{{TaskDecisions, d.decisions}, {TaskTodos, d.todos}, {TaskRisks, d.risks}} {
		switch {
		case c.n == 1:
			found = append(found, fmt.Sprintf(w.one[c.task], c.n))
		case c.n > 1:
			found = append(found, fmt.Sprintf(w.many[c.task], c.n))
		}
	}
	return listed(found, w)
}

// listed joins as people do: a, b and c.
func listed(parts []string, w digestWords) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], w.comma) + w.and + parts[last]
}

// capital begins a sentence with a capital letter.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r >= 'a' && r <= 'z' {
		return string(r-'a'+'A') + s[n:]
	}
	return s
}
