package scene

import (
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

// drawMates draws the map screen: the island, and the players of this machine's team wherever
// they are, by their markers.
func (s *Scene) drawMates(r *tendon.Replication, screen *ebiten.Image) {
	if s.mates == nil {
		s.mates = ebiten.NewImage(mapSize, mapSize)
		s.mates.WritePixels(mapLand().Pix)
	}
	b := screen.Bounds()
	side := 0.7 * float64(min(b.Dx(), b.Dy()))
	x, y := float64(b.Min.X+b.Max.X)/2-side/2, float64(b.Min.Y+b.Max.Y)/2-side/2
	var op ebiten.DrawImageOptions
	op.GeoM.Scale(side/mapSize, side/mapSize)
	op.GeoM.Translate(x, y)
	screen.DrawImage(s.mates, &op)
	s.noteBox(x, y, side, side)
	n := 0
	for m := range s.game.Mates() {
		px, py := float32(x+m.Pos.X/island.Size*side), float32(y+m.Pos.Y/island.Size*side)
		vector.FillCircle(screen, px, py, 5, color.NRGBA{A: 0xff}, true)
		vector.FillCircle(screen, px, py, 4, palette.Team[m.Colour%palette.Variants], true)
		n++
	}
	line := "asking for the map"
	if n > 0 {
		line = "your team"
	}
	s.letters(screen, line, s.sprites.small, x+side/2, y+side+2, text.AlignCenter)
}

// drawLoading draws how far a machine that has joined has what it should have.
func (s *Scene) drawLoading(r *tendon.Replication, screen *ebiten.Image) {
	p := r.Progress()
	if p.Done {
		return
	}
	b := screen.Bounds()
	const w, h = 240, 12
	x, y := float64(b.Min.X+b.Max.X-w)/2, float64(b.Min.Y)+float64(b.Dy())*0.6
	vector.FillRect(screen, float32(x-2), float32(y-2), w+4, h+4, shade, false)
	vector.FillRect(screen, float32(x), float32(y), float32(w*p.Share()), h, paper, false)
	s.noteBox(x-2, y-2, w+4, h+4)
	s.letters(screen, loading(p), s.sprites.small, x+w/2, y+h+6, text.AlignCenter)
}
