package island

import (
	"math"

	"github.com/quasilyte/gmath"
)

// Thing is a piece of scenery. It blocks the way and never changes, so every machine
// makes it from the same seed and nothing of it is sent.
type Thing struct {
	Kind   string // the sprite: "tree", "rock", "post"
	Pos    gmath.Vec
	Rot    gmath.Rad
	Scale  float64
	Radius float64 // of the circle that blocks the way, smaller than the picture
}

// Scenery is everything that blocks the way, indexed by place.
type Scenery struct {
	Things []Thing // in drawing order: low before high
	cells  map[[2]int][]int
}

const sceneryCell = 128.0

// NewScenery makes the island's scenery: always the same.
func NewScenery() *Scenery {
	s := &Scenery{cells: map[[2]int][]int{}}
	var rng gmath.Rand
	rng.SetSeed(20)
	for _, p := range Pen.posts() {
		s.add(Thing{Kind: "post", Pos: p, Scale: 1, Radius: 5})
	}
	for range rockCount {
		if p, ok := freePlace(&rng, 40, s); ok {
			scale := rng.FloatRange(0.6, 1.25)
			s.add(Thing{Kind: "rock", Pos: p, Rot: rng.Rad(), Scale: scale, Radius: 20 * scale})
		}
	}
	for range treeCount {
		if p, ok := freePlace(&rng, 50, s); ok {
			scale := rng.FloatRange(0.7, 1.15)
			s.add(Thing{Kind: "tree", Pos: p, Rot: rng.Rad(), Scale: scale, Radius: 12 * scale})
		}
	}
	return s
}

// freePlace returns a place on the grass, away from the plaza, the pen and the scenery so
// far; false if it finds none.
func freePlace(rng *gmath.Rand, apart float64, s *Scenery) (gmath.Vec, bool) {
	for range 60 {
		p := gmath.Vec{X: rng.FloatRange(0, Size), Y: rng.FloatRange(0, Size)}
		if Height(p) < beach/2 || p.DistanceTo(Middle) < plazaRadius+60 || Pen.Near(p, 110) {
			continue
		}
		if s != nil && s.Hits(p, apart) {
			continue
		}
		return p, true
	}
	return gmath.Vec{}, false
}

func (s *Scenery) add(t Thing) {
	c := cellOf(t.Pos)
	s.cells[c] = append(s.cells[c], len(s.Things))
	s.Things = append(s.Things, t)
}

func cellOf(p gmath.Vec) [2]int {
	return [2]int{int(math.Floor(p.X / sceneryCell)), int(math.Floor(p.Y / sceneryCell))}
}

// Hits reports whether a circle touches anything.
func (s *Scenery) Hits(p gmath.Vec, radius float64) bool {
	hit := false
	s.near(p, func(t *Thing) {
		hit = hit || t.Pos.DistanceTo(p) < t.Radius+radius
	})
	return hit
}

// Push moves a circle out of the scenery that it overlaps.
func (s *Scenery) Push(p gmath.Vec, radius float64) gmath.Vec {
	s.near(p, func(t *Thing) {
		if d := t.Pos.DistanceTo(p); d < t.Radius+radius && d > 0 {
			p = t.Pos.Add(p.Sub(t.Pos).Mulf((t.Radius + radius) / d))
		}
	})
	return p
}

// near visits the things in the cells around a place.
func (s *Scenery) near(p gmath.Vec, visit func(*Thing)) {
	c := cellOf(p)
	for x := c[0] - 1; x <= c[0]+1; x++ {
		for y := c[1] - 1; y <= c[1]+1; y++ {
			for _, i := range s.cells[[2]int{x, y}] {
				visit(&s.Things[i])
			}
		}
	}
}
