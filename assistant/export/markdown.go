// Package export writes results in the forms that people pass on: Markdown, JSON,
// DOCX, a calendar of the todos (ICS) and the email draft (EML). It renders what a
// result document holds and decides nothing: unconfirmed items are marked with
// their reason, and the coverage of every source is part of the text.
//
// All functions are pure, without a look at clock, machine or user, so that equal
// input gives equal bytes; they are safe for concurrent use.
package export

import (
	"fmt"
	"regexp"
	"strings"

	"windowseat/assistant"
)

// Options say how a result is rendered.
type Options struct {
	Lang    string           // "zh" or "en": the words around the content, not its language
	Asked   []assistant.Task // tasks that say so when they found nothing
	Partial bool             // the job ended before its end: nothing found is then not said
}

// AsRun puts one task's envelope into the shape of the main job's result, where the
// lists of the other tasks are empty and not nil, as in a run without findings.
func AsRun(e *assistant.Envelope) *assistant.RunDocument {
	d := &assistant.RunDocument{
		Header: e.Header, Summary: []assistant.Item{}, Decisions: []assistant.Item{}, Todos: []assistant.Item{}, Risks: []assistant.Item{}, Email: []assistant.Item{},
	}
	switch e.Task {
	case assistant.TaskSummary:
		d.Summary = e.Items
	case assistant.TaskDecisions:
		d.Decisions = e.Items
	case assistant.TaskTodos:
		d.Todos = e.Items
	case assistant.TaskRisks:
		d.Risks = e.Items
	case assistant.TaskEmail:
		d.Email = e.Items
	}
	return d
}

// Markdown renders the main job's result. Sections without content are left out,
// except those of tasks that were asked for.
func Markdown(d *assistant.RunDocument, o Options) string {
	m := &markdown{say: wordsOf(o.Lang)}
	for _, element := range compose(d, o) {
		m.write(element)
	}
	return strings.Trim(blankRuns.ReplaceAllString(m.b.String(), "\n\n"), "\n") + "\n"
}

// blankRuns are what elements with empty lines around them leave between them.
var blankRuns = regexp.MustCompile(`\n{3,}`)

type markdown struct {
	b   strings.Builder
	say func(key string) string
}

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

func (m *markdown) write(element any) {
	switch e := element.(type) {
	case heading:
		m.line("\n%s %s\n", strings.Repeat("#", e.level), plain(e.text))
	case paragraph:
		m.line("\n%s%s\n", plain(e.text), after(e.mark))
	case point:
		m.point(e)
	case saying:
		m.line("> %s\n", plain(e.text))
	case todoList:
		for _, t := range e {
			m.todo(t)
		}
	case letter:
		m.letter(e)
	case rule:
		m.line("\n---\n")
	}
}

func (m *markdown) point(p point) {
	lead := ""
	if p.lead != "" {
		lead = "**" + plain(p.lead) + "**"
	}
	m.line("- %s%s%s", lead, plain(p.text), after(p.mark))
	for _, d := range p.details {
		m.line("  - %s", plain(d))
	}
	m.quotes(p.quotes)
}

func (m *markdown) todo(t todo) {
	due := ""
	switch {
	case t.date != "" && t.words != "":
		due = fmt.Sprintf(" · %s (%s)", t.date, t.words)
	case t.date != "" || t.words != "":
		due = " · " + t.date + t.words
	}
	m.line("- [ ] **%s**: %s%s%s", plain(t.owner), plain(t.action), plain(due), after(t.mark))
	m.quotes(t.quotes)
}

func (m *markdown) letter(l letter) {
	if len(l.to) > 0 {
		m.line("%s: %s  ", m.say("to"), plain(strings.Join(l.to, ", ")))
	}
	if len(l.cc) > 0 {
		m.line("%s: %s  ", m.say("cc"), plain(strings.Join(l.cc, ", ")))
	}
	m.line("%s: %s%s\n", m.say("subject"), plain(l.subject), after(l.mark))
	m.line("%s\n", l.body)
	for _, c := range l.changes {
		m.line("- %s", plain(c))
	}
}

// quotes prints each quote with its place.
func (m *markdown) quotes(quotes []quote) {
	for _, q := range quotes {
		m.line("  > %s  ", plain(q.text))
		m.line("  > — %s\n", plain(q.place))
	}
}

func after(mark string) string {
	if mark == "" {
		return ""
	}
	return " " + plain(mark)
}

// plain keeps text of one line from opening Markdown structure.
func plain(s string) string { return structure.Replace(s) }

var structure = strings.NewReplacer("<", "&lt;", "`", "'")
