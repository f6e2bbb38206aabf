package ecs_test

// Whole games at random: all that a game may do to nodes, in steps and in callbacks,
// on a server with or without a player, over lines that lose, are cut and mended,
// through levels. When it is over every client has what the server has.

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"
	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

var notes = map[rpl.Target]map[rpl.Lane]*tendon.RPC[uint32]{}

func init() {
	for _, to := range []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast, rpl.Everywhere} {
		notes[to] = map[rpl.Lane]*tendon.RPC[uint32]{}
		for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
			notes[to][lane] = tendon.NewRPC[uint32](proto, fmt.Sprintf("note %d %d", to, lane), to, lane)
		}
	}
}

// An adventure is a session that is played at random.
type adventure struct {
	*lab
	t       *rapid.T
	server  *machine
	players []*player
	witness []*witness
	dice    *rand.Rand // of callbacks
	moods   int        // what callbacks may do: a bit each
	left    int        // of what callbacks may do in this step
	red     map[rpl.Node]bool
	next    uint32 // of calls
}

// A witness is what the callbacks of one machine have said of each life of a node.
type witness struct {
	m     *machine
	in    map[rpl.Node]bool
	order map[rpl.Node]uint32
}

func newAdventure(t *testing.T, rt *rapid.T) *adventure {
	ms := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(rt, name)) * time.Millisecond
	}
	c := netsim.Conditions{Delay: ms("delay", 60), Jitter: ms("jitter", 40)}
	c.Loss = float64(rapid.IntRange(0, 25).Draw(rt, "loss")) / 100
	c.Duplicate = float64(rapid.IntRange(0, 10).Draw(rt, "duplicate")) / 100
	seed := rapid.Uint64().Draw(rt, "network")
	g := &adventure{
		lab: &lab{T: t, net: mem.NewNetwork(seed, c)}, t: rt, red: map[rpl.Node]bool{},
		dice:  rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "dice"), 1)),
		moods: rapid.IntRange(0, 63).Draw(rt, "moods"),
	}
	g.listener = g.net.Listener()
	g.server = g.machine("server", tendon.Config{Dedicated: rapid.Bool().Draw(rt, "dedicated")})
	g.attend(g.server)
	g.server.Host(g.listener)
	for i := range rapid.IntRange(1, 3).Draw(rt, "players") {
		p := g.player(tendon.Config{Hello: []byte{'a' + byte(i)}})
		g.attend(p.machine)
		g.players = append(g.players, p)
	}
	g.steps(rapid.IntRange(1, 60).Draw(rt, "head start"))
	return g
}

// attend binds everything on one machine, and watches over the order of callbacks.
func (g *adventure) attend(m *machine) {
	w := &witness{m: m, in: map[rpl.Node]bool{}, order: map[rpl.Node]uint32{}}
	g.witness = append(g.witness, w)
	m.OnWorld(func(world donburi.World, name string) {
		for _, door := range []string{"a", "b", "c"} {
			e := world.Entry(world.Create(Paint, Body))
			Paint.Get(e).Name = door
			tendon.Named(e, name+"/"+door)
		}
	})
	must := func(e *donburi.Entry, what string, in bool) rpl.Node {
		id := tendon.ID(e)
		if w.in[id] != in {
			g.t.Fatalf("%s: %s of %v, which is in: %v", m.name, what, id, w.in[id])
		}
		return id
	}
	m.OnStreamIn(components.Owner, func(e *donburi.Entry) {
		w.in[must(e, "stream in", false)] = true
		g.react(m, e, 0)
	})
	m.OnStreamOut(components.Owner, func(e *donburi.Entry, _ bool) {
		delete(w.in, must(e, "stream out", true))
		g.react(m, nil, 1)
	})
	m.OnOwner(components.Owner, func(e *donburi.Entry, old rpl.Peer) {
		if must(e, "owner", true); old == tendon.Owner(e) {
			g.t.Fatalf("%s: owner %d of %v, as before", m.name, old, tendon.ID(e))
		}
		g.react(m, e, 2)
	})
	tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, _ PaintData) {
		must(e, "change", true)
		g.react(m, e, 3)
	})
	for to, lanes := range notes {
		for lane, rpc := range lanes {
			rpc.Handle(m.Replication, func(c tendon.Call, n uint32) {
				id := tendon.ID(c.Entry)
				if id != rpl.SessionNode {
					must(c.Entry, "call", true)
				}
				if to == rpl.Broadcast && lane == rpl.Reliable && (m == g.server || c.From != m.Me()) { // else it is this machine's own
					if last := w.order[id]; n <= last {
						g.t.Fatalf("%s: call %d on %v after %d", m.name, n, id, last)
					}
					w.order[id] = n
				}
				g.react(m, c.Entry, 4)
			})
		}
	}
	m.OnEnd(func(error) { // a life of single player, and of other nodes
		clear(w.in)
		clear(w.order)
	})
	m.OnLeave(func(rpl.Peer) { g.react(m, nil, 5) })
}

