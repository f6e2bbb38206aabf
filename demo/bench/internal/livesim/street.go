package livesim

import (
	"math"
	"math/rand/v2"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// The street: walkers who come and go, seen by a sensor. A walker's way is smooth; the
// place that is recorded is off by some centimetres, and the error lasts for a few ticks.

var streetFields = []trace.Field{
	{Name: "seen", Role: trace.Alive}, {Name: "x", Role: trace.PosX}, {Name: "y", Role: trace.PosY}, {Name: "number"},
}

const (
	streetHz   = 16
	streetLong = 30_00 // cm
	streetWide = 12_00
)

type walker struct {
	here        bool
	x, y        float64
	vx, vy      float64 // cm a tick
	errX, errY  float64
	bob, stride float64 // the body sways with each step
	rests       int
	number      int
}

type street struct {
	rng     *rand.Rand
	walkers []walker
	count   int
}

func startStreet(rng *rand.Rand, slots int) world {
	s := &street{rng: rng, walkers: make([]walker, slots)}
	for i := range s.walkers {
		if rng.IntN(3) > 0 {
			s.come(&s.walkers[i])
			s.walkers[i].x = rng.Float64() * streetLong
		}
	}
	return s
}

func (s *street) come(w *walker) {
	s.count++
	side := float64(2*s.rng.IntN(2) - 1)
	*w = walker{here: true, x: streetLong / 2 * (1 - side), y: s.rng.Float64() * streetWide, number: s.count}
	w.vx, w.vy = side*(70+s.rng.Float64()*80)/streetHz, s.rng.NormFloat64()*8/streetHz
	w.stride = 2 * math.Pi * (1.7 + s.rng.Float64()*0.4) / streetHz
}

func (s *street) step() {
	rng := s.rng
	for i := range s.walkers {
		w := &s.walkers[i]
		if !w.here {
			if rng.IntN(8*streetHz) == 0 {
				s.come(w)
			}
			continue
		}
		w.errX, w.errY = 0.7*w.errX+rng.NormFloat64()*0.8, 0.7*w.errY+rng.NormFloat64()*0.8
		if w.rests > 0 {
			w.rests--
			continue
		}
		if rng.IntN(30*streetHz) == 0 {
			w.rests = rng.IntN(6 * streetHz)
		}
		w.bob += w.stride
		w.vy += rng.NormFloat64()*0.12 - 0.02*w.vy
		w.vx += rng.NormFloat64() * 0.06
		w.x, w.y = w.x+w.vx, math.Min(math.Max(w.y+w.vy, 0), streetWide)
		w.here = w.x > -100 && w.x < streetLong+100
	}
}

func (s *street) row(slot int, to []int32) []int32 {
	w := &s.walkers[slot]
	if !w.here {
		return nil
	}
	return append(to[:0], 1, round(w.x+w.errX), round(w.y+w.errY+2*math.Sin(w.bob)), int32(w.number))
}
