package scene

import (
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/demo/island"
)

// drawCircles draws the radii at which nodes stream in and out around this player.
func (s *Scene) drawCircles(screen *ebiten.Image) {
	p := s.camera.Pixel(s.camera.At)
	for _, c := range []struct {
		radius float64
		colour color.NRGBA
	}{
		{island.Enter, color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xd0}},
		{island.Exit, color.NRGBA{R: 0xff, G: 0x60, B: 0x50, A: 0xd0}},
	} {
		r := c.radius * s.camera.Zoom
		vector.StrokeCircle(screen, float32(p.X), float32(p.Y), float32(r), 2, c.colour, true)
		s.noteRound(s.camera.At, c.radius+2/s.camera.Zoom)
	}
}

// The map shows the island and every node that this machine has: on a client, only what
// is near.
const (
	mapSize = 110 // pixels of a side
	mapUnit = island.Size / mapSize
)

var dots = map[island.Kind]color.RGBA{
	island.Player:  {R: 0xff, A: 0xff},
	island.Vehicle: {R: 0x20, G: 0x20, B: 0xff, A: 0xff},
	island.Sheep:   {R: 0xff, G: 0xff, B: 0xff, A: 0xff},
	island.Chicken: {R: 0xff, G: 0x90, A: 0xff},
	island.Box:     {R: 0x60, G: 0x38, B: 0x10, A: 0xff},
}

func (s *Scene) drawMap(screen *ebiten.Image, list []figure) {
	if s.chart == nil {
		s.chart, s.land = ebiten.NewImage(mapSize, mapSize), mapLand()
	}
	img := image.NewRGBA(s.land.Bounds())
	copy(img.Pix, s.land.Pix)
	for _, f := range list {
		if c, ok := dots[f.kind]; ok {
			img.SetRGBA(int(f.pos.X/mapUnit), int(f.pos.Y/mapUnit), c)
		}
	}
	s.chart.WritePixels(img.Pix)
	b := screen.Bounds()
	x, y := float64(b.Max.X-margin-mapSize), float64(b.Max.Y-margin-mapSize)
	if s.options.Figures {
		y -= 3 * row
	}
	var op ebiten.DrawImageOptions
	op.GeoM.Translate(x, y)
	screen.DrawImage(s.chart, &op)
	s.noteBox(x, y, mapSize, mapSize)
}

// mapLand draws the map without any nodes.
func mapLand() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, mapSize, mapSize))
	for y := range mapSize {
		for x := range mapSize {
			img.SetRGBA(x, y, mapColour(x, y))
		}
	}
	return img
}

func mapColour(x, y int) color.RGBA {
	switch island.GroundAt(gmath.Vec{X: (float64(x) + 0.5) * mapUnit, Y: (float64(y) + 0.5) * mapUnit}) {
	case island.Water:
		return color.RGBA{R: 0x18, G: 0x50, B: 0x70, A: 0xe0}
	case island.Sand:
		return color.RGBA{R: 0xa8, G: 0x98, B: 0x68, A: 0xe0}
	}
	return color.RGBA{R: 0x48, G: 0x78, B: 0x38, A: 0xe0}
}
