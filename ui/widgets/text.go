package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// leading is added to the height of a line of text.
const leading = 3

// Look is how a text is drawn. The zero value is plain body text.
type Look struct {
	Size  fyne.ThemeSizeName  // "" is body text
	Color fyne.ThemeColorName // "" is the foreground
	Bold  bool
}

// Common looks.
var (
	Body    = Look{}
	Strong  = Look{Bold: true}
	Heading = Look{Size: theme.SizeNameSubHeadingText, Bold: true}
	Caption = Look{Size: theme.SizeNameCaptionText, Color: theme.ColorNamePlaceHolder}
)

func (l Look) style() fyne.TextStyle { return fyne.TextStyle{Bold: l.Bold} }

func (l Look) size(th fyne.Theme) float32 {
	if l.Size == "" {
		return th.Size(theme.SizeNameText)
	}
	return th.Size(l.Size)
}

func (l Look) apply(t *canvas.Text, th fyne.Theme) {
	name := l.Color
	if name == "" {
		name = theme.ColorNameForeground
	}
	t.Color = th.Color(name, fyne.CurrentApp().Settings().ThemeVariant())
	t.TextSize = l.size(th)
	t.TextStyle = l.style()
}

// lineHeight is the height of one line in that size and style.
func lineHeight(size float32, style fyne.TextStyle) float32 {
	return fyne.MeasureText("A", size, style).Height + leading
}

// Text shows a short text (a sentence, a quote, an email) in as many lines as its
// width needs. It makes one object per line: for whole documents use [Lines].
type Text struct {
	widget.BaseWidget
	text  string
	look  Look
	spans []Span
	width float32 // the width of spans
	size  float32 // the text size of spans
}

var _ Flow = (*Text)(nil)

// NewText returns a text with that look.
func NewText(text string, look Look) *Text {
	t := &Text{text: text, look: look}
	t.ExtendBaseWidget(t)
	return t
}

// Text returns the text shown.
func (t *Text) Text() string { return t.text }

// SetText replaces the text; the page that holds it has to be refreshed.
func (t *Text) SetText(text string) {
	if text == t.text {
		return
	}
	t.text, t.spans = text, nil
	t.Refresh()
}

// SetLook changes the look.
func (t *Text) SetLook(look Look) {
	t.look, t.spans = look, nil
	t.Refresh()
}

// wrap returns the lines for a width, from memory when nothing changed.
func (t *Text) wrap(width float32) []Span {
	size := t.look.size(t.Theme())
	if t.spans == nil || t.width != width || t.size != size {
		t.spans = Wrap(t.text, width, NewMetrics(size, t.look.style()))
		t.width, t.size = width, size
	}
	return t.spans
}

// HeightFor implements Flow.
func (t *Text) HeightFor(width float32) float32 {
	return float32(len(t.wrap(width))) * lineHeight(t.look.size(t.Theme()), t.look.style())
}

// CreateRenderer implements fyne.Widget.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	return &textRenderer{text: t}
}

type textRenderer struct {
	text    *Text
	lines   []*canvas.Text
	objects []fyne.CanvasObject
}

func (r *textRenderer) Layout(size fyne.Size) {
	t, th := r.text, r.text.Theme()
	spans := t.wrap(size.Width)
	h := lineHeight(t.look.size(th), t.look.style())
	for len(r.lines) < len(spans) {
		line := canvas.NewText("", nil)
		r.lines = append(r.lines, line)
		r.objects = append(r.objects, line)
	}
	r.lines, r.objects = r.lines[:len(spans)], r.objects[:len(spans)]
	for i, s := range spans {
		line := r.lines[i]
		t.look.apply(line, th)
		line.Text = printable(t.text[s.Start:s.End])
		line.Move(fyne.NewPos(0, float32(i)*h+leading/2))
		line.Resize(fyne.NewSize(size.Width, h-leading))
	}
}

// MinSize is the height at the current width: in plain Fyne containers a text grows
// one layout later.
func (r *textRenderer) MinSize() fyne.Size {
	w := r.text.Size().Width
	if w <= 0 {
		w = r.text.look.size(r.text.Theme()) * 12
	}
	return fyne.NewSize(r.text.look.size(r.text.Theme()), r.text.HeightFor(w))
}

func (r *textRenderer) Refresh() {
	r.Layout(r.text.Size())
	canvas.Refresh(r.text)
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *textRenderer) Destroy()                     {}
