package main

import (
	"image/color"
	"math"

	"github.com/tendonengine/tendon/assets/palette"
)

// The ground tiles repeat without a seam: everything on them wraps at their edges.

// grass has tufts: short strokes, darker and lighter.
func grass(c *canvas, s palette.Sprite) {
	p := palette.Ground["grass"]
	flat(c, p[0])
	for i := range 22 {
		x, y := scatter(i, s.W)
		col := p[1+i%2]
		for k := range 4 {
			set(c, x, y+k, col)
		}
		set(c, x+2, y+1, col)
		set(c, x+2, y+2, col)
		set(c, x-2, y+2, col)
		set(c, x-2, y+3, col)
	}
}

// sand has grains and a few ripples.
func sand(c *canvas, s palette.Sprite) {
	p := palette.Ground["sand"]
	flat(c, p[0])
	for i := range 60 {
		x, y := scatter(i, s.W)
		set(c, x, y, p[1+i%2])
		if i%5 == 0 {
			for k := range 6 {
				set(c, x+k, y+int(math.Round(math.Sin(float64(k)))), p[1])
			}
		}
	}
}

// water has waves, two pixels high.
func water(c *canvas, s palette.Sprite) {
	p := palette.Ground["water"]
	flat(c, p[0])
	for i := range 11 {
		x, y := scatter(i*3, s.W)
		for k := range 12 {
			lift := int(math.Round(2 * math.Sin(float64(k)/12*math.Pi)))
			set(c, x+k, y-lift, p[2])
			set(c, x+k, y-lift+1, p[1])
		}
	}
}

func flat(c *canvas, col color.NRGBA) {
	c.fill(func(_, _ float64) float64 { return -1 }, col)
}

// scatter returns the i-th point of an even spread without visible rows: the additive
// recurrence of the plastic number.
func scatter(i, side int) (x, y int) {
	const a, b = 0.7548776662466927, 0.5698402909980532
	_, fx := math.Modf(0.5 + a*float64(i))
	_, fy := math.Modf(0.5 + b*float64(i))
	return int(fx * float64(side)), int(fy * float64(side))
}

// set colours a pixel, wrapping at the edges.
func set(c *canvas, x, y int, col color.NRGBA) {
	b := c.img.Bounds()
	c.img.SetNRGBA((x+b.Dx())%b.Dx(), (y+b.Dy())%b.Dy(), col)
}
