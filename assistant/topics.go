package assistant

import (
	"sort"
	"strings"
	"unicode/utf8"

	"windowseat/chunker"
	"windowseat/prompts"
)

// place is a position in the sources: a byte of a block.
type place struct{ source, block, start int }

func (a place) before(b place) bool {
	switch {
	case a.source != b.source:
		return a.source < b.source
	case a.block != b.block:
		return a.block < b.block
	}
	return a.start < b.start
}

// topicNote is a topic while the summary is put together.
type topicNote struct {
	topic    Topic
	at       place
	evidence *Evidence
	quoted   bool     // its text is a sentence of the source: what the model wrote was not
	size     int      // length of its span in bytes: to the next topic of the source
	weight   int      // of the marks in its span
	names    []string // of what was found in its span: each could be its title
	heading  string   // above it
}

// mark is a place at which something was found, what it weighs beside others, and
// the words for it.
type mark struct {
	at     place
	weight int
	name   string
}

// Weights of what makes a topic worth keeping. What the model has confirmed weighs
// more than what only looks like it.
const (
	markDecision  = 4
	markItem      = 3
	markCandidate = 1
	markFigure    = 1
	markQuoted    = -2
)

// marksOf lists where the sources hold checked items or, where none were extracted,
// sentences that look like one.
func marksOf(run *RunDocument, cands map[Task][]candidate) []mark {
	var marks []mark
	old := replacedIDs(run.Decisions)
	for _, group := range []struct {
		items  []Item
		weight int
	}{{run.Decisions, markDecision}, {run.Todos, markItem}, {run.Risks, markItem}} {
		for _, it := range group.items {
			if it.State != StateChecked {
				continue
			}
			name := fieldsText(it.Fields)
			if old[it.ID] {
				name = "" // it no longer holds
			}
			for _, e := range it.Evidence {
				marks = append(marks, mark{place{e.Source, e.Block, e.Start}, group.weight, name})
			}
		}
	}
	if len(marks) > 0 {
		return marks
	}
	for _, all := range cands {
		for _, c := range all {
			l := c.script.lines[c.first]
			marks = append(marks, mark{at: place{l.source, l.block, l.start}, weight: markCandidate})
		}
	}
	return marks
}

// collect joins the parts' notes in reading order and keeps the topics that say
// most. Topics still without a title come back with an empty one.
func (j *job) collect(notes []partNotes, marks []mark) (draft, []topicNote, SummaryFields) {
	d := draft{item: Item{State: StateChecked, Evidence: []Evidence{}}}
	f := SummaryFields{Topics: []Topic{}, OpenQuestions: []string{}, Quotes: []string{}}
	var all []topicNote
	for _, n := range notes {
		all = append(all, n.topics...)
	}
	topics := j.chooseTopics(joinTopics(all), marks)
	tellItems(topics)
	dropCopies(topics)
	for _, t := range topics {
		d.addQuote(t.evidence)
	}
	var questions []string
	var onMarks, others []*Evidence
	for _, n := range notes {
		if q := n.question; utf8.RuneCountInString(q) >= minQuestionRunes && !isMarked(q, marks) {
			questions = append(questions, q)
		}
		switch {
		case n.quote == nil:
		case holdsMark(n.quote, marks):
			onMarks = append(onMarks, n.quote)
		default:
			others = append(others, n.quote)
		}
	}
	f.OpenQuestions = append(f.OpenQuestions, spread(questions, maxListed)...)
	quotes := spread(onMarks, maxListed)
	quotes = append(quotes, spread(others, maxListed-len(quotes))...)
	sort.SliceStable(quotes, func(i, k int) bool { return placeOf(quotes[i]).before(placeOf(quotes[k])) })
	for _, q := range quotes {
		f.Quotes = append(f.Quotes, q.Quote)
		d.addQuote(q)
	}
	return d, topics, f
}

// spread takes n of all, from the whole of it.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

func placeOf(e *Evidence) place { return place{e.Source, e.Block, e.Start} }

// holdsMark reports whether something was found in a quoted sentence.
func holdsMark(e *Evidence, marks []mark) bool {
	for _, m := range marks {
		if m.at.source == e.Source && m.at.block == e.Block && m.at.start >= e.Start && m.at.start < e.End {
			return true
		}
	}
	return false
}

// isMarked reports whether a question is the sentence of something that was found: a
// request, a decision in the form of one.
func isMarked(question string, marks []mark) bool {
	for _, m := range marks {
		if m.name != "" && similarity(question, m.name) >= sameSentence {
			return true
		}
	}
	return false
}

