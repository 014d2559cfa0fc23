package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"windowseat/assistant"
	"windowseat/document"
	"windowseat/ui/widgets"
)

// encodings are the choices offered for a file that is shown in wrong characters.
var encodings = []string{"utf-8", "gb18030", "big5", "utf-16le", "utf-16be", "shift_jis", "euc-kr", "windows-1252"}

// documentPane shows the text of one file as it was understood.
type documentPane struct {
	words *words
	set   *fileSet

	title    *widgets.Text
	encoding *widget.Select
	head     *widgets.Column
	lines    *widgets.Lines
	root     fyne.CanvasObject

	fileID     int                // 0 when no file is shown
	doc        *document.Document // what is on the lines
	paragraphs []int              // paragraph of each block
}

func newDocumentPane(w *words, set *fileSet) *documentPane {
	p := &documentPane{words: w, set: set, lines: widgets.NewLines(), title: widgets.NewText("", widgets.Strong)}
	names := append([]string{w.t("document.encoding_auto")}, encodings...)
	p.encoding = widget.NewSelect(names, nil)
	p.head = widgets.NewColumn(4, p.title, widgets.NewText(w.t("document.encoding"), widgets.Caption), p.encoding)
	p.root = widgets.NewDock(p.head, p.lines, nil, pageMargin)
	p.refresh()
	return p
}

// open shows a file.
func (p *documentPane) open(f *inputFile) {
	p.fileID, p.doc = f.id, nil
	p.refresh()
}

// refresh shows the file again after it was read anew or removed.
func (p *documentPane) refresh() {
	f := p.set.find(p.fileID)
	if f == nil {
		p.fileID, p.doc = 0, nil
		p.head.Hide()
		p.explain("document.empty")
		return
	}
	p.head.Show()
	p.title.SetText(f.name)
	p.encoding.OnChanged = nil
	p.encoding.SetSelected(p.encodingName(f))
	p.encoding.OnChanged = func(string) { p.chooseEncoding(f.id) }
	switch {
	case f.reading():
		p.doc = nil
		p.explain("files.reading")
	case f.err != nil:
		p.doc = nil
		p.lines.SetParagraphs([]widgets.Paragraph{{Text: p.words.failure(f.err)}})
		p.root.Refresh()
	case f.doc != p.doc:
		p.doc = f.doc
		ps, at := paragraphs(f.doc)
		p.paragraphs = at
		p.lines.SetParagraphs(ps)
		p.root.Refresh()
	}
}

func (p *documentPane) explain(key string) {
	p.lines.SetParagraphs([]widgets.Paragraph{{Text: p.words.t(key), Kind: widgets.NoteParagraph}})
	p.root.Refresh()
}

func (p *documentPane) encodingName(f *inputFile) string {
	if f.encoding == "" {
		return p.words.t("document.encoding_auto")
	}
	return f.encoding
}

func (p *documentPane) chooseEncoding(id int) {
	encoding := ""
	if i := p.encoding.SelectedIndex(); i > 0 {
		encoding = encodings[i-1]
	}
	p.set.setEncoding(id, encoding)
}

// mark shows the place of a quote. It reports false when the text has changed since.
func (p *documentPane) mark(e assistant.Evidence) bool {
	if p.doc == nil || e.Block < 0 || e.Block >= len(p.doc.Blocks) {
		return false
	}
	text := p.doc.Blocks[e.Block].Text
	if e.Start < 0 || e.End > len(text) || e.Start > e.End || text[e.Start:e.End] != e.Quote {
		return false
	}
	p.lines.Mark(p.paragraphs[e.Block], widgets.Span{Start: e.Start, End: e.End})
	return true
}

// paragraphs turns blocks into paragraphs: the text itself and, in front of a turn,
// who spoke and when. The second result is the paragraph of each block.
func paragraphs(doc *document.Document) ([]widgets.Paragraph, []int) {
	ps := make([]widgets.Paragraph, 0, len(doc.Blocks))
	at := make([]int, len(doc.Blocks))
	var before string
	for i, b := range doc.Blocks {
		var who []string
		if b.Place.HasTime {
			who = append(who, clockTime(b.Place.Start))
		}
		if b.Place.Speaker != "" {
			who = append(who, b.Place.Speaker)
		}
		if label := strings.Join(who, "  "); label != "" && label != before {
			ps = append(ps, widgets.Paragraph{Text: label, Kind: widgets.NoteParagraph})
			before = label
		}
		at[i] = len(ps)
		kind := widgets.PlainParagraph
		if b.Kind == document.KindHeading {
			kind = widgets.HeadParagraph
		}
		ps = append(ps, widgets.Paragraph{Text: b.Text, Kind: kind})
	}
	return ps, at
}
