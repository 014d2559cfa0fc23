package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Chip is a short label on a tinted, rounded surface: a state, an owner, a date.
type Chip struct {
	widget.BaseWidget
	text  string
	color fyne.ThemeColorName
}

// NewChip returns a chip in that colour.
func NewChip(text string, color fyne.ThemeColorName) *Chip {
	c := &Chip{text: text, color: color}
	c.ExtendBaseWidget(c)
	return c
}

// Text returns the text shown.
func (c *Chip) Text() string { return c.text }

const (
	chipPadX   = 8
	chipPadY   = 2
	chipRadius = 9
	tintAlpha  = 34 // of 255, strong enough to see on white and on black
)

// CreateRenderer implements fyne.Widget.
func (c *Chip) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	r := &chipRenderer{chip: c, back: canvas.NewRectangle(color.Transparent), label: canvas.NewText(printable(c.text), nil)}
	r.Refresh()
	return r
}

type chipRenderer struct {
	chip  *Chip
	back  *canvas.Rectangle
	label *canvas.Text
}

func (r *chipRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.label.Text = shorten(printable(r.chip.text), size.Width-2*chipPadX, NewMetrics(r.label.TextSize, r.label.TextStyle))
	r.label.Move(fyne.NewPos(chipPadX, chipPadY))
	r.label.Resize(size.Subtract(fyne.NewSize(2*chipPadX, 2*chipPadY)))
}

func (r *chipRenderer) MinSize() fyne.Size {
	text := fyne.MeasureText(printable(r.chip.text), r.label.TextSize, r.label.TextStyle)
	return text.Add(fyne.NewSize(2*chipPadX, 2*chipPadY))
}

func (r *chipRenderer) Refresh() {
	look := Look{Size: theme.SizeNameCaptionText, Color: r.chip.color}
	look.apply(r.label, r.chip.Theme())
	r.back.CornerRadius = chipRadius
	r.back.FillColor = Tint(r.label.Color)
	r.label.Refresh()
	r.back.Refresh()
}

func (r *chipRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.back, r.label} }
func (r *chipRenderer) Destroy()                     {}

// shorten returns text, cut to end in "…" when it is wider than width. A name or a
// date fits; whole sentences do not belong on a chip.
func shorten(text string, width float32, m *Metrics) string {
	if fyne.MeasureText(text, m.size, m.style).Width <= width+1 {
		return text
	}
	w := m.Rune('…')
	for i, r := range text {
		if w += m.Rune(r); w > width {
			return text[:i] + "…"
		}
	}
	return text
}

// Tint returns c as a faint wash.
func Tint(c color.Color) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = tintAlpha
	return n
}
