package main

import (
	"image/color"
	"math"

	"github.com/tendonengine/tendon/assets/palette"
)

func crate(c *canvas, s palette.Sprite) {
	c.outlined(box(0, 0, 27, 27, 4), dark(s.Core, 0.7), 2)
	c.fill(box(0, 0, 24, 24, 2), s.Core)
	for _, y := range []float64{-8.5, 8.5} {
		c.fill(box(0, y, 24, 1, 0), dark(s.Core, 0.75))
	}
	frame := without(box(0, 0, 26, 26, 3), box(0, 0, 19, 19, 1))
	c.fill(frame, light(s.Core, 0.18))
	c.fill(ring(box(0, 0, 19, 19, 1), 1.4), dark(s.Core, 0.6))
	for _, x := range []float64{-22.5, 22.5} {
		for _, y := range []float64{-22.5, 22.5} {
			c.fill(disc(x, y, 1.8), dark(s.Core, 0.45))
		}
	}
}

func tree(c *canvas, s palette.Sprite) {
	c.fill(blob(4, 6, 74, 4, 11, 0.4), color.NRGBA{A: 0x38})
	c.outlined(blob(0, 0, 70, 5, 11, 0), dark(s.Core, 0.82), 3)
	c.fill(blob(-4, -4, 57, 5, 9, 1), s.Core)
	leaf := light(s.Core, 0.16)
	for i := range 9 {
		a := float64(i) * 2.39996
		r := 20 + 4.2*float64(i)
		c.fill(both(ring(disc(r*math.Cos(a), r*math.Sin(a), 10), 3), box(r*math.Cos(a), r*math.Sin(a)-7, 12, 6, 0)), leaf)
	}
	c.fill(disc(0, 0, 8), s.Core)
}

func rock(c *canvas, s palette.Sprite) {
	edge := polygon([2]float64{-50, 6}, [2]float64{-34, -32}, [2]float64{8, -42}, [2]float64{44, -22},
		[2]float64{50, 12}, [2]float64{24, 40}, [2]float64{-26, 38})
	c.outlined(grow(edge, 1), dark(s.Core, 0.68), 2.5)
	top := polygon([2]float64{-40, 0}, [2]float64{-28, -27}, [2]float64{6, -35}, [2]float64{34, -18},
		[2]float64{36, 8}, [2]float64{14, 24}, [2]float64{-24, 22})
	c.fill(grow(top, 1), s.Core)
	c.fill(both(top, polygon([2]float64{-60, -60}, [2]float64{30, -60}, [2]float64{-60, 14})), light(s.Core, 0.3))
	c.fill(bar(12, 22, 22, 36, 1), dark(s.Core, 0.5))
	c.fill(bar(-30, 22, -36, 30, 1), dark(s.Core, 0.5))
	c.fill(disc(0, 0, 8), s.Core)
}

func bullet(c *canvas, s palette.Sprite) {
	c.fill(bar(-7, 0, 6, 0, 5), color.NRGBA{R: 0xff, G: 0x9d, B: 0x1c, A: 0xff})
	c.fill(box(0, 0, 7, 4, 3), s.Core)
}

func explosion(c *canvas, s palette.Sprite) {
	c.fill(star(13, 62, 100, 0.2), color.NRGBA{R: 0xd9, G: 0x3b, B: 0x1f, A: 0xd8})
	c.fill(star(11, 48, 84, 0.7), color.NRGBA{R: 0xff, G: 0x8a, B: 0x1f, A: 0xf0})
	c.fill(star(9, 34, 62, 0.1), color.NRGBA{R: 0xff, G: 0xd2, B: 0x4a, A: 0xff})
	c.fill(blob(0, 0, 24, 3, 7, 0), s.Core)
}

func coin(c *canvas, s palette.Sprite) {
	c.outlined(disc(0, 0, 13), dark(s.Core, 0.85), 2)
	c.fill(disc(0, 0, 10.5), s.Core)
	c.fill(both(ring(disc(0, 0, 8.4), 2), box(-4, -4, 6, 6, 0)), light(s.Core, 0.65))
}

func button(c *canvas, s palette.Sprite) {
	c.outlined(box(0, 0, 23, 23, 6), color.NRGBA{R: 0xb8, G: 0xbf, B: 0xc9, A: 0xff}, 2)
	c.outlined(disc(0, 0, 15), dark(s.Core, 0.8), 2)
	c.fill(disc(0, 0, 12), s.Core)
	c.fill(both(ring(disc(0, 0, 9.5), 2.4), box(-5, -5, 6, 6, 0)), light(s.Core, 0.5))
}

func plate(c *canvas, s palette.Sprite) {
	c.outlined(box(0, 0, 52, 52, 8), dark(s.Core, 0.75), 2.5)
	c.fill(box(0, 0, 44, 44, 5), s.Core)
	c.fill(ring(box(0, 0, 34, 34, 4), 3), light(s.Core, 0.3))
	for i := range 4 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 2)
		x, y := 22*cos, 22*sin
		c.fill(polygonAt(x, y, cos, sin), light(s.Core, 0.45))
	}
}

// polygonAt is a small arrowhead at x, y that points to the middle. cos and sin give
// the direction from the middle to it.
func polygonAt(x, y, cos, sin float64) shape {
	tip := polygon([2]float64{-7, 0}, [2]float64{5, -8}, [2]float64{5, 8})
	return func(px, py float64) float64 {
		px, py = px-x, py-y
		return tip(px*cos+py*sin, -px*sin+py*cos)
	}
}

func gate(c *canvas, s palette.Sprite) {
	c.outlined(box(0, 0, 77, 10, 4), s.Core, 2)
	for _, x := range []float64{-60, -30, 30, 60} {
		c.fill(box(x, 0, 1, 9, 0), dark(s.Core, 0.55))
	}
	c.fill(box(0, -7, 74, 1.4, 0), light(s.Core, 0.3))
}

func post(c *canvas, s palette.Sprite) {
	c.outlined(disc(0, 0, 11), dark(s.Core, 0.75), 2)
	c.fill(disc(0, 0, 9), s.Core)
	c.fill(ring(disc(0, 0, 7), 1.2), dark(s.Core, 0.8))
}

func sphere(c *canvas, s palette.Sprite) {
	c.outlined(disc(0, 0, 24), dark(s.Core, 0.78), 2.5)
	c.fill(disc(-1.5, -1.5, 20), s.Core)
	c.fill(oval(-9, -10, 6, 4), light(s.Core, 0.7))
}

// shadow is drawn under everything that stands on the ground.
func shadow(c *canvas, s palette.Sprite) {
	c.shade(disc(0, 0, 31), func(x, y float64) color.NRGBA {
		fade := math.Min(1, (31-math.Hypot(x, y))/10)
		return clear(s.Core, uint8(float64(s.Core.A)*math.Max(0, fade)))
	})
}
