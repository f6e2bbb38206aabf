package scene

import (
	"image"
	"math"

	"github.com/quasilyte/gmath"
)

// A Camera turns places of the island into pixels of a pane.
type Camera struct {
	At   gmath.Vec       // the place in the middle, units
	Zoom float64         // pixels per unit
	Pane image.Rectangle // pixels of the screen
}

// middle returns the pixel in the middle of the pane.
func (c *Camera) middle() gmath.Vec {
	return gmath.Vec{
		X: float64(c.Pane.Min.X+c.Pane.Max.X) / 2,
		Y: float64(c.Pane.Min.Y+c.Pane.Max.Y) / 2,
	}
}

// Pixel returns where a place is drawn.
func (c *Camera) Pixel(p gmath.Vec) gmath.Vec {
	return c.middle().Add(p.Sub(c.At).Mulf(c.Zoom))
}

// Place returns the place that a pixel shows.
func (c *Camera) Place(pixel gmath.Vec) gmath.Vec {
	return c.At.Add(pixel.Sub(c.middle()).Divf(c.Zoom))
}

// Shows reports whether any part of a circle, in units, is on the pane.
func (c *Camera) Shows(p gmath.Vec, radius float64) bool {
	d := p.Sub(c.At)
	return math.Abs(d.X) < float64(c.Pane.Dx())/2/c.Zoom+radius &&
		math.Abs(d.Y) < float64(c.Pane.Dy())/2/c.Zoom+radius
}

// follow moves the camera so that a place is in the middle, rounded to whole pixels so
// that the ground keeps its sharp grain.
func (c *Camera) follow(p gmath.Vec) {
	c.At = gmath.Vec{X: math.Round(p.X*c.Zoom) / c.Zoom, Y: math.Round(p.Y*c.Zoom) / c.Zoom}
}