// minQuestionRunes is the length below which a question says too little without what
// stands around it ("多少钱？").
const minQuestionRunes = 6

func (d *draft) addQuote(e *Evidence) {
	if e != nil && !hasEvidence(d.item.Evidence, *e) {
		d.item.Evidence = append(d.item.Evidence, *e)
	}
}

// joinTopics puts topics into the order of the text. Neighbours of one title are one
// topic.
func joinTopics(all []topicNote) []topicNote {
	sort.SliceStable(all, func(i, k int) bool { return all[i].at.before(all[k].at) })
	var joined []topicNote
	for _, t := range all {
		if last := len(joined) - 1; last >= 0 && joined[last].at.source == t.at.source && similarity(joined[last].topic.Title, t.topic.Title) >= sameTitle {
			joined[last].topic.Text = addSentences(joined[last].topic.Text, t.topic.Text)
			continue
		}
		joined = append(joined, t)
	}
	return joined
}

// A summary has at most one topic per so many characters of a source, about a page
// and a half of speech, but some of every source. Topics with nothing in them that
// was found go first, down to half of that.
const (
	charsPerTopic = 1000
	fewTopics     = 3
)

// chooseTopics weighs the topics, which come in the order of the text, and keeps the
// best of every source.
func (j *job) chooseTopics(all []topicNote, marks []mark) []topicNote {
	for i := range all {
		j.weigh(&all[i], all[i+1:], marks)
	}
	var kept []topicNote
	for source, doc := range j.docs {
		chars := 0
		for i := range doc.Blocks {
			chars += utf8.RuneCountInString(doc.Blocks[i].Text)
		}
		var own []topicNote
		for _, t := range all {
			if t.at.source == source {
				own = append(own, t)
			}
		}
		kept = append(kept, bestTopics(own, max(fewTopics, chars/charsPerTopic))...)
	}
	return kept
}

// weigh measures the span of a topic, which reaches to the next one of its source,
// and what was found in it.
func (j *job) weigh(t *topicNote, following []topicNote, marks []mark) {
	end := place{t.at.source + 1, 0, 0}
	for _, next := range following {
		if t.at.before(next.at) {
			end = next.at
			break
		}
	}
	blocks := j.docs[t.at.source].Blocks
	for i := t.at.block; i < len(blocks) && (end.source != t.at.source || i < end.block); i++ {
		t.size += len(blocks[i].Text)
	}
	for _, m := range marks {
		if !m.at.before(t.at) && m.at.before(end) {
			t.weight += m.weight
			t.names = append(t.names, m.name)
		}
	}
	if len(factsOf(t.topic.Text)) > 0 {
		t.weight += markFigure
	}
	if t.quoted {
		t.weight += markQuoted
	}
	t.heading = plainHeading(blocks[t.at.block].Place.Heading)
}

// bestTopics keeps at most n topics, the weightiest, of equals the longer ones, in
// their order. Of topics that weigh nothing it keeps no more than fill half of n.
func bestTopics(own []topicNote, n int) []topicNote {
	order := make([]int, len(own))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		s, t := own[order[a]], own[order[b]]
		return s.weight > t.weight || s.weight == t.weight && s.size > t.size
	})
	keep := make([]bool, len(own))
	for rank, i := range order {
		keep[i] = rank < n && (own[i].weight > 0 || rank < max(fewTopics, n/2))
	}
	var kept []topicNote
	for i := range own {
		if keep[i] {
			kept = append(kept, own[i])
		}
	}
	return kept
}

const sameTitle = 0.8

// addSentences puts the sentences of more that a does not say yet behind it, up to
// the length of two topics.
func addSentences(a, more string) string {
	for _, s := range chunker.Sentences(more) {
		next := strings.TrimSpace(more[s.Start:s.End])
		if saysAlready(a, next) || utf8.RuneCountInString(a+next) > 2*prompts.MaxTopic {
			continue
		}
		if languageOf(a) == LangEn {
			a += " "
		}
		a += next
	}
	return a
}

// saysAlready reports whether a sentence of text is nearly the same.
func saysAlready(text, sentence string) bool {
	for _, s := range chunker.Sentences(text) {
		if similarity(text[s.Start:s.End], sentence) >= sameSentence {
			return true
		}
	}
	return false
}

const sameSentence = 0.9
