package ui

import (
	"image/color"
	"os"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// ownTheme is Fyne's theme with our colours, quieter sizes and, where the system has
// one, a font that draws Chinese and Latin alike. Left to its own search, Fyne measures
// lines with its Latin font, and taller Chinese characters lose their feet.
type ownTheme struct {
	fyne.Theme
	regular, bold fyne.Resource // nil: Fyne's fonts, with its search for fallbacks
}

// systemFace reads the fonts once: they are the same for every window, and large.
var systemFace = sync.OnceValues(func() (regular, bold []byte) {
	if regular, bold = findFonts(fontFolders(), systemFonts()); regular == nil {
		regular, bold = searchFonts()
	}
	return regular, bold
})

// NewTheme returns the program's theme. It follows the system's light or dark
// setting. A font named in FYNE_FONT wins over the system's.
func NewTheme() fyne.Theme {
	t := &ownTheme{Theme: theme.DefaultTheme()}
	if os.Getenv("FYNE_FONT") != "" {
		return t
	}
	regular, bold := systemFace()
	if regular == nil {
		return t
	}
	t.regular = fyne.NewStaticResource("system-regular", regular)
	t.bold = t.regular
	if bold != nil {
		t.bold = fyne.NewStaticResource("system-bold", bold)
	}
	return t
}

// Font implements fyne.Theme.
func (t *ownTheme) Font(style fyne.TextStyle) fyne.Resource {
	switch {
	case t.regular == nil || style.Symbol || style.Monospace:
		return t.Theme.Font(style)
	case style.Bold:
		return t.bold
	}
	return t.regular
}

// shade is a colour in light and in dark.
type shade struct{ light, dark color.NRGBA }

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// palette: text on its surface has a contrast of at least 4.5 to 1 in both variants
// (WCAG 2.2, 1.4.3), which a test computes.
var palette = map[fyne.ThemeColorName]shade{
	theme.ColorNameBackground:          {rgb(0xf4f6f9), rgb(0x16181d)},
	theme.ColorNameOverlayBackground:   {rgb(0xffffff), rgb(0x20242b)},
	theme.ColorNameMenuBackground:      {rgb(0xffffff), rgb(0x262b33)},
	theme.ColorNameInputBackground:     {rgb(0xffffff), rgb(0x20242b)},
	theme.ColorNameInputBorder:         {rgb(0xc3cad4), rgb(0x454d59)},
	theme.ColorNameButton:              {rgb(0xe6eaf0), rgb(0x2d333d)},
	theme.ColorNameDisabledButton:      {rgb(0xe6eaf0), rgb(0x262b33)},
	theme.ColorNameDisabled:            {rgb(0x8a93a0), rgb(0x737c89)},
	theme.ColorNameForeground:          {rgb(0x1b2129), rgb(0xe6e9ee)},
	theme.ColorNamePlaceHolder:         {rgb(0x5d6673), rgb(0x9aa3b0)},
	theme.ColorNameSeparator:           {rgb(0xdde2e9), rgb(0x333a45)},
	theme.ColorNamePrimary:             {rgb(0x1d5fbf), rgb(0x7fb2f5)},
	theme.ColorNameHyperlink:           {rgb(0x1d5fbf), rgb(0x7fb2f5)},
	theme.ColorNameForegroundOnPrimary: {rgb(0xffffff), rgb(0x0e1a2b)},
	theme.ColorNameSuccess:             {rgb(0x1e6b42), rgb(0x6fcf97)},
	theme.ColorNameWarning:             {rgb(0x8a5300), rgb(0xf2b84b)},
	theme.ColorNameError:               {rgb(0xb3261e), rgb(0xf28b82)},
	theme.ColorNameForegroundOnError:   {rgb(0xffffff), rgb(0x2b0e0c)},
	theme.ColorNameScrollBarBackground: {color.NRGBA{}, color.NRGBA{}},
	theme.ColorNameScrollBar:           {color.NRGBA{A: 0x55}, color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x55}},
	theme.ColorNameShadow:              {color.NRGBA{A: 0x1c}, color.NRGBA{A: 0x66}},
}

// Color implements fyne.Theme.
func (t *ownTheme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	s, ok := palette[name]
	if !ok {
		return t.Theme.Color(name, variant)
	}
	if variant == theme.VariantLight {
		return s.light
	}
	return s.dark
}

// Size implements fyne.Theme.
func (t *ownTheme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNameSubHeadingText:
		return 17
	case theme.SizeNameCaptionText:
		return 12
	case theme.SizeNameInputRadius:
		return 6
	}
	return t.Theme.Size(name)
}
