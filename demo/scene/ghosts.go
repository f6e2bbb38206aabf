package scene

// Ghosts: the same body three times. Where the authority has last said that it is, where it is
// drawn as all proxies are, and where this machine predicts it.

import (
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

var (
	saidColour      = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	proxyColour     = color.NRGBA{R: 0xff, G: 0xd0, B: 0x20, A: 0xff}
	predictedColour = color.NRGBA{R: 0x40, G: 0xff, B: 0x60, A: 0xff}
)

// maxTold is more places than are told in a second.
const maxTold = 64

// A told is where the authority had a body at a tick.
type told struct {
	tick float64
	at   gmath.Vec
}

// drawGhosts draws the ghosts of all walkers and cars of a client. On the authority there is
// one truth, and nothing to draw.
func (s *Scene) drawGhosts(r *tendon.Replication, screen *ebiten.Image, list []figure) {
	if r.IsAuthority() {
		return
	}
	b := screen.Bounds()
	x, y := float64(b.Max.X-margin), float64(b.Min.Y+b.Max.Y)/2
	for i, l := range []struct {
		words  string
		colour color.NRGBA
	}{{"as the server has said", saidColour}, {"as proxies are drawn", proxyColour}, {"as predicted here", predictedColour}} {
		s.letters(screen, l.words, s.sprites.small, x-14, y+float64(i*row), text.AlignEnd)
		vector.FillRect(screen, float32(x-8), float32(y+3)+float32(i*row), 8, 8, l.colour, false)
		s.noteBox(x-8, y+3+float64(i*row), 8, 8)
	}
	own := donburi.Null
	for i := range list {
		f := &list[i]
		if f.kind != island.Player && f.kind != island.Vehicle {
			continue
		}
		e := r.World().Entry(f.entity)
		if _, riding := island.ParentOf(e); riding {
			continue // its place is relative to the car
		}
		said, proxy := tendon.Confirmed(e, island.Place).Pos, f.pos
		if tendon.Predicted(e) {
			own = f.entity
			proxy = s.asProxy(r, f.entity, said)
			s.ring(screen, f.pos, 20, predictedColour)
			s.line(screen, proxy, f.pos, predictedColour)
		}
		s.ring(screen, said, 18, saidColour)
		s.ring(screen, proxy, 16, proxyColour)
		s.line(screen, said, proxy, proxyColour)
	}
	if own == donburi.Null {
		s.told = s.told[:0]
	}
}

// asProxy returns where this machine's own body would be drawn if it were not predicted, from
// what has been told of it.
func (s *Scene) asProxy(r *tendon.Replication, e donburi.Entity, said gmath.Vec) gmath.Vec {
	if s.toldOf != e {
		s.toldOf, s.told = e, s.told[:0]
	}
	if n := len(s.told); n == 0 || s.told[n-1].tick < float64(r.Tick()) {
		if n >= maxTold {
			s.told = append(s.told[:0], s.told[n/2:]...)
		}
		s.told = append(s.told, told{float64(r.Tick()), said})
	}
	at := r.ViewTick()
	for i := len(s.told) - 1; i > 0; i-- {
		if a, b := s.told[i-1], s.told[i]; a.tick <= at {
			return a.at.Add(b.at.Sub(a.at).Mulf(min(1, (at-a.tick)/(b.tick-a.tick))))
		}
	}
	return s.told[0].at
}

func (s *Scene) ring(screen *ebiten.Image, at gmath.Vec, radius float64, c color.NRGBA) {
	p := s.camera.Pixel(at)
	vector.StrokeCircle(screen, float32(p.X), float32(p.Y), float32(radius*s.camera.Zoom), 2, c, true)
	s.noteRound(at, radius+2/s.camera.Zoom)
}

func (s *Scene) line(screen *ebiten.Image, from, to gmath.Vec, c color.NRGBA) {
	a, b := s.camera.Pixel(from), s.camera.Pixel(to)
	vector.StrokeLine(screen, float32(a.X), float32(a.Y), float32(b.X), float32(b.Y), 2, c, true)
	s.noteRound(from.Add(to).Mulf(0.5), from.DistanceTo(to)/2+2/s.camera.Zoom)
}
