package ecs_test

// Optional values together with all other options of tags.

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

type (
	GearData struct {
		Open   bool                     `rpl:""`
		Vel    gmath.Vec                `rpl:"step=1/4"`
		Pos    rpl.Opt[gmath.Vec]       `rpl:"step=1/8,predict=Vel"`
		Rate   float64                  `rpl:"step=1"`
		Near   rpl.Opt[float64]         `rpl:"step=1,predict=Rate,tol=4"`
		Floor  rpl.Opt[int32]           `rpl:"min=5,max=9"`
		Inside rpl.Opt[CaseData]        `rpl:"if=Open"`
		Purse  rpl.Opt[rpl.Opt[uint16]] `rpl:""`
		Own    rpl.Opt[CaseData]        `rpl:"to=owner"`
		First  rpl.Opt[uint8]           `rpl:"once"`
	}
	CaseData struct {
		Lock rpl.Opt[uint32] `rpl:""`
		Name string          `rpl:"max=12"`
		List []uint16        `rpl:"max=6"`
	}
)

var Gear = tendon.Replicate(props, "gear", donburi.NewComponentType[GearData]())

// maybe returns v or no value, at random.
func maybe[T any](rng *rand.Rand, v T) rpl.Opt[T] {
	if rng.IntN(2) == 0 {
		return rpl.Opt[T]{}
	}
	return rpl.Some(v)
}

func randomCase(rng *rand.Rand) CaseData {
	c := CaseData{Lock: maybe(rng, rng.Uint32()), Name: []string{"", "oak", "iron"}[rng.IntN(3)]}
	for range rng.IntN(4) {
		c.List = append(c.List, uint16(rng.Uint32()))
	}
	return c
}

func randomGear(rng *rand.Rand, g *GearData) {
	switch rng.IntN(9) {
	case 0:
		g.Open = !g.Open
	case 1:
		g.Vel = gmath.Vec{X: float64(rng.IntN(9) - 4), Y: float64(rng.IntN(9) - 4)}
	case 2:
		g.Pos = maybe(rng, gmath.Vec{X: float64(rng.IntN(999)), Y: float64(rng.IntN(999))})
	case 3:
		g.Near = maybe(rng, float64(rng.IntN(20)))
	case 4:
		g.Floor = maybe(rng, 5+rng.Int32N(5))
	case 5:
		g.Inside = maybe(rng, randomCase(rng))
	case 6:
		g.Purse = maybe(rng, maybe(rng, uint16(rng.Uint32())))
	case 8:
		g.Rate = float64(rng.IntN(5) - 2)
	case 7:
		g.Own = maybe(rng, randomCase(rng))
	}
}

// sameValue compares the values of two machines as far as tags promise equality: withheld
// props and props with a tolerance are left out, and nil and empty are the same.
func sameValue(a, b GearData) bool {
	plain := func(o rpl.Opt[CaseData]) (any, bool) {
		c, ok := o.Get()
		return [3]any{c.Lock, c.Name, append([]uint16{}, c.List...)}, ok
	}
	same := func(x, y rpl.Opt[CaseData]) bool {
		v, ok := plain(x)
		w, ok2 := plain(y)
		return ok == ok2 && reflect.DeepEqual(v, w)
	}
	near := func(x, y rpl.Opt[float64]) bool {
		v, ok := x.Get()
		w, ok2 := y.Get()
		return ok == ok2 && v-w <= 4 && w-v <= 4
	}
	floor := func(g GearData) int32 { // it ignores what an absent value holds inside
		v, _ := g.Floor.Get()
		return v
	}
	return a.Open == b.Open && a.Vel == b.Vel && a.Pos == b.Pos && near(a.Near, b.Near) && floor(a) == floor(b) && a.Floor.Has() == b.Floor.Has() &&
		(!a.Open || same(a.Inside, b.Inside)) && a.Purse == b.Purse && same(a.Own, b.Own)
}

// Optional values of all kinds appear and disappear in any order, for clients that are here
// and for clients that join, on a good and on a bad network.
func TestOptionalValuesComeAndGo(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, _ := l.weighedServer()
			first := l.guest("first")
			l.joined()
			rng := rand.New(rand.NewPCG(l.seed, 5))
			var es []*donburi.Entry
			for range 6 {
				e := server.Create(Gear)
				es = append(es, e)
			}
			same := func(m *machine, i int) bool {
				p, ok := m.Find(tendon.ID(es[i]))
				return ok && sameValue(*Gear.Get(es[i]), *Gear.Get(p))
			}
			clients := []*machine{first}
			for i := range 120 {
				if i == 60 {
					clients = append(clients, l.guest("second"))
				}
				if i%20 == 0 {
					tendon.Give(es[rng.IntN(len(es))], rpl.Peer(1+rng.IntN(2)))
				}
				for range rng.IntN(4) {
					randomGear(rng, Gear.Get(es[rng.IntN(len(es))]))
				}
				l.steps(1)
			}
			for _, e := range es {
				tendon.Give(e, first.Me())
			}
			for i := range es {
				l.until("the first has what he may see", func() bool { return same(first, i) })
				own := Gear.Get(es[i]).Own
				Gear.Get(es[i]).Own = rpl.Opt[CaseData]{} // the second client may not see it
				l.until("the second has what he may see", func() bool { return same(clients[1], i) })
				Gear.Get(es[i]).Own = own
			}
		})
	}
}
