package assistant

// candidate is a run of neighbouring sentences of one block that may hold one
// item: lines[first..last] of its transcript.
type candidate struct {
	script      *transcript
	first, last int
	weight      int
}

// transcript is the text of one source as sentences.
type transcript struct {
	source  int
	lines   []line
	signals []signal
	lang    string // "zh" or "en", by script share
	spoken  bool   // most of it is turns of speakers
}

// maxRun is how many sentences one candidate may span. Longer runs are lists of
// several items.
const maxRun = 3

// propose returns the candidates of a task, in reading order.
func propose(t *transcript, task Task) []candidate {
	var found []candidate
	for i := range t.lines {
		w := weightFor(t.signals[i], task)
		if t.spoken && t.lines[i].speaker == "" && !t.lines[i].tasks {
			continue // the note taker tells what happens in the room
		}
		if joins(t, found, i, task, w) {
			c := &found[len(found)-1]
			c.last, c.weight = i, max(c.weight, w)
			continue
		}
		if task != TaskTodos && isShort(t.lines[i].text) && follows(found, i) {
			continue // "就这么定": confirms what is a candidate already
		}
		if w >= threshold(task) {
			found = append(found, candidate{script: t, first: i, last: i, weight: w})
		}
	}
	return found
}

// backward are pronouns for a thing or person named before.
var backward = rx(`他|她|它|这个|那个|\b(?:it|him|her|them|that)\b`)

// follows reports whether line i stands right behind the last candidate.
func follows(found []candidate, i int) bool {
	return len(found) > 0 && i-found[len(found)-1].last <= 2
}

// joins reports whether line i goes on with the candidate before it, in the same
// turn. A todo is only corrected, or given its deadline, by a sentence that promises
// nothing of its own; a decision or a risk is told in neighbouring sentences.
func joins(t *transcript, found []candidate, i int, task Task, weight int) bool {
	if len(found) == 0 {
		return false
	}
	c := found[len(found)-1]
	if c.last != i-1 || i-c.first >= maxRun || t.lines[i].block != t.lines[c.first].block {
		return false
	}
	s := t.signals[i]
	if task == TaskTodos {
		if t.signals[i-1].answersWho && isShort(t.lines[i-1].text) {
			return s.todo >= proposeTodo || s.deadline // "我吧。" and what it is
		}
		if s.deadline && !t.signals[i-1].deadline && backward.MatchString(t.lines[i].text) {
			return true // "I'll do it. I'll ring him tomorrow."
		}
		return s.correction && s.deadline || s.deadline && s.todo < proposeTodo
	}
	return weight >= threshold(task)
}

func weightFor(s signal, task Task) int {
	switch task {
	case TaskTodos:
		return s.todo
	case TaskDecisions:
		return s.decision
	}
	return s.risk
}

func threshold(task Task) int {
	switch task {
	case TaskTodos:
		return proposeTodo
	case TaskDecisions:
		return proposeDecision
	}
	return proposeRisk
}

// lookBack is how many sentences ahead of an answer its question may stand.
const lookBack = 4

// readTranscript splits a source and weighs its sentences.
func readTranscript(source int, lines []line, who *people) *transcript {
	t := &transcript{source: source, lines: lines, signals: make([]signal, len(lines))}
	text, turns := "", 0
	for i := range lines {
		if lines[i].speaker != "" {
			turns++
		}
		t.signals[i] = readSignal(&lines[i], lines[max(0, i-lookBack):i], who)
		if len(text) < 20000 {
			text += lines[i].text
		}
	}
	t.lang = languageOf(text)
	t.spoken = 3*turns > 2*len(lines)
	return t
}

// text returns lines first to last joined as they are spoken.
func (c candidate) text() string {
	s := ""
	for i := c.first; i <= c.last; i++ {
		s += c.script.lines[i].text
		if c.script.lang == "en" && i < c.last {
			s += " "
		}
	}
	return s
}

// speaker is the label of the candidate's block.
func (c candidate) speaker() string { return c.script.lines[c.first].speaker }
