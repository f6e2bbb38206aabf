package ecs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
)

// BenchmarkSpaceCamera asks for 200 of 100,000 nodes.
func BenchmarkSpaceCamera(b *testing.B) {
	l := newLand(b, false)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		l.make(0, gmath.Vec{X: rng.Float64() * 1000, Y: rng.Float64() * 1000}, components.ExtentData{Radius: 0.3}, false)
	}
	l.step(1)
	sp := l.server.Space(filter.Contains(l.stone))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		at := gmath.Vec{X: 500 + float64(n%7), Y: 500}
		for range sp.InRect(gmath.Rect{Min: at, Max: at.Add(gmath.Vec{X: 44.7, Y: 44.7})}) {
			n++
		}
	}
	b.ReportMetric(float64(n)/float64(b.N), "found")
}
