package export

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"windowseat/assistant"
)

// content is what a result says, in the words of one language and in order. The
// writers of Markdown and DOCX walk it; they decide how it looks and nothing else.
type content []any

// The elements of a content. Their texts are of one line, without control
// characters, and not escaped for any form; only letter.body has lines.
type (
	// heading opens the document (level 1), a section (2) or a part of one (3).
	heading struct {
		level int
		text  string
	}
	// paragraph is plain text. A mark says that it is unconfirmed, and why.
	paragraph struct{ text, mark string }
	// point is an item of a list.
	point struct {
		lead, text string // lead is emphasised
		mark       string
		details    []string // points below it
		quotes     []quote
	}
	// saying is a quote that stands for itself.
	saying struct{ text string }
	// todoList are all todos.
	todoList []todo
	todo     struct {
		action, owner string
		date, words   string // of the deadline; both may be empty
		mark          string
		quotes        []quote
	}
	// letter is a draft and what its wording changed.
	letter struct {
		to, cc        []string
		subject, mark string
		body          string
		changes       []string
	}
	// rule is a line between what was found and what was read.
	rule struct{}
)

// quote is evidence: its words and the place where they stand.
type quote struct{ text, place string }

// composer turns a result into content.
type composer struct {
	d   *assistant.RunDocument
	say func(key string) string
	out content
}

func compose(d *assistant.RunDocument, o Options) content {
	c := &composer{d: d, say: wordsOf(o.Lang)}
	c.add(heading{1, titleOf(d, c.say)})
	if d.MeetingDate != "" {
		c.add(paragraph{text: oneLine(fmt.Sprintf("%s: %s (%s)", c.say("date"), d.MeetingDate, c.say("from_"+d.MeetingDateFrom)))})
	}
	for _, s := range []struct {
		task  assistant.Task
		items []assistant.Item
		write func([]assistant.Item)
	}{
		{assistant.TaskSummary, d.Summary, each(c.summary)},
		{assistant.TaskDecisions, d.Decisions, each(c.decision)},
		{assistant.TaskTodos, d.Todos, c.todos},
		{assistant.TaskRisks, d.Risks, each(c.risk)},
		{assistant.TaskEmail, d.Email, each(c.email)},
	} {
		if len(s.items) == 0 && !slices.Contains(o.Asked, s.task) {
			continue
		}
		c.add(heading{2, c.say(string(s.task))})
		switch {
		case len(s.items) > 0:
			s.write(s.items)
		case o.Partial:
			c.add(paragraph{text: c.say("not_done")})
		default:
			c.add(paragraph{text: c.say("none")})
		}
	}
	c.coverage()
	return c.out
}

// each writes the items whose fields have the expected type one by one.
func each[F any](write func(assistant.Item, F)) func([]assistant.Item) {
	return func(items []assistant.Item) {
		for _, it := range items {
			if f, ok := it.Fields.(F); ok {
				write(it, f)
			}
		}
	}
}

// titleOf returns the title of the summary or, without one, the word for results.
func titleOf(d *assistant.RunDocument, say func(string) string) string {
	if len(d.Summary) > 0 {
		if f, ok := d.Summary[0].Fields.(assistant.SummaryFields); ok && f.Title != "" {
			return oneLine(f.Title)
		}
	}
	return say("title")
}

func (c *composer) add(elements ...any) { c.out = append(c.out, elements...) }

func (c *composer) summary(it assistant.Item, f assistant.SummaryFields) {
	c.add(paragraph{oneLine(f.Overview), c.mark(it)})
	for _, t := range f.Topics {
		at := ""
		if t.Time != "" {
			at = " (" + oneLine(t.Time) + ")"
		}
		c.add(point{lead: oneLine(t.Title), text: at + ": " + oneLine(t.Text)})
	}
	if len(f.OpenQuestions) > 0 {
		c.add(heading{3, c.say("open_questions")})
	}
	for _, q := range f.OpenQuestions {
		c.add(point{text: oneLine(q)})
	}
	if len(f.Quotes) > 0 {
		c.add(heading{3, c.say("quotes")})
	}
	for _, q := range f.Quotes {
		c.add(saying{oneLine(q)})
	}
}

func (c *composer) decision(it assistant.Item, f assistant.DecisionFields) {
	text := it.ID + ": " + f.Text
	if f.Replaces != nil {
		text += fmt.Sprintf(" (%s %s)", c.say("replaces"), *f.Replaces)
	}
	c.add(point{text: oneLine(text), mark: c.mark(it), quotes: c.quotes(it)})
}

func (c *composer) todos(items []assistant.Item) {
	var list todoList
	each(func(it assistant.Item, f assistant.TodoFields) {
		t := todo{action: oneLine(f.Action), owner: c.say("unassigned"), mark: c.mark(it), quotes: c.quotes(it)}
		if f.Owner != nil {
			t.owner = oneLine(*f.Owner)
		}
		if f.DueDate != nil {
			t.date = oneLine(*f.DueDate)
		}
		if f.DueWords != nil {
			t.words = oneLine(*f.DueWords)
		}
		list = append(list, t)
	})(items)
	c.add(list)
}

