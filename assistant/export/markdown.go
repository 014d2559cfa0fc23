// Package export writes results in the forms that people pass on. It renders what
// a result document holds and decides nothing: unconfirmed items are marked with
// their reason, and the coverage of every source is part of the text.
//
// All functions are pure and safe for concurrent use.
package export

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"windowseat/assistant"
)

// Options say how a result is rendered.
type Options struct {
	Lang    string           // "zh" or "en": the words around the content, not its language
	Asked   []assistant.Task // tasks that say so when they found nothing
	Partial bool             // the job ended before its end: nothing found is then not said
}

// Markdown renders the main job's result. Sections without content are left out,
// except those of tasks that were asked for.
func Markdown(d *assistant.RunDocument, o Options) string {
	m := &markdown{d: d, say: wordsOf(o.Lang)}
	m.heading()
	for _, s := range []struct {
		task  assistant.Task
		items []assistant.Item
		write func(assistant.Item)
	}{
		{assistant.TaskSummary, d.Summary, m.summary},
		{assistant.TaskDecisions, d.Decisions, m.decision},
		{assistant.TaskTodos, d.Todos, m.todo},
		{assistant.TaskRisks, d.Risks, m.risk},
		{assistant.TaskEmail, d.Email, m.email},
	} {
		if len(s.items) == 0 && !slices.Contains(o.Asked, s.task) {
			continue
		}
		m.line("## %s", m.say(string(s.task)))
		m.line("")
		switch {
		case len(s.items) == 0 && o.Partial:
			m.line("%s", m.say("not_done"))
		case len(s.items) == 0:
			m.line("%s", m.say("none"))
		}
		for _, it := range s.items {
			s.write(it)
		}
		m.line("")
	}
	m.coverage()
	return blankRuns.ReplaceAllString(m.b.String(), "\n\n")
}

// blankRuns are what sections that end in an empty line leave between them.
var blankRuns = regexp.MustCompile(`\n{3,}`)

type markdown struct {
	d   *assistant.RunDocument
	b   strings.Builder
	say func(key string) string
}

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

func (m *markdown) heading() {
	title := m.say("title")
	if len(m.d.Summary) > 0 {
		if f, ok := m.d.Summary[0].Fields.(assistant.SummaryFields); ok && f.Title != "" {
			title = f.Title
		}
	}
	m.line("# %s\n", flat(title))
	if m.d.MeetingDate != "" {
		m.line("%s: %s (%s)\n", m.say("date"), m.d.MeetingDate, m.say("from_"+m.d.MeetingDateFrom))
	}
}

func (m *markdown) summary(it assistant.Item) {
	f, ok := it.Fields.(assistant.SummaryFields)
	if !ok {
		return
	}
	m.line("%s%s\n", flat(f.Overview), m.mark(it))
	for _, t := range f.Topics {
		at := ""
		if t.Time != "" {
			at = " (" + t.Time + ")"
		}
		m.line("- **%s**%s: %s", flat(t.Title), at, flat(t.Text))
	}
	m.list("open_questions", f.OpenQuestions, "- ")
	m.list("quotes", f.Quotes, "> ")
}

func (m *markdown) list(key string, items []string, bullet string) {
	if len(items) == 0 {
		return
	}
	m.line("\n### %s\n", m.say(key))
	for _, s := range items {
		m.line("%s%s", bullet, flat(s))
		if bullet == "> " {
			m.line("")
		}
	}
}

func (m *markdown) decision(it assistant.Item) {
	f, ok := it.Fields.(assistant.DecisionFields)
	if !ok {
		return
	}
	replaces := ""
	if f.Replaces != nil {
		replaces = fmt.Sprintf(" (%s %s)", m.say("replaces"), *f.Replaces)
	}
	m.line("- %s: %s%s%s", it.ID, flat(f.Text), replaces, m.mark(it))
	m.evidence(it)
}

func (m *markdown) todo(it assistant.Item) {
	f, ok := it.Fields.(assistant.TodoFields)
	if !ok {
		return
	}
	owner := m.say("unassigned")
	if f.Owner != nil {
		owner = *f.Owner
	}
	due := ""
	switch {
	case f.DueDate != nil && f.DueWords != nil:
		due = fmt.Sprintf(" · %s (%s)", *f.DueDate, flat(*f.DueWords))
	case f.DueDate != nil:
		due = " · " + *f.DueDate
	case f.DueWords != nil:
		due = " · " + flat(*f.DueWords)
	}
	m.line("- [ ] **%s**: %s%s%s", flat(owner), flat(f.Action), due, m.mark(it))
	m.evidence(it)
}

