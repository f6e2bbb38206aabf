package main

import (
	"image/color"

	"github.com/tendonengine/tendon/assets/palette"
)

var (
	ink   = color.NRGBA{R: 0x22, G: 0x26, B: 0x2e, A: 0xff}
	steel = color.NRGBA{R: 0x55, G: 0x5d, B: 0x6b, A: 0xff}
	skin  = color.NRGBA{R: 0xf1, G: 0xc2, B: 0x98, A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// player looks to the right: shoulders, two hands on a blaster, a cap.
func player(c *canvas, s palette.Sprite) {
	c.outlined(bar(8, 7, 27, 7, 2.6), steel, 2)
	c.outlined(oval(-3, 0, 13, 21), dark(s.Core, 0.72), 2.5)
	c.outlined(disc(11, -11, 4.5), skin, 2)
	c.outlined(disc(13, 8, 4.5), skin, 2)
	c.fill(both(disc(2, 0, 14.5), box(14, 0, 7, 12, 4)), ink) // the peak of the cap, in front
	c.outlined(disc(0, 0, 11.5), s.Core, 2.5)
	c.fill(ring(disc(0, 0, 10.2), 1.4), light(s.Core, 0.35))
}

// car looks to the right.
func car(c *canvas, s palette.Sprite) {
	for _, x := range []float64{-42, 38} {
		for _, y := range []float64{-33, 33} {
			c.fill(box(x, y, 12, 6, 3), ink)
		}
	}
	body := dark(s.Core, 0.86)
	c.outlined(box(0, 0, 68, 32, 14), body, 3)
	c.fill(both(box(0, 0, 68, 32, 14), box(0, 0, 80, 4, 0)), light(body, 0.5))
	c.fill(box(-5, 0, 40, 27, 10), ink) // glass all round
	c.fill(box(22, 0, 9, 22, 6), color.NRGBA{R: 0x9f, G: 0xd8, B: 0xee, A: 0xff})
	c.fill(box(-36, 0, 6, 20, 4), color.NRGBA{R: 0x6f, G: 0xa8, B: 0xbe, A: 0xff})
	c.outlined(box(-6, 0, 20, 23, 6), s.Core, 1.5)
	lamp := color.NRGBA{R: 0xff, G: 0xf0, B: 0x9e, A: 0xff}
	c.fill(box(63, -21, 4, 7, 3), lamp)
	c.fill(box(63, 21, 4, 7, 3), lamp)
	brake := color.NRGBA{R: 0xc8, G: 0x22, B: 0x22, A: 0xff}
	c.fill(box(-64, -21, 3, 7, 2), brake)
	c.fill(box(-64, 21, 3, 7, 2), brake)
}

func sheep(c *canvas, s palette.Sprite) {
	face := color.NRGBA{R: 0x3b, G: 0x35, B: 0x3a, A: 0xff}
	for _, y := range []float64{-10, 10} {
		c.fill(box(-12, y*1.9, 5, 4, 2), face)
		c.fill(box(10, y*1.9, 5, 4, 2), face)
	}
	wool := union(blob(-3, 0, 19, 2.2, 9, 0), disc(-16, -6, 8), disc(-16, 6, 8), disc(8, -8, 9), disc(8, 8, 9))
	c.outlined(wool, s.Core, 2)
	for _, p := range [][2]float64{{-14, -9}, {-15, 8}, {2, -14}, {3, 14}, {-4, 12}, {-5, -12}} {
		c.fill(both(ring(disc(p[0], p[1], 4), 1.6), box(p[0], p[1]+3, 5, 3, 0)), dark(s.Core, 0.82))
	}
	c.fill(oval(14, -9, 3.5, 6), face)
	c.fill(oval(14, 9, 3.5, 6), face)
	c.outlined(oval(19, 0, 10, 7.5), face, 1)
	c.fill(disc(22, -4, 1.9), white)
	c.fill(disc(22, 4, 1.9), white)
	c.fill(disc(22.6, -4, 1), ink)
	c.fill(disc(22.6, 4, 1), ink)
}

func chicken(c *canvas, s palette.Sprite) {
	beak := color.NRGBA{R: 0xff, G: 0xb4, B: 0x2e, A: 0xff}
	comb := color.NRGBA{R: 0xd8, G: 0x26, B: 0x2c, A: 0xff}
	c.outlined(polygon([2]float64{-20, -8}, [2]float64{-8, -7}, [2]float64{-8, 7}, [2]float64{-20, 8}), dark(s.Core, 0.7), 1)
	c.outlined(oval(-2, 0, 12, 11), s.Core, 2)
	c.fill(oval(-4, -9, 7, 3), dark(s.Core, 0.75))
	c.fill(oval(-4, 9, 7, 3), dark(s.Core, 0.75))
	c.fill(polygon([2]float64{14, -3}, [2]float64{21, 0}, [2]float64{14, 3}), beak)
	c.outlined(disc(11, 0, 6), light(s.Core, 0.4), 1.5)
	c.fill(oval(9, 0, 5, 1.8), comb)
	c.fill(disc(13, -3.4, 1.3), ink)
	c.fill(disc(13, 3.4, 1.3), ink)
}