// react does something inside a callback.
func (g *adventure) react(m *machine, e *donburi.Entry, mood int) {
	if g.moods>>mood&1 == 0 || g.left <= 0 || g.dice.IntN(3) > 0 {
		return
	}
	g.left--
	pick := func(n int) int { return g.dice.IntN(n) }
	if e == nil || !e.Valid() || pick(2) == 0 {
		e = g.some(m, pick)
	}
	g.act(m, e, pick)
}

// some is any node of a machine but the session's, nil where there is none.
func (g *adventure) some(m *machine, pick func(int) int) *donburi.Entry {
	if all := nodesOf(m); len(all) > 0 {
		return all[pick(len(all))]
	}
	return nil
}

// nodesOf are the nodes of a machine but the session's, in order.
func nodesOf(m *machine) (all []*donburi.Entry) {
	for e := range donburi.NewQuery(filter.Contains(components.RplNode)).Iter(m.World()) {
		if id := tendon.ID(e); id != 0 && id != rpl.SessionNode && m.has(id) { // else it is going
			all = append(all, m.World().Entry(e.Entity()))
		}
	}
	slices.SortFunc(all, func(a, b *donburi.Entry) int { return cmp.Compare(tendon.ID(a), tendon.ID(b)) })
	return all
}

// act is one thing that a game does on a machine, to a node or besides.
func (g *adventure) act(m *machine, e *donburi.Entry, pick func(int) int) {
	if m != g.server {
		if e != nil {
			g.call(e, pick)
		}
		return
	}
	op := pick(18)
	if e == nil && op > 3 {
		op = 0
	}
	switch op {
	case 0, 1:
		g.spawn(pick)
	case 2:
		if peers := slices.Collect(m.Peers()); len(peers) > 0 {
			Red.Put(m.Replication, peers[pick(len(peers))], pick(2) == 0)
		}
	case 3:
		carry(m.Session(), Body, true, BodyData{Pos: gmath.Vec{X: float64(pick(100))}})
	case 4, 5:
		g.paint(e, pick)
	case 6:
		remove(e)
	case 7, 8:
		if up := g.some(m, pick); pick(3) == 0 || up == nil {
			_ = tendon.Attach(e, nil)
		} else {
			_ = tendon.Attach(e, up) // or it would be a ring
		}
	case 9, 10:
		tendon.Give(e, g.someone(pick))
	case 11:
		carry(e, Paint, !e.HasComponent(Paint), PaintData{Colour: uint8(pick(256))})
	case 12:
		carry(e, Plan, !e.HasComponent(Plan), PlanData{Where: int32(pick(100)), Words: "x"})
	case 13:
		if in := pick(2) == 0; in {
			Red.Add(e)
			g.red[tendon.ID(e)] = true
		} else {
			Red.Remove(e)
			delete(g.red, tendon.ID(e))
		}
	case 14:
		if !e.HasComponent(components.RplNode) {
			return // it has just been taken away
		}
		d := components.RplNode.Get(e)
		d.Relevance = rpl.Relevance(pick(4))
		d.Keep, d.Hz = pick(2) == 0, []uint8{0, 0, 20}[pick(3)]
	case 15:
		if pick(3) == 0 && e.HasComponent(components.RplNode) { // it is local from now on
			set := e.Archetype().ComponentTypes()
			e.World.Remove(e.World.Create(slices.DeleteFunc(slices.Clone(set), func(o donburi.IComponentType) bool { return o == components.RplNode })...))
			donburi.Remove[components.NodeData](e, components.RplNode)
		}
	default:
		g.call(e, pick)
	}
}

// remove takes a node away, unless it is going already: then it panics.
func remove(e *donburi.Entry) {
	defer func() {
		if why := recover(); why != nil && !strings.Contains(fmt.Sprint(why), "inside its own") {
			panic(why)
		}
	}()
	e.Remove()
}

func (g *adventure) someone(pick func(int) int) rpl.Peer {
	peers := append(slices.Collect(g.server.Peers()), 0)
	return peers[pick(len(peers))]
}

