package island

import (
	"math"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
)

// fill puts on the island what a world begins with.
func (g *Game) fill() {
	w := g.rep.World()
	g.wrecks = nil // those of the world before
	MatchPrefab.Spawn(w, tendon.None{})
	for i := range plazaCars {
		a := gmath.Rad(float64(i) * 2 * math.Pi / plazaCars)
		g.park(PlaceData{Pos: Middle.MoveInDirection(205, a), Rot: a}, uint8(i))
	}
	for i := plazaCars; i < carCount; i++ {
		g.park(PlaceData{Pos: g.pasture(), Rot: g.rng.Rad()}, uint8(i%colourChoice))
	}
	for range plazaCrates {
		g.putCrate(g.beside(plazaRadius + 10))
	}
	crates, sheep, birds := crateCount, sheepCount, birdCount
	if g.Crowd > 0 {
		crates, sheep = max(g.Crowd/2, plazaCrates), g.Crowd*3/5
		birds = g.Crowd - sheep
	}
	for range crates - plazaCrates {
		g.putCrate(g.pasture())
	}
	for i := range sheep {
		e := SheepPrefab.Spawn(w, tendon.None{})
		*Place.Get(e) = PlaceData{Pos: g.somewhere(i < plazaSheep), Rot: g.rng.Rad()}
	}
	for i := range birds {
		e := ChickenPrefab.Spawn(w, tendon.None{})
		*Place.Get(e) = PlaceData{Pos: g.somewhere(i < plazaBirds), Rot: g.rng.Rad()}
	}
}

func (g *Game) somewhere(near bool) gmath.Vec {
	if near {
		return g.beside(plazaRadius + 40)
	}
	return g.pasture()
}

// pasture returns a free place anywhere on the island.
func (g *Game) pasture() gmath.Vec {
	if p, ok := freePlace(&g.rng, nearestCrate/2, g.scenery); ok {
		return p
	}
	return g.beside(plazaRadius)
}

// beside returns a free place about this far from the middle, north of the pen.
func (g *Game) beside(far float64) gmath.Vec {
	for {
		a := gmath.Rad(g.rng.FloatRange(math.Pi, 2*math.Pi))
		p := Middle.MoveInDirection(far*g.rng.FloatRange(0.9, 1.2), a)
		if !g.scenery.Hits(p, 20) {
			return p
		}
	}
}
