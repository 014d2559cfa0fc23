package ui

import (
	"fmt"
	"strings"

	"windowseat/assistant"
)

// markdown renders results for saving and copying, in the words of the window.
type markdown struct {
	words   *words
	doc     *assistant.RunDocument
	partial bool
	out     strings.Builder
}

// renderMarkdown returns the results as Markdown; asked are the tasks of the job,
// partial says that it ended before its end.
func renderMarkdown(w *words, d *assistant.RunDocument, asked []assistant.Task, partial bool) string {
	m := &markdown{words: w, doc: d, partial: partial}
	title := "Windowseat"
	if len(d.Summary) > 0 {
		if f, ok := d.Summary[0].Fields.(assistant.SummaryFields); ok && f.Title != "" {
			title = f.Title
		}
	}
	m.line("# %s", title)
	m.line("")
	for _, s := range d.Sources {
		for _, line := range w.coverage(s) {
			m.line("- %s", line)
		}
	}
	if d.MeetingDate != "" {
		m.line("- %s", w.meetingDate(d))
	}
	m.line("- %s", w.t("coverage.model", "model", d.Model.Name))
	for _, task := range asked {
		m.section(task, itemsOf(d, task))
	}
	return m.out.String()
}

// itemsOf returns the items of one task.
func itemsOf(d *assistant.RunDocument, t assistant.Task) []assistant.Item {
	switch t {
	case assistant.TaskSummary:
		return d.Summary
	case assistant.TaskDecisions:
		return d.Decisions
	case assistant.TaskTodos:
		return d.Todos
	case assistant.TaskRisks:
		return d.Risks
	case assistant.TaskEmail:
		return d.Email
	}
	return nil
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

func (m *markdown) section(task assistant.Task, items []assistant.Item) {
	m.line("\n## %s\n", m.words.task(task))
	switch {
	case len(items) == 0 && m.partial:
		m.line("%s", m.words.t("section.not_done"))
	case len(items) == 0:
		m.line("%s", m.words.t("section.none"))
	}
	for _, it := range items {
		switch f := it.Fields.(type) {
		case assistant.TodoFields:
			m.item(it, "- [ ] **"+oneLine(f.Action)+"**", m.words.owner(f), m.words.due(f))
		case assistant.DecisionFields:
			m.item(it, "- **"+oneLine(f.Text)+"**")
		case assistant.RiskFields:
			m.item(it, "- **"+oneLine(f.Text)+"**", m.risk(f)...)
		case assistant.SummaryFields:
			m.summary(it, f)
		case assistant.EmailFields:
			m.email(it, f)
		}
	}
}

// item writes a list entry: facts and state in one line below, then the quotes.
func (m *markdown) item(it assistant.Item, head string, facts ...string) {
	m.line("%s", head)
	m.line("  %s", strings.Join(append(facts, m.words.state(it)), " · "))
	for _, e := range it.Evidence {
		file := ""
		if len(m.doc.Sources) > 1 && e.Source < len(m.doc.Sources) {
			file = m.doc.Sources[e.Source].File
		}
		m.line("  > %s", oneLine(e.Quote))
		if place := m.words.place(e, file); place != "" {
			m.line("  > — %s", place)
		}
	}
	m.line("")
}

func (m *markdown) risk(f assistant.RiskFields) []string {
	var facts []string
	if f.RaisedBy != nil {
		facts = append(facts, m.words.t("risk.raised_by", "name", *f.RaisedBy))
	}
	if f.Trigger != "" {
		facts = append(facts, m.words.t("risk.trigger", "text", oneLine(f.Trigger)))
	}
	if f.Consequence != "" {
		facts = append(facts, m.words.t("risk.consequence", "text", oneLine(f.Consequence)))
	}
	return facts
}

func (m *markdown) summary(it assistant.Item, f assistant.SummaryFields) {
	m.line("%s\n", strings.TrimSpace(f.Overview))
	for _, t := range f.Topics {
		title := strings.TrimSpace(t.Time + " " + t.Title)
		m.line("- **%s** %s", oneLine(title), oneLine(t.Text))
	}
	m.list("summary.questions", f.OpenQuestions)
	m.list("summary.quotes", f.Quotes)
	m.line("\n%s", m.words.state(it))
}

func (m *markdown) list(key string, entries []string) {
	if len(entries) == 0 {
		return
	}
	m.line("\n### %s\n", m.words.t(key))
	for _, e := range entries {
		m.line("- %s", oneLine(e))
	}
}

func (m *markdown) email(it assistant.Item, f assistant.EmailFields) {
	if len(f.To) > 0 {
		m.line("%s  ", m.words.t("email.to", "names", strings.Join(f.To, ", ")))
	}
	if len(f.CC) > 0 {
		m.line("%s  ", m.words.t("email.cc", "names", strings.Join(f.CC, ", ")))
	}
	m.line("**%s**\n\n%s\n", oneLine(f.Subject), strings.TrimSpace(f.Body))
	for _, c := range f.ChangedFacts {
		m.line("- %s", m.words.changedFact(c))
	}
	m.line("\n%s", m.words.state(it))
}

// oneLine keeps a text inside its list entry.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
