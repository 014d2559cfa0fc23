package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
)

// Link is a small text that can be tapped and wraps like any [Text].
type Link struct {
	Text
	OnTapped func()
}

var _ desktop.Cursorable = (*Link)(nil)

// NewLink returns a link that calls tapped.
func NewLink(text string, tapped func()) *Link {
	l := &Link{OnTapped: tapped}
	l.text, l.look = text, Look{Size: theme.SizeNameCaptionText, Color: theme.ColorNameHyperlink}
	l.ExtendBaseWidget(l)
	return l
}

// Tapped implements fyne.Tappable.
func (l *Link) Tapped(*fyne.PointEvent) {
	if l.OnTapped != nil {
		l.OnTapped()
	}
}

// Cursor implements desktop.Cursorable.
func (l *Link) Cursor() desktop.Cursor { return desktop.PointerCursor }
