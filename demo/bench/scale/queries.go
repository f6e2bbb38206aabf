package main

// Questions about space, as a game asks them: by iterators and a donburi filter, over 100,000
// nodes.

import (
	"math"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
)

// A queryTimes is what a question of each kind takes, and what the first one of a
// step takes after 1 % of the nodes have been bumped.
type queryTimes struct {
	Camera  float64 `json:"camera_us"`
	Radius  float64 `json:"radius_us"`
	Nearest float64 `json:"nearest_us"`
	Ray     float64 `json:"ray_us"`
	Refresh float64 `json:"refresh_us"`
	Found   [4]int  `json:"found"` // by a question, on average
	Allocs  float64 `json:"allocs"`
}

// queries asks about random places, and each time from a few that are close together: a game
// asks about one region again and again, from where its players are. The times are the least
// of each place, on average over the places.
func queries(seed uint64) (any, error) {
	l, err := newLab(scene{nodes: 100_000, explicit: true, sees: inView, moving: 1000, seed: seed})
	if err != nil {
		return nil, err
	}
	defer l.close()
	w := l.server.World()
	for _, e := range l.bodies { // solid, so that rays hit: a third of the way to the next one
		entry := w.Entry(e)
		entry.AddComponent(components.Extent)
		components.Extent.Get(entry).Radius = 2
	}
	l.step()
	density := float64(l.nodes) / (l.edge * l.edge)
	// With what reaches in from outside the camera has 200.
	camera, around := math.Sqrt(193/density), math.Sqrt(20/density/math.Pi)
	cell := math.Sqrt(5 / density) // about what the index takes
	sp := l.server.Space(filter.Contains(l.body))
	nothing := l.server.Space(filter.Contains(l.body, l.eye)) // a ray that goes all its way
	var t queryTimes
	found := 0
	kinds := []struct {
		us  *float64
		ask func(at gmath.Vec)
	}{
		{&t.Camera, func(at gmath.Vec) {
			for range sp.InRect(gmath.Rect{Min: at, Max: at.Add(gmath.Vec{X: camera, Y: camera})}) {
				found++
			}
		}},
		{&t.Radius, func(at gmath.Vec) {
			for range sp.Within(at, around) {
				found++
			}
		}},
		{&t.Nearest, func(at gmath.Vec) {
			for range sp.Nearest(at, 8) {
				found++
			}
		}},
		{&t.Ray, func(at gmath.Vec) {
			if _, ok := nothing.Trace(at, at.Add(gmath.Vec{X: 40 * cell, Y: 30 * cell})); ok {
				found++
			}
		}},
	}
	const few, times, spots = 10, 50, 40
	inside := func() gmath.Vec { // not at the world's edge, where there is less
		return l.anywhere().Mulf(0.8).Add(gmath.Vec{X: 0.05 * l.edge, Y: 0.05 * l.edge})
	}
	for i := range kinds {
		found = 0
		var sum time.Duration
		for range spots {
			least, at := time.Duration(math.MaxInt64), inside()
			for range times {
				watch := cpu.StartThread()
				for n := range few {
					kinds[i].ask(at.Add(gmath.Vec{X: float64(n) * around / few}))
				}
				least = min(least, watch.Lap())
			}
			sum += least
		}
		*kinds[i].us, t.Found[i] = us(sum)/(few*spots), found/(few*times*spots)
	}
	before := l.allocs()
	for range times {
		for i := range kinds {
			kinds[i].ask(l.anywhere())
		}
	}
	t.Allocs = float64(l.allocs()-before) / float64(times*len(kinds))
	least := time.Duration(math.MaxInt64)
	for range 20 {
		l.step()
		l.net.Advance(step)
		l.receive()
		l.move()
		watch := cpu.StartThread()
		kinds[1].ask(l.anywhere())
		least = min(least, watch.Lap())
		l.send()
	}
	t.Refresh = us(least)
	return t, nil
}
