package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/ui/widgets"
)

// filePane shows the list of files with what the reader understood of each.
type filePane struct {
	words  *words
	set    *fileSet
	mobile bool
	onOpen func(*inputFile) // show the file's text

	column *widgets.Column
}

func newFilePane(w *words, set *fileSet, mobile bool, onAdd, onPaste func(), onOpen func(*inputFile)) *filePane {
	p := &filePane{words: w, set: set, mobile: mobile, onOpen: onOpen, column: widgets.NewColumn(8)}
	add := widget.NewButtonWithIcon(w.t("files.add"), theme.ContentAddIcon(), onAdd)
	paste := widget.NewButtonWithIcon(w.t("files.paste"), theme.ContentPasteIcon(), onPaste)
	p.column.Add(widgets.NewText(w.t("files.title"), widgets.Heading), widgets.NewChips(add, paste))
	p.refresh()
	return p
}

// headObjects are the title and the buttons, which stay.
const headObjects = 2

// refresh rebuilds the rows; the page that holds the pane has to be refreshed.
func (p *filePane) refresh() {
	objects := p.column.Objects[:headObjects:headObjects]
	if len(p.set.files) == 0 {
		key := "files.empty"
		if p.mobile {
			key = "files.empty_mobile"
		}
		objects = append(objects, widgets.NewCard(4, widgets.NewText(p.words.t(key), widgets.Body),
			widgets.NewText(p.words.t("files.formats"), widgets.Caption)))
	}
	for _, f := range p.set.files {
		objects = append(objects, p.row(f))
	}
	if p.set.extra > 0 {
		objects = append(objects, widgets.NewText(p.words.t("files.extra", "n", p.set.extra, "max", maxFolderFiles), widgets.Caption))
	}
	p.column.Objects = objects
}

func (p *filePane) row(f *inputFile) fyne.CanvasObject {
	w := p.words
	remove := widget.NewButtonWithIcon("", theme.CancelIcon(), func() { p.set.remove(f.id) })
	remove.Importance = widget.LowImportance
	card := widgets.NewCard(3, widgets.NewRow(nil, widgets.NewText(f.name, widgets.Strong), remove))
	switch {
	case f.reading():
		card.Add(widgets.NewText(w.t("files.reading"), widgets.Caption))
	case f.err != nil:
		card.Add(widgets.NewText(w.failure(f.err), errorLook))
	default:
		card.Add(widgets.NewText(p.facts(f), widgets.Caption))
		if f.doc.EncodingGuessed {
			card.Add(widgets.NewText(w.t("files.guessed", "encoding", f.doc.Encoding), warnLook))
		}
		for _, n := range f.doc.Notes {
			card.Add(widgets.NewText(w.note(n.Code, n.Args), warnLook))
		}
		card.Add(widgets.NewLink(w.t("files.open"), func() { p.onOpen(f) }))
	}
	return card
}

// facts is the line under a file's name: format, length, meeting date.
func (p *filePane) facts(f *inputFile) string {
	w := p.words
	facts := []string{w.kind(f.doc.Kind), w.t("files.chars", "n", count(f.chars))}
	if f.doc.Date != "" {
		facts = append(facts, w.t("files.date_"+f.doc.DateFrom, "date", f.doc.Date))
	} else {
		facts = append(facts, w.t("files.no_date"))
	}
	return strings.Join(facts, " · ")
}
