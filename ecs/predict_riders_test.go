package ecs_test

// Riders and drivers: predicted characters that board predicted vehicles, drive them, ride with
// others and get out, over lines that lose.

import (
	"fmt"
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
	footData struct {
		Boarded uint16 `rpl:""`
	}
	kartData struct {
		Speed float64 `rpl:"step=1/1024,to=owner"`
	}
	footKeys struct {
		Dir gmath.Vec `rpl:"step=1/64"`
		Use bool      `rpl:"edge"` // board the nearest kart, or get out
	}
)

// A garage is a server, karts, and players on foot, far from the origin: what is drawn by a
// place of the wrong parent is drawn far off.
type garage struct {
	t       *testing.T
	net     *mem.Network
	place   *donburi.ComponentType[components.TransformData]
	foot    *donburi.ComponentType[footData]
	kart    *donburi.ComponentType[kartData]
	walk    *tendon.Command[footKeys]
	drive   *tendon.Command[float64]
	server  *tendon.Replication
	players []*garagePlayer
	seen    map[rpl.Node]box // on the server, of everyone's places in the last two seconds
}

type garagePlayer struct {
	*tendon.Replication
	keys        footKeys
	gas         float64
	corrections []tendon.Correction
}

// A box is the places of one node, by when it was there.
type box struct{ was []gmath.Vec }

func newGarage(t *testing.T, seed uint64, c netsim.Conditions, players, karts int) *garage {
	t.Helper()
	p := tendon.NewProtocol("garage")
	g := &garage{
		t: t, net: mem.NewNetwork(seed, c), seen: map[rpl.Node]box{},
		place: tendon.Replicate(p, "place", components.Transform),
		foot:  tendon.Replicate(p, "foot", donburi.NewComponentType[footData]()),
		kart:  tendon.Replicate(p, "kart", donburi.NewComponentType[kartData]()),
	}
	g.walk = tendon.NewCommand[footKeys](p, "walk", g.foot)
	g.drive = tendon.NewCommand[float64](p, "drive", g.kart)
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		g.walk.Apply(r, func(c tendon.Call, k footKeys) { g.rule(c, k) })
		g.drive.Apply(r, func(c tendon.Call, gas float64) {
			d := g.kart.Get(c.Entry)
			if d.Speed += gas; d.Speed > 3 {
				d.Speed = 3
			}
			if d.Speed *= 0.97; d.Speed < 1./64 && d.Speed > -1./64 {
				d.Speed = 0
			}
			g.place.Get(c.Entry).Pos.X += d.Speed
		})
		return r
	}
	g.server = session(true)
	g.server.OnStart(func() {
		for i := range karts {
			e := g.server.Create(g.place, g.kart)
			g.place.Get(e).Pos = gmath.Vec{X: 2000, Y: 2000 + 8*float64(i)}
		}
	})
	g.server.OnJoin(func(q rpl.Peer) {
		e := g.server.Create(g.place, g.foot)
		g.place.Get(e).Pos = gmath.Vec{X: 2000, Y: 1990}
		tendon.Give(e, q)
	})
	l := g.net.Listener()
	g.server.Host(l)
	for range players {
		r := &garagePlayer{Replication: session(false)}
		g.walk.Sample(r.Replication, func(*donburi.Entry) footKeys { k := r.keys; r.keys.Use = false; return k })
		g.drive.Sample(r.Replication, func(*donburi.Entry) float64 { return r.gas })
		r.OnCorrection(func(c tendon.Correction) { r.corrections = append(r.corrections, c) })
		r.Join(g.net.Dialer(l))
		g.players = append(g.players, r)
	}
	g.steps(240)
	for n := 0; n < 600 && !g.ready(); n++ {
		g.steps(1)
	}
	if !g.ready() {
		t.Fatalf("seed %d: not everybody has joined", seed)
	}
	g.steps(60)
	return g
}

func (g *garage) ready() bool {
	for _, p := range g.players {
		if _, ok := tendon.Mine(p.Replication, g.foot); !ok {
			return false
		}
	}
	return true
}

// rule is that of a player on foot. Who sits where is the authority's to say.
func (g *garage) rule(c tendon.Call, k footKeys) {
	at := g.place.Get(c.Entry)
	kart := tendon.Parent(c.Entry)
	if !k.Use || !tendon.IsAuthority(c.Entry) {
		if kart == nil {
			at.Pos = at.Pos.Add(k.Dir.Mulf(2))
		}
		return
	}
	if kart != nil {
		if err := tendon.Attach(c.Entry, nil); err != nil {
			g.t.Error(err)
		}
		*g.place.Get(c.Entry) = components.TransformData{Pos: g.place.Get(kart).Pos.Sub(gmath.Vec{Y: 4})}
		if tendon.Owner(kart) == c.From {
			g.give(kart, 0)
		}
		return
	}
	var best *donburi.Entry
	for e := range g.kart.Iter(c.Entry.World) {
		if best == nil || g.place.Get(e).Pos.DistanceTo(at.Pos) < g.place.Get(best).Pos.DistanceTo(at.Pos) {
			best = e
		}
	}
	if tendon.Owner(best) == 0 {
		g.give(best, c.From)
	}
	if err := tendon.Attach(c.Entry, best); err != nil {
		g.t.Error(err)
	}
	*g.place.Get(c.Entry) = components.TransformData{Pos: gmath.Vec{Y: 1}}
	g.foot.Get(c.Entry).Boarded++
}

