package island

import (
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"
)

func TestIslandIsSurroundedByWater(t *testing.T) {
	for i := range 400 {
		v := Size * float64(i) / 400
		for _, p := range []gmath.Vec{{X: v}, {Y: v}, {X: v, Y: Size}, {X: Size, Y: v}} {
			if GroundAt(p) != Water {
				t.Fatalf("%v at the edge of the map, %v", GroundAt(p), p)
			}
		}
	}
	if GroundAt(Middle) != Sand {
		t.Errorf("the plaza is %v, want sand", GroundAt(Middle))
	}
}

func TestSceneryIsTheSameEverywhere(t *testing.T) {
	a, b := NewScenery(), NewScenery()
	if len(a.Things) != len(b.Things) || len(a.Things) < treeCount {
		t.Fatalf("%d and %d things, want the same, at least %d", len(a.Things), len(b.Things), treeCount)
	}
	for i := range a.Things {
		if a.Things[i] != b.Things[i] {
			t.Fatalf("thing %d is %+v and %+v", i, a.Things[i], b.Things[i])
		}
	}
}

// A walker that walks at random stays on land and outside of obstacles.
func TestSlideStaysOnLand(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	g := newLab(t, 0, 0, noNetwork).machines[0]
	for walk := range 30 {
		p := g.standUp()
		dir := gmath.RadToVec(gmath.Rad(rng.Float64() * 6.28))
		for range 2000 {
			if rng.IntN(50) == 0 {
				dir = gmath.RadToVec(gmath.Rad(rng.Float64() * 6.28))
			}
			p = g.slide(p, dir.Mulf(carTop/Steps), walkerRadius)
			if Height(p) < 0 {
				t.Fatalf("seed %d, walk %d: in the water at %v", seed, walk, p)
			}
		}
	}
}

func TestFenceHoldsWhileItIsShut(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		inside := rng.IntN(2) == 0
		p := Pen.Rect.Center()
		if !inside {
			p = Pen.Gate().Add(gmath.Vec{Y: -60})
		}
		for range 400 {
			to := p.Add(gmath.RadToVec(gmath.Rad(rng.Float64() * 6.28)).Mulf(6))
			p = Pen.Push(p, to, 10, Openings{})
			if Pen.Rect.Contains(p) != inside {
				t.Fatalf("seed %d: through the fence at %v", seed, p)
			}
		}
	}
	from, to := Pen.Gate().Add(gmath.Vec{Y: -3}), Pen.Gate().Add(gmath.Vec{Y: 3})
	if got := Pen.Push(from, to, 10, Openings{Gate: true}); got != to {
		t.Errorf("through the open gate to %v ends at %v", to, got)
	}
}
