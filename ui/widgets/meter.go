package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// meterHeight is the thickness of a meter.
const meterHeight = 6

// Meter is a slim progress bar without a text of its own.
type Meter struct {
	widget.BaseWidget
	value float64
}

// NewMeter returns an empty meter.
func NewMeter() *Meter {
	m := &Meter{}
	m.ExtendBaseWidget(m)
	return m
}

// SetValue sets the progress, 0 to 1.
func (m *Meter) SetValue(v float64) {
	m.value = min(max(v, 0), 1)
	m.Refresh()
}

// Value returns the progress.
func (m *Meter) Value() float64 { return m.value }

// CreateRenderer implements fyne.Widget.
func (m *Meter) CreateRenderer() fyne.WidgetRenderer {
	m.ExtendBaseWidget(m)
	r := &meterRenderer{meter: m, track: canvas.NewRectangle(color.Transparent), fill: canvas.NewRectangle(color.Transparent)}
	r.track.CornerRadius, r.fill.CornerRadius = meterHeight/2, meterHeight/2
	r.colors()
	return r
}

type meterRenderer struct {
	meter       *Meter
	track, fill *canvas.Rectangle
}

func (r *meterRenderer) colors() {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	r.fill.FillColor = r.meter.Theme().Color(theme.ColorNamePrimary, v)
	r.track.FillColor = r.meter.Theme().Color(theme.ColorNameButton, v)
}

func (r *meterRenderer) Layout(size fyne.Size) {
	y := (size.Height - meterHeight) / 2
	r.track.Move(fyne.NewPos(0, y))
	r.track.Resize(fyne.NewSize(size.Width, meterHeight))
	r.fill.Move(fyne.NewPos(0, y))
	r.fill.Resize(fyne.NewSize(size.Width*float32(r.meter.value), meterHeight))
}

func (r *meterRenderer) MinSize() fyne.Size { return fyne.NewSize(40, meterHeight+2) }

func (r *meterRenderer) Refresh() {
	r.colors()
	r.Layout(r.meter.Size())
	r.track.Refresh()
	r.fill.Refresh()
}

func (r *meterRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.track, r.fill} }
func (r *meterRenderer) Destroy()                     {}