// give passes a kart to a player, and leaves who sits in it with their own.
func (g *garage) give(kart *donburi.Entry, to rpl.Peer) {
	owners := map[*donburi.Entry]rpl.Peer{}
	for e := range tendon.Children(kart) {
		owners[e] = tendon.Owner(e)
	}
	tendon.Give(kart, to)
	for e, p := range owners {
		tendon.Give(e, p)
	}
}

// steps runs steps with two frames each, and looks at what is drawn in them.
func (g *garage) steps(n int) {
	for range n {
		g.net.Advance(time.Second / 120)
		g.frame()
		g.net.Advance(time.Second / 120)
		for i, r := range append([]*tendon.Replication{g.server}, g.sessions()...) {
			r.Receive()
			g.walk.Run(r)
			g.drive.Run(r)
			r.Send()
			if i == 0 {
				g.note()
			}
		}
		g.frame()
	}
}

func (g *garage) sessions() (rs []*tendon.Replication) {
	for _, p := range g.players {
		rs = append(rs, p.Replication)
	}
	return rs
}

// note keeps where everything is on the server.
func (g *garage) note() {
	for e := range g.place.Iter(g.server.World()) {
		b := g.seen[tendon.ID(e)]
		b.was = append(b.was, tendon.WorldTransform(e).Pos)
		b.was = b.was[max(0, len(b.was)-120):]
		g.seen[tendon.ID(e)] = b
	}
}

// frame checks that everything is drawn near where it was in the last two seconds.
func (g *garage) frame() {
	for i, p := range g.players {
		p.Frame()
		for e := range g.place.Iter(p.World()) {
			if !tendon.Drawn.MatchesLayout(e.Archetype().Layout().Components()) {
				continue
			}
			at, off := tendon.WorldView(e).Pos, 1e9
			for _, was := range g.seen[tendon.ID(e)].was {
				off = min(off, was.DistanceTo(at))
			}
			if off > 120 && len(g.seen[tendon.ID(e)].was) > 0 { // ahead of the server by a round trip at most
				g.t.Fatalf("tick %d: player %d draws %v at %v, %v from where it was in the last two seconds", g.server.Tick(), i+1, tendon.ID(e), at, off)
			}
		}
	}
}

func (g *garage) mine(p *garagePlayer) *donburi.Entry {
	e, ok := tendon.Mine(p.Replication, g.foot)
	if !ok {
		g.t.Fatal("a player has nobody")
	}
	return e
}

// A driver's kart answers in the step of the key, a passenger sits in it, both get out again and
// walk on; each boarding is one correction or two, of what could not be known, and nothing is ever drawn
// by the place of another parent.
func TestRidersAndDrivers(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{Delay: 60 * time.Millisecond},
		{Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05},
		{Delay: 100 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			g := newGarage(t, seed, c, 2, 1)
			ann, bob := g.players[0], g.players[1]
			for round := range 6 {
				for _, p := range g.players {
					p.keys.Dir, p.corrections = gmath.Vec{X: 0.5}, nil
				}
				g.steps(30)
				ann.keys.Use = true
				g.steps(90)
				ann.keys.Dir = gmath.Vec{}
				kart, ok := tendon.Mine(ann.Replication, g.kart)
				if !ok || !tendon.Predicted(kart) || tendon.Parent(g.mine(ann)) == nil {
					t.Fatalf("round %d: ann has pressed, and does not drive", round)
				}
				was := g.place.Get(kart).Pos
				ann.gas = 0.2
				g.steps(2) // one of the two may make no tick
				if is := g.place.Get(kart).Pos; is.X <= was.X {
					t.Errorf("round %d: in the steps of the key the kart is at %v, was at %v", round, is, was)
				}
				bob.keys.Use, bob.keys.Dir = true, gmath.Vec{}
				g.steps(90)
				if up := tendon.Parent(g.mine(bob)); up == nil || tendon.IsOwner(up) || tendon.Predicted(up) {
					t.Fatalf("round %d: bob rides on nothing, or drives it", round)
				}
				ann.gas = -0.1
				g.steps(40)
				ann.gas = 0
				if round%2 == 0 { // the driver first, while it rolls
					ann.keys.Use = true
					g.steps(5)
					bob.keys.Use = true
				} else {
					bob.keys.Use = true
					g.steps(5)
					ann.keys.Use = true
				}
				g.steps(120)
				if _, drives := tendon.Mine(ann.Replication, g.kart); drives || tendon.Parent(g.mine(ann)) != nil || tendon.Parent(g.mine(bob)) != nil {
					t.Fatalf("round %d: somebody still rides", round)
				}
				for i, p := range g.players {
					t.Logf("round %d, player %d: %d corrections", round, i+1, len(p.corrections))
					if most := 6 + int(100*c.Loss); len(p.corrections) > most {
						t.Errorf("round %d: player %d was corrected %d times, more than %d: %+v", round, i+1, len(p.corrections), most, p.corrections)
					}
				}
			}
			g.rest()
		})
	}
}

// rest has everybody let go of the keys, and compares.
func (g *garage) rest() {
	g.t.Helper()
	for _, p := range g.players {
		p.keys, p.gas = footKeys{}, 0
	}
	g.steps(360)
	for i, p := range g.players {
		for _, d := range tendon.Differences(g.server, p.Replication) {
			g.t.Errorf("player %d in the end: %v", i+1, d)
		}
	}
}
