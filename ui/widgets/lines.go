package widgets

import (
	"image/color"
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Paragraph is a piece of a long text. Note paragraphs (places, labels) are drawn
// small and pale, head paragraphs bold.
type Paragraph struct {
	Text string
	Kind ParagraphKind
}

// ParagraphKind says how a paragraph is drawn.
type ParagraphKind uint8

// The kinds.
const (
	PlainParagraph ParagraphKind = iota
	NoteParagraph
	HeadParagraph
	kinds
)

var paragraphLooks = [kinds]Look{Body, Caption, Strong}

// textLine is one line on the screen: a span of a paragraph.
type textLine struct {
	paragraph  int
	start, end int
}

// Lines shows text of any length in lines of equal height. It wraps the text itself
// and holds objects for the visible lines only, so 2 MB are as quick as a page.
type Lines struct {
	widget.BaseWidget
	// OnTapped, when set, is called with the paragraph under the pointer.
	OnTapped func(paragraph int)

	paragraphs []Paragraph
	lines      []textLine
	metrics    [kinds]*Metrics
	size       float32 // text size that metrics were made for
	wrapWidth  float32 // width that lines were made for
	mark       Span    // marked bytes of markPara
	markPara   int     // -1 when nothing is marked

	scroll *container.Scroll
	body   *linesBody
}

// NewLines returns an empty text.
func NewLines() *Lines {
	l := &Lines{markPara: -1}
	l.body = &linesBody{lines: l}
	l.body.ExtendBaseWidget(l.body)
	l.scroll = container.NewVScroll(l.body)
	l.scroll.OnScrolled = func(fyne.Position) { l.body.Refresh() }
	l.ExtendBaseWidget(l)
	return l
}

// SetParagraphs replaces the text and shows its beginning.
func (l *Lines) SetParagraphs(ps []Paragraph) {
	l.paragraphs, l.markPara = ps, -1
	l.rewrap(0)
	l.scroll.ScrollToTop()
	l.changed()
}

// AppendParagraph adds a paragraph at the end and returns its index.
func (l *Lines) AppendParagraph(p Paragraph) int {
	follow := l.atBottom()
	l.paragraphs = append(l.paragraphs, p)
	l.rewrap(len(l.paragraphs) - 1)
	l.grew(follow)
	return len(l.paragraphs) - 1
}

// SetParagraphText replaces the text of one paragraph. While the end of the text is
// in view the view follows it.
func (l *Lines) SetParagraphText(paragraph int, text string) {
	follow := l.atBottom()
	l.paragraphs[paragraph].Text = text
	l.rewrap(paragraph)
	l.grew(follow)
}

// Paragraphs returns the text shown; the caller must not change it.
func (l *Lines) Paragraphs() []Paragraph { return l.paragraphs }

// NumLines returns the number of lines at the current width.
func (l *Lines) NumLines() int { return len(l.lines) }

// Mark highlights bytes of a paragraph and scrolls them into view.
func (l *Lines) Mark(paragraph int, bytes Span) {
	if paragraph < 0 || paragraph >= len(l.paragraphs) {
		return
	}
	l.markPara, l.mark = paragraph, bytes
	first := sort.Search(len(l.lines), func(i int) bool {
		ln := l.lines[i]
		return ln.paragraph > paragraph || (ln.paragraph == paragraph && ln.end >= bytes.Start)
	})
	y := float32(first)*l.lineHeight() - l.scroll.Size().Height/3
	l.scroll.Offset.Y = max(0, min(y, l.bodyHeight()-l.scroll.Size().Height))
	l.changed()
}

// marked reports whether a line holds marked bytes.
func (l *Lines) marked(ln textLine) bool {
	return ln.paragraph == l.markPara && ln.start < l.mark.End && ln.end > l.mark.Start
}

// rewrap makes the lines of the paragraphs from first on.
func (l *Lines) rewrap(first int) {
	width := l.textWidth()
	if width <= 0 {
		l.lines, l.wrapWidth = nil, 0
		return
	}
	size := l.Theme().Size(theme.SizeNameText)
	if size != l.size {
		for k, look := range paragraphLooks {
			l.metrics[k] = NewMetrics(look.size(l.Theme()), look.style())
		}
		l.size = size
	}
	if width != l.wrapWidth {
		first = 0
	}
	l.wrapWidth = width
	keep := sort.Search(len(l.lines), func(i int) bool { return l.lines[i].paragraph >= first })
	l.lines = l.lines[:keep]
	for i := first; i < len(l.paragraphs); i++ {
		p := l.paragraphs[i]
		for _, s := range Wrap(p.Text, width, l.metrics[p.Kind]) {
			l.lines = append(l.lines, textLine{i, s.Start, s.End})
		}
	}
}

// ensure wraps the text again when the width or the text size has changed.
func (l *Lines) ensure() {
	if l.textWidth() != l.wrapWidth || l.Theme().Size(theme.SizeNameText) != l.size {
		l.wrapWidth = 0
		l.rewrap(0)
	}
}

// textWidth is the width that lines may have.
func (l *Lines) textWidth() float32 {
	return min(l.Size().Width-2*linesPad-linesScrollBar, MaxTextWidth)
}

// MaxTextWidth is the widest that running text is set: about 55 Chinese or 110 Latin
// characters of body text.
const MaxTextWidth = 780

const (
	linesPad       = 12
	linesScrollBar = 8 // room that the scroll bar may cover
)

func (l *Lines) lineHeight() float32 {
	return lineHeight(l.Theme().Size(theme.SizeNameText), fyne.TextStyle{})
}

func (l *Lines) bodyHeight() float32 { return float32(len(l.lines))*l.lineHeight() + 2*linesPad }

func (l *Lines) atBottom() bool {
	return l.scroll.Offset.Y >= l.bodyHeight()-l.scroll.Size().Height-2*l.lineHeight()
}

func (l *Lines) grew(follow bool) {
	if follow {
		l.scroll.Offset.Y = max(0, l.bodyHeight()-l.scroll.Size().Height)
	}
	l.changed()
}

func (l *Lines) changed() {
	l.scroll.Refresh()
	l.body.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (l *Lines) CreateRenderer() fyne.WidgetRenderer {
	l.ExtendBaseWidget(l)
	return linesRenderer{l}
}

type linesRenderer struct{ lines *Lines }

func (r linesRenderer) Layout(size fyne.Size) {
	r.lines.ensure()
	r.lines.scroll.Resize(size)
	r.lines.changed()
}
func (r linesRenderer) MinSize() fyne.Size { return fyne.NewSize(80, 3*r.lines.lineHeight()) }
func (r linesRenderer) Refresh() {
	r.lines.ensure()
	r.lines.changed()
}
func (r linesRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.lines.scroll} }
func (r linesRenderer) Destroy()                     {}

// linesBody is the scrolled inside: as tall as all lines, drawing the visible ones.
type linesBody struct {
	widget.BaseWidget
	lines *Lines
}

// Tapped implements fyne.Tappable.
func (b *linesBody) Tapped(ev *fyne.PointEvent) {
	i := int((ev.Position.Y - linesPad) / b.lines.lineHeight())
	if b.lines.OnTapped != nil && i >= 0 && i < len(b.lines.lines) {
		b.lines.OnTapped(b.lines.lines[i].paragraph)
	}
}

// CreateRenderer implements fyne.Widget.
func (b *linesBody) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	return &linesBodyRenderer{lines: b.lines}
}

