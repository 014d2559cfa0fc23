package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Page scrolls a column up and down and keeps it as wide as the page.
type Page struct {
	widget.BaseWidget
	body   *Column
	scroll *container.Scroll
}

// NewPage returns a page over body.
func NewPage(body *Column) *Page {
	p := &Page{body: body, scroll: container.NewVScroll(body)}
	p.ExtendBaseWidget(p)
	return p
}

// Body returns the column on the page.
func (p *Page) Body() *Column { return p.body }

// SetObjects replaces what is on the page and keeps the scroll position.
func (p *Page) SetObjects(objects ...fyne.CanvasObject) {
	p.body.Objects = objects
	p.Refresh()
}

// ScrollToTop shows the beginning.
func (p *Page) ScrollToTop() { p.scroll.ScrollToTop() }

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	p.ExtendBaseWidget(p)
	return pageRenderer{p}
}

type pageRenderer struct{ page *Page }

func (r pageRenderer) Layout(size fyne.Size) {
	r.page.body.SetWidth(size.Width)
	r.page.scroll.Resize(size)
}

func (r pageRenderer) MinSize() fyne.Size { return r.page.scroll.MinSize() }

func (r pageRenderer) Refresh() {
	r.page.body.SetWidth(r.page.Size().Width)
	r.page.body.Refresh()
	r.page.scroll.Refresh()
}

func (r pageRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.page.scroll} }
func (r pageRenderer) Destroy()                     {}
