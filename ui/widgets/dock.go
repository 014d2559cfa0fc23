package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// NewDock gives main what top and bottom, either of which may be nil, leave over.
// Pad is the room around top and bottom.
func NewDock(top, main, bottom fyne.CanvasObject, pad float32) *fyne.Container {
	objects := []fyne.CanvasObject{main}
	for _, o := range []fyne.CanvasObject{top, bottom} {
		if o != nil {
			objects = append(objects, o)
		}
	}
	return container.New(&dockLayout{top, main, bottom, pad, 0}, objects...)
}

// Relayout lays a dock out again after its top or bottom has changed its height,
// without drawing anything else anew.
func Relayout(dock *fyne.Container) {
	if dock.Size().Height > 0 {
		dock.Layout.Layout(dock.Objects, dock.Size())
	}
}

type dockLayout struct {
	top, main, bottom fyne.CanvasObject
	pad, width        float32
}

// height of top or bottom with its padding, at the dock's width.
func (d *dockLayout) height(o fyne.CanvasObject, width float32) float32 {
	if o == nil || !o.Visible() {
		return 0
	}
	return heightFor(o, width-2*d.pad) + 2*d.pad
}

func (d *dockLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	d.width = size.Width
	top, bottom := d.height(d.top, size.Width), d.height(d.bottom, size.Width)
	d.put(d.top, d.pad, size.Width, top)
	d.put(d.bottom, size.Height-bottom+d.pad, size.Width, bottom)
	d.main.Move(fyne.NewPos(0, top))
	d.main.Resize(fyne.NewSize(size.Width, max(0, size.Height-top-bottom)))
}

func (d *dockLayout) put(o fyne.CanvasObject, y, width, height float32) {
	if height > 0 {
		o.Move(fyne.NewPos(d.pad, y))
		o.Resize(fyne.NewSize(width-2*d.pad, height-2*d.pad))
	}
}

func (d *dockLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	size := d.main.MinSize()
	for _, o := range []fyne.CanvasObject{d.top, d.bottom} {
		if o != nil && o.Visible() {
			size.Width = max(size.Width, minWidth(o)+2*d.pad)
		}
	}
	w := max(size.Width, d.width)
	size.Height += d.height(d.top, w) + d.height(d.bottom, w)
	return size
}

// NewPadded puts o on a page margin.
func NewPadded(o fyne.CanvasObject, pad float32) *fyne.Container {
	return container.New(padLayout(pad), o)
}

type padLayout float32

func (p padLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(float32(p), float32(p)))
		o.Resize(size.Subtract(fyne.NewSize(2*float32(p), 2*float32(p))))
	}
}

func (p padLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size.Add(fyne.NewSize(2*float32(p), 2*float32(p)))
}

// NewBox keeps o exactly width wide, as in a dialog, which asks only for a size.
func NewBox(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(boxLayout(width), o)
}

type boxLayout float32

func (b boxLayout) Layout(objects []fyne.CanvasObject, _ fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(0, 0))
		o.Resize(fyne.NewSize(float32(b), heightFor(o, float32(b))))
	}
}

func (b boxLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var h float32
	for _, o := range objects {
		h = max(h, heightFor(o, float32(b)))
	}
	return fyne.NewSize(float32(b), h)
}