func (g *adventure) spawn(pick func(int) int) {
	w := g.server.World()
	if len(nodesOf(g.server)) > 20 {
		return
	}
	var e *donburi.Entry
	switch pick(6) {
	case 0:
		e = Crate.Spawn(w, CrateArgs{Label: "crate", Pos: gmath.Vec{X: float64(pick(50))}})
	case 1:
		e = Tank.Spawn(w, tendon.None{})
		Ammo.Get(turretOf(e)).Left = pick(100)
	case 2:
		e = Ghost.Spawn(w, CrateArgs{Label: "ghost"})
		tendon.Give(e, g.someone(pick))
	case 3:
		e = Opener.Spawn(w, tendon.None{})
	case 4:
		e = g.server.Create(Link, Ammo, Lazy)
	default:
		e = g.server.Create(Paint, Body, Plan)
	}
	if pick(2) == 0 {
		g.paint(e, pick)
	}
	if up := g.some(g.server, pick); up != nil && pick(4) == 0 {
		_ = tendon.Attach(e, up)
	}
}

// carry gives an entity a component, or takes it away. donburi counts wrong what
// moves into an archetype before one was created there.
func carry[T any](e *donburi.Entry, c *donburi.ComponentType[T], on bool, v T) {
	set := slices.DeleteFunc(slices.Clone(e.Archetype().ComponentTypes()), func(o donburi.IComponentType) bool { return o == c })
	if on {
		set = append(set, c)
	}
	e.World.Remove(e.World.Create(set...))
	if e = e.World.Entry(e.Entity()); on {
		donburi.Add(e, c, &v)
	} else {
		donburi.Remove[T](e, c)
	}
}

// paint changes what a node has.
func (g *adventure) paint(e *donburi.Entry, pick func(int) int) {
	if e.HasComponent(Body) {
		Body.Get(e).Pos = gmath.Vec{X: float64(pick(3200)) / 32, Y: float64(pick(3200)) / 32}
	}
	if e.HasComponent(Paint) {
		Paint.SetValue(e, PaintData{Colour: uint8(pick(256)), Name: fmt.Sprint("name ", pick(100))})
	}
	if e.HasComponent(Ammo) {
		Ammo.Get(e).Left = pick(1000)
	}
	if e.HasComponent(Plan) {
		Plan.SetValue(e, PlanData{Where: int32(pick(1000)), Words: fmt.Sprint(pick(100)), Raised: pick(2) == 0})
	}
	if e.HasComponent(Opaque) {
		Opaque.SetValue(e, opaqueData{float64(pick(100)), float64(pick(100))})
	}
	if e.HasComponent(Link) {
		if to := g.some(g.server, pick); to != nil {
			Link.Get(e).Target = to.Entity()
		}
	}
	if e.HasComponent(Lazy) {
		Lazy.Get(e).N = int32(pick(1000))
		tendon.Bump(e, Lazy)
	}
}

// call calls something on a node, from any machine.
func (g *adventure) call(e *donburi.Entry, pick func(int) int) {
	g.next++
	to := []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast, rpl.Everywhere}[pick(4)]
	lane := []rpl.Lane{rpl.Reliable, rpl.Unreliable}[pick(2)]
	_ = notes[to][lane].Send(e, g.next)
}

// trouble is what happens to lines, seats and levels.
func (g *adventure) trouble() {
	t := g.t
	p := g.players[rapid.IntRange(0, len(g.players)-1).Draw(t, "who")]
	switch rapid.IntRange(0, 30).Draw(t, "trouble") {
	case 0:
		p.cut()
	case 1:
		p.mend()
	case 2:
		p.Close("enough") // and comes again
	case 3:
		g.server.Kick(p.Me(), "go")
	case 4:
		p.way = g.net.Dialer(g.listener)
		p.Join(p.way) // takes its seat over, if it is in
	case 5:
		g.server.Load(rapid.SampledFrom([]string{"cave", "hill"}).Draw(t, "level"))
	case 6:
		g.steps(rapid.IntRange(100, 900).Draw(t, "pause"))
	}
}

func TestWorldsAtRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newAdventure(t, rt)
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
		for range rapid.IntRange(1, 40).Draw(rt, "rounds") {
			g.trouble()
			g.server.step = func() {
				g.server.step = nil
				for range rapid.IntRange(0, 4).Draw(rt, "acts") {
					g.act(g.server, g.some(g.server, pick), pick)
				}
			}
			if p := g.players[pick(len(g.players))]; pick(3) == 0 {
				p.step = func() {
					p.step = nil
					g.act(p.machine, g.some(p.machine, pick), pick)
				}
			}
			for range 1 + pick(6) {
				g.left = 3
				g.steps(1)
			}
		}
		g.left = 0
		for _, p := range g.players {
			p.mend()
		}
		var err error
		for range 60 * 6 {
			if err = g.equal(); err == nil {
				return
			}
			g.steps(10)
		}
		rt.Fatalf("after a minute of quiet: %v", err)
	})
}