func (c *composer) risk(it assistant.Item, f assistant.RiskFields) {
	p := point{text: oneLine(f.Text), mark: c.mark(it), quotes: c.quotes(it)}
	if f.RaisedBy != nil {
		p.text += fmt.Sprintf(" (%s: %s)", c.say("raised_by"), oneLine(*f.RaisedBy))
	}
	for _, d := range []struct{ key, text string }{{"trigger", f.Trigger}, {"consequence", f.Consequence}} {
		if d.text != "" {
			p.details = append(p.details, c.say(d.key)+": "+oneLine(d.text))
		}
	}
	c.add(p)
}

func (c *composer) email(it assistant.Item, f assistant.EmailFields) {
	l := letter{subject: oneLine(f.Subject), mark: c.mark(it), body: strings.TrimSpace(f.Body), changes: changeLines(f.ChangedFacts, c.say)}
	for _, s := range f.To {
		l.to = append(l.to, oneLine(s))
	}
	for _, s := range f.CC {
		l.cc = append(l.cc, oneLine(s))
	}
	c.add(l)
}

// changeLines says in which ways a draft differs from the documents, a line for each.
func changeLines(changed []assistant.ChangedFact, say func(string) string) []string {
	var lines []string
	for _, c := range Changes(changed) {
		var facts []string
		for _, fact := range c.Facts {
			s := oneLine(fact.Draft)
			if c.Way != Untranslated {
				s += fmt.Sprintf(" (%s)", say("fact_"+fact.Kind))
			}
			if fact.Times > 1 {
				s += fmt.Sprintf(" ×%d", fact.Times)
			}
			facts = append(facts, s)
		}
		lines = append(lines, say("draft_"+c.Way)+": "+strings.Join(facts, say("comma")))
	}
	return lines
}

// mark says that an item is unconfirmed, and why; it is empty for a checked one.
func (c *composer) mark(it assistant.Item) string { return markOf(it, c.say) }

func markOf(it assistant.Item, say func(string) string) string {
	if it.State != assistant.StateUnconfirmed {
		return ""
	}
	return oneLine(fmt.Sprintf("⚠ %s: %s", say("unconfirmed"), say("reason_"+it.Reason)))
}

func (c *composer) quotes(it assistant.Item) []quote { return quotesOf(it, c.d.Sources, c.say) }

func quotesOf(it assistant.Item, sources []assistant.Source, say func(string) string) []quote {
	var out []quote
	for _, e := range it.Evidence {
		out = append(out, quote{oneLine(e.Quote), place(e, sources, say)})
	}
	return out
}

// place is where evidence stands: file, time, page or line, speaker.
func place(e assistant.Evidence, sources []assistant.Source, say func(string) string) string {
	var parts []string
	if e.Source >= 0 && e.Source < len(sources) {
		parts = append(parts, sources[e.Source].File)
	}
	switch {
	case e.TimeStart != nil:
		s := int(*e.TimeStart)
		parts = append(parts, fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60))
	case e.Page > 0:
		parts = append(parts, fmt.Sprintf(say("page"), e.Page))
	case e.Line > 0:
		parts = append(parts, fmt.Sprintf(say("line"), e.Line))
	}
	if e.Speaker != "" {
		parts = append(parts, e.Speaker)
	}
	return oneLine(strings.Join(parts, " · "))
}

// coverage says for every source how much of it was read.
func (c *composer) coverage() {
	c.add(rule{})
	for _, s := range c.d.Sources {
		file := oneLine(s.File)
		if why, ok := unread(s); ok {
			c.add(point{text: file + ": " + c.say("not_read") + ": " + c.say("unread_"+why)})
			continue
		}
		p := point{text: fmt.Sprintf(c.say("coverage"), file, s.PartsRead, s.PartsTotal, s.Chars)}
		for _, l := range LeftOut(s.LeftOut) {
			what := c.say("left_" + l.Code)
			if l.Parts != "" {
				what = fmt.Sprintf(c.say("parts"), l.Parts) + ": " + what
			}
			p.details = append(p.details, c.say("left_out")+": "+oneLine(what))
		}
		c.add(p)
	}
	if c.d.Model.Name != "" {
		c.add(paragraph{text: c.say("model") + ": " + oneLine(c.d.Model.Name)})
	}
}

// unread returns why a source could not be read at all.
func unread(s assistant.Source) (reason string, ok bool) {
	for _, n := range s.Notes {
		if n.Code == assistant.NoteUnread {
			return n.Args["reason"], true
		}
	}
	return "", false
}

// oneLine puts text on one line of valid UTF-8 and drops control characters, which
// could steer a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
