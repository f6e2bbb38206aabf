package main

import (
	"image"
	"image/color"
	"math"
)

// A canvas is a picture that is painted with shapes. Edges are smoothed over one pixel
// by arithmetic alone, so the program gives the same picture on every machine.
type canvas struct {
	img *image.NRGBA
	// cx and cy are the middle: shapes are placed relative to it, x to the
	// right (where the sprite faces), y down.
	cx, cy float64
}

// A shape is a signed distance field: the distance in pixels from a point to the
// shape's edge, negative inside.
type shape func(x, y float64) float64

func newCanvas(w, h int) *canvas {
	return &canvas{image.NewNRGBA(image.Rect(0, 0, w, h)), float64(w) / 2, float64(h) / 2}
}

// fill paints a shape in one colour.
func (c *canvas) fill(s shape, col color.NRGBA) {
	c.shade(s, func(_, _ float64) color.NRGBA { return col })
}

// outlined paints a shape with a darker rim of the given width around it.
func (c *canvas) outlined(s shape, col color.NRGBA, width float64) {
	c.fill(grow(s, width), dark(col, 0.45))
	c.fill(s, col)
}

// shade paints a shape in a colour that depends on the place.
func (c *canvas) shade(s shape, at func(x, y float64) color.NRGBA) {
	b := c.img.Bounds()
	for py := b.Min.Y; py < b.Max.Y; py++ {
		for px := b.Min.X; px < b.Max.X; px++ {
			x, y := float64(px)+0.5-c.cx, float64(py)+0.5-c.cy
			if cover := 0.5 - s(x, y); cover > 0 {
				c.over(px, py, at(x, y), math.Min(cover, 1))
			}
		}
	}
}

// over lays a colour over a pixel (source-over, straight alpha).
func (c *canvas) over(px, py int, col color.NRGBA, cover float64) {
	old := c.img.NRGBAAt(px, py)
	a := float64(col.A) / 255 * cover
	below := float64(old.A) / 255 * (1 - a)
	out := a + below
	if out == 0 {
		return
	}
	mix := func(top, bottom uint8) uint8 {
		return uint8(math.Round((float64(top)*a + float64(bottom)*below) / out))
	}
	c.img.SetNRGBA(px, py, color.NRGBA{
		R: mix(col.R, old.R), G: mix(col.G, old.G), B: mix(col.B, old.B),
		A: uint8(math.Round(out * 255)),
	})
}

// dark scales a colour towards black; 1 leaves it as it is.
func dark(c color.NRGBA, by float64) color.NRGBA {
	f := func(v uint8) uint8 { return uint8(math.Round(float64(v) * by)) }
	return color.NRGBA{R: f(c.R), G: f(c.G), B: f(c.B), A: c.A}
}

// light moves a colour towards white; 0 leaves it as it is.
func light(c color.NRGBA, by float64) color.NRGBA {
	f := func(v uint8) uint8 { return uint8(math.Round(float64(v) + (255-float64(v))*by)) }
	return color.NRGBA{R: f(c.R), G: f(c.G), B: f(c.B), A: c.A}
}

// clear returns a colour with another alpha.
func clear(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}
