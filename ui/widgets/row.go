package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// NewRow puts lead and trail, either of which may be nil, beside body, which gets
// the rest of the width. Lead and trail stand at the top, body in the middle.
func NewRow(lead, body, trail fyne.CanvasObject) *Laid {
	objects := []fyne.CanvasObject{body}
	for _, o := range []fyne.CanvasObject{lead, trail} {
		if o != nil {
			objects = append(objects, o)
		}
	}
	return newLaid(&rowLayout{lead: lead, body: body, trail: trail}, objects...)
}

// NewChips puts objects side by side and goes on in the next line where they do not
// fit.
func NewChips(objects ...fyne.CanvasObject) *Laid {
	return newLaid(&chipLayout{gap: 6}, objects...)
}

// Laid holds objects under a layout that knows its height for a width.
type Laid struct {
	widget.BaseWidget
	objects []fyne.CanvasObject
	flow    flowLayout
}

var _ Flow = (*Laid)(nil)

type flowLayout interface {
	fyne.Layout
	heightFor(objects []fyne.CanvasObject, width float32) float32
}

func newLaid(l flowLayout, objects ...fyne.CanvasObject) *Laid {
	laid := &Laid{objects: objects, flow: l}
	laid.ExtendBaseWidget(laid)
	return laid
}

// Objects returns what is laid out.
func (l *Laid) Objects() []fyne.CanvasObject { return l.objects }

// HeightFor implements Flow.
func (l *Laid) HeightFor(width float32) float32 { return l.flow.heightFor(l.objects, width) }

// CreateRenderer implements fyne.Widget.
func (l *Laid) CreateRenderer() fyne.WidgetRenderer { return laidRenderer{l} }

type laidRenderer struct{ laid *Laid }

func (r laidRenderer) Layout(size fyne.Size)        { r.laid.flow.Layout(r.laid.objects, size) }
func (r laidRenderer) MinSize() fyne.Size           { return r.laid.flow.MinSize(r.laid.objects) }
func (r laidRenderer) Objects() []fyne.CanvasObject { return r.laid.objects }
func (r laidRenderer) Destroy()                     {}

func (r laidRenderer) Refresh() {
	r.Layout(r.laid.Size())
	for _, o := range r.laid.objects {
		o.Refresh()
	}
}

const rowGap = 8

type rowLayout struct {
	lead, body, trail fyne.CanvasObject
	width             float32
}

// sides returns the widths taken by lead and trail with their gaps.
func (r *rowLayout) sides() (left, right float32) {
	if r.lead != nil && r.lead.Visible() {
		left = r.lead.MinSize().Width + rowGap
	}
	if r.trail != nil && r.trail.Visible() {
		right = r.trail.MinSize().Width + rowGap
	}
	return left, right
}

func (r *rowLayout) heightFor(_ []fyne.CanvasObject, width float32) float32 {
	left, right := r.sides()
	h := heightFor(r.body, width-left-right)
	for _, o := range []fyne.CanvasObject{r.lead, r.trail} {
		if o != nil && o.Visible() {
			h = max(h, o.MinSize().Height)
		}
	}
	return h
}

func (r *rowLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	r.width = size.Width
	left, right := r.sides()
	if left > 0 {
		m := r.lead.MinSize()
		r.lead.Resize(m)
		r.lead.Move(fyne.NewPos(0, 0))
	}
	if right > 0 {
		m := r.trail.MinSize()
		r.trail.Resize(m)
		r.trail.Move(fyne.NewPos(size.Width-m.Width, 0))
	}
	w := size.Width - left - right
	h := heightFor(r.body, w)
	r.body.Resize(fyne.NewSize(w, h))
	r.body.Move(fyne.NewPos(left, max(0, (r.heightFor(objects, size.Width)-h)/2)))
}

func (r *rowLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	left, right := r.sides()
	w := left + right + minWidth(r.body)
	return fyne.NewSize(w, r.heightFor(objects, max(w, r.width)))
}

type chipLayout struct{ gap, width float32 }

// place calls put with each visible object's position and returns the height.
func (c *chipLayout) place(objects []fyne.CanvasObject, width float32, put func(o fyne.CanvasObject, x, y float32)) float32 {
	var x, y, lineH float32
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, lineH = 0, y+lineH+c.gap, 0
		}
		put(o, x, y)
		x += m.Width + c.gap
		lineH = max(lineH, m.Height)
	}
	return y + lineH
}

func (c *chipLayout) heightFor(objects []fyne.CanvasObject, width float32) float32 {
	return c.place(objects, width, func(fyne.CanvasObject, float32, float32) {})
}

func (c *chipLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	c.width = size.Width
	c.place(objects, size.Width, func(o fyne.CanvasObject, x, y float32) {
		m := o.MinSize()
		o.Resize(fyne.NewSize(min(m.Width, size.Width), m.Height))
		o.Move(fyne.NewPos(x, y))
	})
}

func (c *chipLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var w float32
	for _, o := range objects {
		w = max(w, o.MinSize().Width)
	}
	return fyne.NewSize(w, c.heightFor(objects, max(w, c.width)))
}
