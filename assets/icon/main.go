// Icon draws the program's icon, a window seat: a rounded pane, hills and a low
// sun behind it, and the line of a table edge. It is run by hand when the icon
// changes:
//
//	go run ./assets/icon Icon.png
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
)

const (
	size    = 512 // pixels, as Fyne's packager wants it
	samples = 4   // per pixel and axis, averaged for smooth edges
)

// The colours, from the frame inwards.
var (
	clear   = color.NRGBA{}
	frame   = color.NRGBA{0x1f, 0x2d, 0x3d, 0xff}
	gasket  = color.NRGBA{0xe9, 0xe4, 0xda, 0xff}
	skyTop  = color.NRGBA{0x6f, 0xb3, 0xd9, 0xff}
	skyLow  = color.NRGBA{0xfd, 0xe2, 0xb3, 0xff}
	sun     = color.NRGBA{0xf7, 0xb2, 0x3b, 0xff}
	hillFar = color.NRGBA{0x5d, 0x8a, 0x82, 0xff}
	hill    = color.NRGBA{0x2f, 0x62, 0x5b, 0xff}
	ledge   = color.NRGBA{0xc9, 0x8b, 0x4e, 0xff}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: icon FILE.png")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "icon:", err)
		os.Exit(1)
	}
}

func write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, draw()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// draw averages samples*samples points of each pixel.
func draw() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			var r, g, b, a float64
			for i := range samples * samples {
				c := at((float64(x)+(float64(i%samples)+0.5)/samples)/size, (float64(y)+(float64(i/samples)+0.5)/samples)/size)
				w := float64(c.A)
				r, g, b, a = r+float64(c.R)*w, g+float64(c.G)*w, b+float64(c.B)*w, a+w
			}
			if a > 0 {
				img.SetNRGBA(x, y, color.NRGBA{uint8(r/a + 0.5), uint8(g/a + 0.5), uint8(b/a + 0.5), uint8(a/(samples*samples) + 0.5)})
			}
		}
	}
	return img
}

// at is the colour at a point of the unit square, y down.
func at(x, y float64) color.NRGBA {
	switch {
	case !inside(x, y, 0.02, 0.18):
		return clear
	case !inside(x, y, 0.15, 0.20):
		return frame
	case !inside(x, y, 0.18, 0.18):
		return gasket
	case y > 0.745:
		return ledge
	case y > 0.60+0.045*math.Sin(7*x+0.4)+0.02*math.Sin(17*x):
		return hill
	case y > 0.52+0.06*math.Sin(5*x+2.6):
		return hillFar
	case math.Hypot(x-0.63, y-0.44) < 0.095:
		return sun
	}
	return mix(skyTop, skyLow, (y-0.2)/0.35)
}

// inside reports whether a point lies in the square with this margin and corner radius.
func inside(x, y, margin, radius float64) bool {
	half := 0.5 - margin - radius
	dx, dy := max(math.Abs(x-0.5)-half, 0), max(math.Abs(y-0.5)-half, 0)
	return math.Hypot(dx, dy) <= radius
}

func mix(a, b color.NRGBA, t float64) color.NRGBA {
	t = min(max(t, 0), 1)
	m := func(p, q uint8) uint8 { return uint8(float64(p) + t*(float64(q)-float64(p)) + 0.5) }
	return color.NRGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), m(a.A, b.A)}
}
