package ecs_test

// Places in all the forms that a component may say them in.

import (
	"cmp"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	placeVec struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
	placeTwo struct {
		X float64 `rpl:"step=1/32,interp,pos"`
		Y float64 `rpl:"step=1/32,interp,pos"`
	}
	placeApart struct {
		Name string  `rpl:"max=8"`
		East float32 `rpl:"step=1/32,pos"`
		Turn float64 `rpl:"angle,interp"`
		Up   float32 `rpl:"step=1/32,pos"`
	}
	placeInts struct {
		HP   uint8 `rpl:""`
		X, Y int16 `rpl:"pos"`
	}
	placeArray struct {
		At [2]float64 `rpl:"step=1/32,pos"`
	}
	placeNested struct {
		Level uint8 `rpl:""`
		At    struct {
			X, Y int32 `rpl:"pos,interp"`
		} `rpl:""`
	}
	placeMixed struct {
		X float64 `rpl:"step=1/32,interp,pos"`
		Y float32 `rpl:"step=1/32,pos"`
	}
)

// Who looks from a place and what stands at one is found by it, whatever numbers the place is.
func TestPlaceForms(t *testing.T) {
	each := rpl.Tags{"X": "step=1/32,interp,pos", "Y": "step=1/32,interp,pos"}
	testPlace(t, "vector", nil, func(d *placeVec, x, y float64) { d.Pos = gmath.Vec{X: x, Y: y} })
	testPlace(t, "a component that is a vector", each, func(d *gmath.Vec, x, y float64) { *d = gmath.Vec{X: x, Y: y} })
	testPlace(t, "two numbers", nil, func(d *placeTwo, x, y float64) { d.X, d.Y = x, y })
	testPlace(t, "apart", nil, func(d *placeApart, x, y float64) { d.East, d.Up = float32(x), float32(y) })
	testPlace(t, "integers", nil, func(d *placeInts, x, y float64) { d.X, d.Y = int16(x), int16(y) })
	testPlace(t, "array", nil, func(d *placeArray, x, y float64) { d.At = [2]float64{x, y} })
	testPlace(t, "nested", nil, func(d *placeNested, x, y float64) { d.At.X, d.At.Y = int32(x), int32(y) })
	testPlace(t, "two kinds", nil, func(d *placeMixed, x, y float64) { d.X, d.Y = x, float32(y) })
}

func testPlace[T any](t *testing.T, form string, tags rpl.Tags, set func(d *T, x, y float64)) {
	t.Run(form, func(t *testing.T) {
		p := tendon.NewProtocol("places")
		var all []rpl.Tags
		if tags != nil {
			all = append(all, tags)
		}
		at := tendon.Replicate(p, "at", donburi.NewComponentType[T](), all...)
		session := func(c tendon.Config) *tendon.Replication {
			r, err := tendon.New(donburi.NewWorld(), p, c)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		server, client := session(tendon.Config{Dedicated: true, Interest: rpl.Grid{Enter: 100, Exit: 120}}), session(tendon.Config{})
		place := func(e *donburi.Entry, v gmath.Vec) { set(at.Get(e), v.X, v.Y) }
		var eye rpl.Node
		server.OnJoin(func(q rpl.Peer) {
			e := server.Create(at, components.Observer)
			tendon.Give(e, q)
			eye = tendon.ID(e)
		})
		net := mem.NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond})
		listener := net.Listener()
		server.Host(listener)
		client.Join(net.Dialer(listener))
		step := func() {
			for range 90 {
				net.Advance(time.Second / 60)
				for _, r := range []*tendon.Replication{server, client} {
					r.Receive()
					r.Send()
				}
			}
		}
		step()
		spots := []gmath.Vec{{X: 10, Y: -20}, {X: 1000, Y: 30}, {X: -40, Y: 1000}}
		var stands []rpl.Node
		for _, v := range spots {
			e := server.Create(at)
			place(e, v)
			stands = append(stands, tendon.ID(e))
		}
		look := func() {
			t.Helper()
			step()
			e, _ := server.Find(eye)
			for i, from := range spots {
				place(e, from)
				step()
				for j, n := range stands {
					_, has := client.Find(n)
					check(t, "who looks from one spot has what is at another", has, i == j)
				}
				for _, r := range []*tendon.Replication{server, client} {
					found := map[rpl.Node]bool{}
					for e := range r.Space(nil).Within(from, 5) {
						found[tendon.ID(e)] = true
					}
					check(t, "found at a spot", len(found), 2)
					check(t, "what stands there is", found[stands[i]] && found[eye], true)
				}
			}
		}
		look()
		for i, n := range stands { // each goes where another was
			e, _ := server.Find(n)
			place(e, spots[(i+1)%3])
		}
		spots = []gmath.Vec{spots[1], spots[2], spots[0]}
		look()
		check(t, "observers without a place", *server.Counter("observer without place"), 0)
	})
}

// What says its place in two numbers is drawn as what says it in a vector: neither a fast corner nor a leap is
// taken for something else, because one of the numbers hardly changes.
func TestPlaceInTwoNumbersIsDrawnAsOne(t *testing.T) {
	p := tendon.NewProtocol("drawn places")
	vec := tendon.Replicate(p, "vec", donburi.NewComponentType[placeVec]())
	two := tendon.Replicate(p, "two", donburi.NewComponentType[placeTwo]())
	session := func() *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Sends: 30})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	server, client := session(), session()
	seed := cmp.Or(*seedFlag, 1)
	net, rng := mem.NewNetwork(seed, netsim.Conditions{Delay: 40 * time.Millisecond}), rand.New(rand.NewPCG(seed, 5))
	listener := net.Listener()
	server.Host(listener)
	client.Join(net.Dialer(listener))
	a, b := server.Create(vec).Entity(), server.Create(two).Entity()
	var at, way gmath.Vec
	apart, most := 0, 0.0
	for i := range 900 {
		net.Advance(time.Second / 60)
		switch server.Receive(); {
		case i%40 == 39:
			fast := 20 + 40*rng.Float64()
			way = []gmath.Vec{{X: fast}, {Y: fast}, {X: -fast}, {Y: -fast}}[rng.IntN(4)]
		case i%150 == 100:
			at.X += 700
			at.Y += 20
		}
		at = at.Add(way)
		vec.Get(server.World().Entry(a)).Pos = at
		*two.Get(server.World().Entry(b)) = placeTwo{at.X, at.Y}
		server.Send()
		client.Receive()
		client.Send()
		client.Frame()
		for e := range vec.Iter(client.World()) {
			for o := range two.Iter(client.World()) {
				v, w := tendon.View(e, vec).Pos, tendon.View(o, two)
				if off := v.DistanceTo(gmath.Vec{X: w.X, Y: w.Y}); off > 0 {
					apart, most = apart+1, max(most, off)
				}
			}
		}
	}
	if apart > 0 {
		t.Errorf("in %d frames one is drawn beside the other, by up to %.1f (rerun with -seed %d)", apart, most, seed)
	}
}
