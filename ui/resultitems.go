package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/assistant"
	"windowseat/ui/widgets"
)

func (p *resultPane) todo(card *widgets.Column, it assistant.Item, f assistant.TodoFields) {
	card.Add(widgets.NewText(f.Action, widgets.Strong), widgets.NewChips(
		widgets.NewChip(p.words.owner(f), known(f.Owner != nil)),
		widgets.NewChip(p.words.due(f), known(f.DueDate != nil || f.DueWords != nil)), p.state(it)))
	p.proof(card, it)
}

// known is the colour of a fact that is there, or of one that is not.
func known(there bool) fyne.ThemeColorName {
	if there {
		return theme.ColorNamePrimary
	}
	return theme.ColorNamePlaceHolder
}

func (p *resultPane) decision(card *widgets.Column, it assistant.Item, f assistant.DecisionFields) {
	card.Add(widgets.NewText(f.Text, widgets.Strong))
	chips := []fyne.CanvasObject{p.state(it)}
	if f.Replaces != nil {
		chips = append(chips, widgets.NewChip(p.words.t("decision.replaces"), theme.ColorNamePrimary))
	}
	card.Add(widgets.NewChips(chips...))
	if f.Replaces != nil {
		if old := p.decisionText(*f.Replaces); old != "" {
			card.Add(widgets.NewText(p.words.t("decision.before", "text", old), widgets.Caption))
		}
	}
	p.proof(card, it)
}

// decisionText finds the decision that another one overrules.
func (p *resultPane) decisionText(id string) string {
	for _, it := range p.outcome.doc.Decisions {
		if f, ok := it.Fields.(assistant.DecisionFields); ok && it.ID == id {
			return f.Text
		}
	}
	return ""
}

func (p *resultPane) risk(card *widgets.Column, it assistant.Item, f assistant.RiskFields) {
	w := p.words
	card.Add(widgets.NewText(f.Text, widgets.Strong))
	chips := []fyne.CanvasObject{}
	if f.RaisedBy != nil {
		chips = append(chips, widgets.NewChip(w.t("risk.raised_by", "name", *f.RaisedBy), theme.ColorNamePrimary))
	}
	card.Add(widgets.NewChips(append(chips, p.state(it))...))
	if f.Trigger != "" {
		card.Add(widgets.NewText(w.t("risk.trigger", "text", f.Trigger), widgets.Body))
	}
	if f.Consequence != "" {
		card.Add(widgets.NewText(w.t("risk.consequence", "text", f.Consequence), widgets.Body))
	}
	p.proof(card, it)
}

func (p *resultPane) summary(card *widgets.Column, it assistant.Item, f assistant.SummaryFields) {
	if f.Title != "" {
		card.Add(widgets.NewText(f.Title, widgets.Strong))
	}
	if f.Overview != "" {
		card.Add(widgets.NewText(f.Overview, widgets.Body))
	}
	for _, topic := range f.Topics {
		title := topic.Title
		if topic.Time != "" {
			title = topic.Time + "  " + title
		}
		card.Add(widgets.NewColumn(0, widgets.NewText(title, widgets.Strong), widgets.NewText(topic.Text, widgets.Body)))
	}
	card.Add(p.list("summary.questions", f.OpenQuestions)...)
	card.Add(p.list("summary.quotes", f.Quotes)...)
	card.Add(widgets.NewChips(p.state(it)))
	p.reason(card, it)
}

// list is a caption and one line per entry, or nothing.
func (p *resultPane) list(key string, entries []string) []fyne.CanvasObject {
	if len(entries) == 0 {
		return nil
	}
	column := widgets.NewColumn(2, widgets.NewText(p.words.t(key), widgets.Caption))
	for _, e := range entries {
		column.Add(widgets.NewText("• "+e, widgets.Body))
	}
	return []fyne.CanvasObject{column}
}

func (p *resultPane) email(card *widgets.Column, it assistant.Item, f assistant.EmailFields) {
	w := p.words
	people := func(key string, names []string) {
		if len(names) > 0 {
			card.Add(widgets.NewText(w.t(key, "names", strings.Join(names, ", ")), widgets.Caption))
		}
	}
	people("email.to", f.To)
	people("email.cc", f.CC)
	card.Add(widgets.NewText(f.Subject, widgets.Strong), widgets.NewText(f.Body, widgets.Body))
	for _, line := range w.changes(f.ChangedFacts) {
		card.Add(widgets.NewText(line, warnLook))
	}
	copyDraft := widget.NewButtonWithIcon(w.t("email.copy"), theme.ContentCopyIcon(), func() {
		p.actions.copy(f.Subject + "\n\n" + f.Body)
	})
	card.Add(widgets.NewChips(p.state(it), copyDraft))
	p.reason(card, it)
}
