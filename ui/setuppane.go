package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/ui/widgets"
)

// setupPane lets the user choose tasks, languages and the meeting date.
type setupPane struct {
	words   *words
	choices *choices
	changed func() // a choice has changed

	column *widgets.Column
	date   *widget.Entry
	hint   *widgets.Text // under the date
}

func newSetupPane(w *words, c *choices, changed func()) *setupPane {
	p := &setupPane{words: w, choices: c, changed: changed}
	p.column = widgets.NewColumn(8,
		widgets.NewText(w.t("setup.title"), widgets.Heading),
		container.NewGridWithColumns(2,
			p.check("setup.summary", &c.summary), p.check("setup.todos", &c.todos),
			p.check("setup.risks", &c.risks), p.check("setup.email", &c.email)),
		container.NewGridWithColumns(2,
			p.labelled("setup.language", p.choose(&c.language, "auto", Chinese, English)),
			p.labelled("setup.email_language", p.choose(&c.emailLanguage, Chinese, English))),
		p.labelled("setup.date", p.dateEntry()),
	)
	p.hint = widgets.NewText("", widgets.Caption)
	p.column.Add(p.hint)
	p.showDateHint()
	return p
}

func (p *setupPane) check(key string, value *bool) fyne.CanvasObject {
	c := widget.NewCheck(p.words.t(key), nil)
	c.Checked = *value
	c.OnChanged = func(on bool) {
		*value = on
		p.changed()
	}
	return c
}

// choose is a select over codes, shown as the words "choice.<code>".
func (p *setupPane) choose(value *string, codes ...string) fyne.CanvasObject {
	names := make([]string, len(codes))
	for i, c := range codes {
		names[i] = p.words.t("choice." + c)
	}
	s := widget.NewSelect(names, nil)
	s.Selected = p.words.t("choice." + *value)
	s.OnChanged = func(string) {
		*value = codes[s.SelectedIndex()]
		p.changed()
	}
	return s
}

// dateEntry is one-way on purpose: a bound entry loses the runes of an input method.
func (p *setupPane) dateEntry() fyne.CanvasObject {
	p.date = widget.NewEntry()
	p.date.Text = p.choices.meetingDate
	p.date.SetPlaceHolder("2026-03-18")
	p.date.OnChanged = func(s string) {
		p.choices.meetingDate = s
		p.showDateHint()
		p.changed()
	}
	return p.date
}

func (p *setupPane) showDateHint() {
	if p.choices.dateValid() {
		p.hint.SetLook(widgets.Caption)
		p.hint.SetText(p.words.t("setup.date_hint"))
		return
	}
	p.hint.SetLook(widgets.Look{Size: theme.SizeNameCaptionText, Color: theme.ColorNameError})
	p.hint.SetText(p.words.t("setup.date_wrong"))
}

func (p *setupPane) labelled(key string, o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.NewColumn(2, widgets.NewText(p.words.t(key), widgets.Caption), o)
}