func (m *markdown) risk(it assistant.Item) {
	f, ok := it.Fields.(assistant.RiskFields)
	if !ok {
		return
	}
	by := ""
	if f.RaisedBy != nil {
		by = fmt.Sprintf(" (%s: %s)", m.say("raised_by"), flat(*f.RaisedBy))
	}
	m.line("- %s%s%s", flat(f.Text), by, m.mark(it))
	if f.Trigger != "" {
		m.line("  - %s: %s", m.say("trigger"), flat(f.Trigger))
	}
	if f.Consequence != "" {
		m.line("  - %s: %s", m.say("consequence"), flat(f.Consequence))
	}
	m.evidence(it)
}

func (m *markdown) email(it assistant.Item) {
	f, ok := it.Fields.(assistant.EmailFields)
	if !ok {
		return
	}
	if len(f.To) > 0 {
		m.line("%s: %s  ", m.say("to"), flat(strings.Join(f.To, ", ")))
	}
	if len(f.CC) > 0 {
		m.line("%s: %s  ", m.say("cc"), flat(strings.Join(f.CC, ", ")))
	}
	m.line("%s: %s%s\n", m.say("subject"), flat(f.Subject), m.mark(it))
	m.line("%s\n", strings.TrimSpace(f.Body))
	for _, c := range Changes(f.ChangedFacts) {
		var facts []string
		for _, fact := range c.Facts {
			s := flat(fact.Draft)
			if c.Way != Untranslated {
				s += fmt.Sprintf(" (%s)", m.say("fact_"+fact.Kind))
			}
			if fact.Times > 1 {
				s += fmt.Sprintf(" ×%d", fact.Times)
			}
			facts = append(facts, s)
		}
		m.line("- %s: %s", m.say("draft_"+c.Way), strings.Join(facts, m.say("comma")))
	}
}

// evidence prints each quote with its place: file, line or time, speaker.
func (m *markdown) evidence(it assistant.Item) {
	for _, e := range it.Evidence {
		m.line("  > %s  ", flat(e.Quote))
		m.line("  > — %s", m.place(e))
		m.line("")
	}
}

func (m *markdown) place(e assistant.Evidence) string {
	var parts []string
	if e.Source >= 0 && e.Source < len(m.d.Sources) {
		parts = append(parts, m.d.Sources[e.Source].File)
	}
	switch {
	case e.TimeStart != nil:
		s := int(*e.TimeStart)
		parts = append(parts, fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60))
	case e.Page > 0:
		parts = append(parts, fmt.Sprintf(m.say("page"), e.Page))
	case e.Line > 0:
		parts = append(parts, fmt.Sprintf(m.say("line"), e.Line))
	}
	if e.Speaker != "" {
		parts = append(parts, e.Speaker)
	}
	return flat(strings.Join(parts, " · "))
}

func (m *markdown) mark(it assistant.Item) string {
	if it.State != assistant.StateUnconfirmed {
		return ""
	}
	return fmt.Sprintf(" ⚠ %s: %s", m.say("unconfirmed"), m.say("reason_"+it.Reason))
}

// coverage says for every source how much of it was read.
func (m *markdown) coverage() {
	m.line("---\n")
	for _, s := range m.d.Sources {
		if why, ok := unread(s); ok {
			m.line("- %s: %s: %s", flat(s.File), m.say("not_read"), m.say("unread_"+why))
			continue
		}
		m.line("- %s", fmt.Sprintf(m.say("coverage"), flat(s.File), s.PartsRead, s.PartsTotal, s.Chars))
		for _, l := range LeftOut(s.LeftOut) {
			what := m.say("left_" + l.Code)
			if l.Parts != "" {
				what = fmt.Sprintf(m.say("parts"), l.Parts) + ": " + what
			}
			m.line("  - %s: %s", m.say("left_out"), flat(what))
		}
	}
	if m.d.Model.Name != "" {
		m.line("\n%s: %s", m.say("model"), m.d.Model.Name)
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

// flat puts text on one line, and keeps it from opening Markdown structure and from
// steering a terminal.
func flat(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer("<", "&lt;", "`", "'").Replace(s)
}
