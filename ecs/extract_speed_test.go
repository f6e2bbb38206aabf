package ecs_test

// The cost of a step: no allocations in the steady state, and the time of extraction and
// of functions that a game calls on one entity.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// deserted is a listener that nobody connects to; desertedLink is its link.
type deserted struct{}

func (deserted) Listen(transport.Offer) (transport.Link, error) { return desertedLink{}, nil }
func (deserted) Addr() string                                   { return "nowhere" }
func (deserted) Close() error                                   { return nil }

type desertedLink struct{}

func (desertedLink) Now() time.Duration     { return time.Second }
func (desertedLink) Poll(transport.Handler) {}
func (desertedLink) Err() error             { return nil }
func (desertedLink) Close(string)           {}
func (desertedLink) Wait() error            { return nil }

func (desertedLink) Counters() (c transport.Counters) { return c }

// The session's own work in a step without streaming allocates nothing on the authority.
// There is no network in memory whose allocations would count.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	steadyStateAllocatesNothing(t, tendon.Config{})
}

// Nor does it where what a peer has follows from what it sees.
func TestSteadyStateWithInterestAllocatesNothing(t *testing.T) {
	steadyStateAllocatesNothing(t, tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
}

func steadyStateAllocatesNothing(t *testing.T, c tendon.Config) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	l := newLab(t, netsim.Conditions{})
	m := l.machine("host", c)
	m.Host(deserted{})
	var bodies []*BodyData
	tendon.OnChange(m.Replication, Oath, func(*donburi.Entry, oathData) {})
	for range 100 {
		e := m.Create(Body, Paint, Opaque, Oath)
		Oath.SetValue(e, oathData{To: e.Entity(), All: []donburi.Entity{e.Entity()}, By: map[string]donburi.Entity{"a": e.Entity()}})
		bodies = append(bodies, Body.Get(e))
	}
	l.steps(10)
	if n := testing.AllocsPerRun(100, func() {
		m.Receive()
		for _, b := range bodies {
			b.Pos.X++
		}
		m.Send()
	}); n > 0 {
		t.Errorf("a step of the authority allocates %v times", n)
	}
}

// BenchmarkOf measures what a game asks of one entity, which costs the same whatever the
// number of archetypes in the world.
func BenchmarkOf(b *testing.B) {
	for _, in := range []struct {
		world string
		fill  func(donburi.World)
	}{{"few archetypes", func(donburi.World) {}}, {"many archetypes", crowd}} {
		w := donburi.NewWorld()
		in.fill(w)
		r, err := tendon.New(w, proto, tendon.Config{})
		if err != nil {
			b.Fatal(err)
		}
		r.Receive()
		e := r.Create(Body)
		for _, c := range []struct {
			what string
			ask  func()
		}{
			{"Of", func() { tendon.Of(w) }},
			{"View", func() { tendon.View(e, Body) }},
			{"IsOwner", func() { tendon.IsOwner(e) }},
		} {
			b.Run(c.what+", "+in.world, func(b *testing.B) {
				for b.Loop() {
					c.ask()
				}
			})
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	for _, c := range []struct {
		name  string
		moves bool
	}{{"still", false}, {"moving", true}} {
		b.Run(c.name, func(b *testing.B) {
			r, err := tendon.New(donburi.NewWorld(), proto, tendon.Config{Sends: 60})
			if err != nil {
				b.Fatal(err)
			}
			const nodes = 10_000
			var bodies []*BodyData
			for i := range nodes {
				e := r.World().Entry(r.World().Create(Body, components.RplNode, components.Owner, components.Parent))
				Body.SetValue(e, BodyData{Pos: gmath.Vec{X: float64(i)}})
				bodies = append(bodies, Body.Get(e))
			}
			r.Receive()
			r.Send()
			for b.Loop() {
				r.Receive()
				if c.moves {
					for _, body := range bodies {
						body.Pos.X++
					}
				}
				r.Send()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
		})
	}
}