type linesBodyRenderer struct {
	lines   *Lines
	rows    []*canvas.Text
	marks   []*canvas.Rectangle
	objects []fyne.CanvasObject
}

func (r *linesBodyRenderer) Layout(fyne.Size) { r.draw() }

func (r *linesBodyRenderer) MinSize() fyne.Size { return fyne.NewSize(0, r.lines.bodyHeight()) }

func (r *linesBodyRenderer) Refresh() {
	r.draw()
	canvas.Refresh(r.lines.body)
}

// draw puts the visible lines into the pool of text objects.
func (r *linesBodyRenderer) draw() {
	l, th := r.lines, r.lines.Theme()
	h := l.lineHeight()
	first := max(0, int((l.scroll.Offset.Y-linesPad)/h))
	last := min(len(l.lines), first+int(l.scroll.Size().Height/h)+2)
	first = min(first, last)
	for len(r.rows) < last-first {
		r.rows = append(r.rows, canvas.NewText("", nil))
		r.marks = append(r.marks, canvas.NewRectangle(color.Transparent))
	}
	r.objects = r.objects[:0]
	tint := Tint(th.Color(theme.ColorNamePrimary, fyne.CurrentApp().Settings().ThemeVariant()))
	for i, ln := range l.lines[first:last] {
		p, row, y := l.paragraphs[ln.paragraph], r.rows[i], linesPad+float32(first+i)*h
		if l.marked(ln) {
			m := r.marks[i]
			m.FillColor = tint
			m.Move(fyne.NewPos(linesPad/2, y))
			m.Resize(fyne.NewSize(l.wrapWidth+linesPad, h))
			r.objects = append(r.objects, m)
		}
		paragraphLooks[p.Kind].apply(row, th)
		row.Text = printable(p.Text[ln.start:ln.end])
		row.Move(fyne.NewPos(linesPad, y))
		row.Resize(fyne.NewSize(l.wrapWidth, h))
		row.Refresh()
		r.objects = append(r.objects, row)
	}
}

func (r *linesBodyRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *linesBodyRenderer) Destroy()                     {}
