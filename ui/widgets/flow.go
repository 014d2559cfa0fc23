package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Flow is an object whose height depends on its width.
type Flow interface {
	fyne.CanvasObject
	// HeightFor returns the height that the object needs at that width. It must not
	// change what the object shows.
	HeightFor(width float32) float32
}

// heightFor asks o for its height at width; plain objects have one height only.
func heightFor(o fyne.CanvasObject, width float32) float32 {
	if f, ok := o.(Flow); ok {
		return f.HeightFor(width)
	}
	return o.MinSize().Height
}

// minWidth is the least width at which o is usable. A flow adapts to any.
func minWidth(o fyne.CanvasObject) float32 {
	if _, ok := o.(Flow); ok {
		return 0
	}
	return o.MinSize().Width
}

// Column stacks objects, each as wide as the column, on an optional card.
type Column struct {
	widget.BaseWidget
	Gap     float32 // between objects
	Pad     float32 // around them
	Card    bool    // draw a rounded surface behind the objects
	Bar     fyne.ThemeColorName
	Max     float32 // widest the objects may get, 0 for any: long lines are hard to read
	Objects []fyne.CanvasObject
	width   float32 // the width last laid out for
}

var _ Flow = (*Column)(nil)

// NewColumn returns a column of objects with gap between them.
func NewColumn(gap float32, objects ...fyne.CanvasObject) *Column {
	c := &Column{Gap: gap, Objects: objects}
	c.ExtendBaseWidget(c)
	return c
}

// NewCard returns a column on a rounded surface.
func NewCard(gap float32, objects ...fyne.CanvasObject) *Column {
	c := &Column{Gap: gap, Pad: cardPad, Card: true, Objects: objects}
	c.ExtendBaseWidget(c)
	return c
}

// NewQuote returns a column with a coloured bar at its left edge.
func NewQuote(bar fyne.ThemeColorName, objects ...fyne.CanvasObject) *Column {
	c := &Column{Gap: 2, Bar: bar, Objects: objects}
	c.ExtendBaseWidget(c)
	return c
}

const (
	cardPad    = 12
	cardRadius = 8
	barWidth   = 3
	barInset   = 11 // from the left edge to the text beside the bar
)

// Add appends objects; the caller refreshes the page that holds the column.
func (c *Column) Add(objects ...fyne.CanvasObject) { c.Objects = append(c.Objects, objects...) }

// inset is the room to the left of the objects.
func (c *Column) inset() float32 {
	if c.Bar != "" {
		return c.Pad + barInset
	}
	return c.Pad
}

// inner is the width of the objects in a column of that width.
func (c *Column) inner(width float32) float32 {
	inner := width - c.inset() - c.Pad
	if c.Max > 0 {
		return min(inner, c.Max)
	}
	return inner
}

// HeightFor implements Flow.
func (c *Column) HeightFor(width float32) float32 {
	inner := c.inner(width)
	h, shown := 2*c.Pad, 0
	for _, o := range c.Objects {
		if o.Visible() {
			h += heightFor(o, inner)
			shown++
		}
	}
	if shown > 1 {
		h += float32(shown-1) * c.Gap
	}
	return h
}

// SetWidth tells the column its width before it is laid out, so that MinSize is
// right at once.
func (c *Column) SetWidth(width float32) { c.width = width }

// Resize implements fyne.CanvasObject.
func (c *Column) Resize(size fyne.Size) {
	c.width = size.Width
	c.BaseWidget.Resize(size)
}

// CreateRenderer implements fyne.Widget.
func (c *Column) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	r := &columnRenderer{column: c, card: canvas.NewRectangle(color.Transparent), bar: canvas.NewRectangle(color.Transparent)}
	r.colors()
	return r
}

type columnRenderer struct {
	column    *Column
	card, bar *canvas.Rectangle
}

func (r *columnRenderer) Layout(size fyne.Size) {
	c := r.column
	r.card.Move(fyne.NewPos(0, 0))
	r.card.Resize(size)
	r.bar.Move(fyne.NewPos(c.Pad, c.Pad))
	r.bar.Resize(fyne.NewSize(barWidth, size.Height-2*c.Pad))
	x, y, inner := c.inset(), c.Pad, c.inner(size.Width)
	for _, o := range c.Objects {
		if !o.Visible() {
			continue
		}
		h := heightFor(o, inner)
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(inner, h))
		y += h + c.Gap
	}
}

func (r *columnRenderer) MinSize() fyne.Size {
	var w float32
	for _, o := range r.column.Objects {
		if o.Visible() {
			w = max(w, minWidth(o))
		}
	}
	w += r.column.inset() + r.column.Pad
	return fyne.NewSize(w, r.column.HeightFor(max(w, r.column.width)))
}

func (r *columnRenderer) colors() {
	th := r.column.Theme()
	v := fyne.CurrentApp().Settings().ThemeVariant()
	r.card.Hidden = !r.column.Card
	r.card.CornerRadius = cardRadius
	r.card.FillColor = th.Color(theme.ColorNameOverlayBackground, v)
	r.card.StrokeColor = th.Color(theme.ColorNameSeparator, v)
	r.card.StrokeWidth = 1
	r.bar.Hidden = r.column.Bar == ""
	r.bar.CornerRadius = barWidth / 2
	if r.column.Bar != "" {
		r.bar.FillColor = th.Color(r.column.Bar, v)
	}
}

func (r *columnRenderer) Refresh() {
	r.colors()
	r.Layout(r.column.Size())
	r.card.Refresh()
	r.bar.Refresh()
	for _, o := range r.column.Objects {
		o.Refresh()
	}
	canvas.Refresh(r.column)
}

func (r *columnRenderer) Objects() []fyne.CanvasObject {
	return append([]fyne.CanvasObject{r.card, r.bar}, r.column.Objects...)
}

func (r *columnRenderer) Destroy() {}
