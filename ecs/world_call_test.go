package ecs_test

// The calls of games played at random, and the checks of where and how they run.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Arguments of calls: a note has a number alone, a tale is long, a hint refers to nodes.
type (
	TaleData struct {
		N    uint32           `rpl:""`
		Text string           `rpl:"max=3800"`
		List []int32          `rpl:"max=30"`
		Who  []donburi.Entity `rpl:"max=3"`
	}
	HintData struct {
		N   uint32         `rpl:""`
		At  donburi.Entity `rpl:"has=paint"`
		Any donburi.Entity `rpl:""`
	}
	byLane[A any] map[rpl.Lane]*tendon.RPC[A]
)

var (
	notes = map[rpl.Target]byLane[uint32]{}
	tales = map[rpl.Target]byLane[TaleData]{}
	hints = map[rpl.Target]byLane[HintData]{}
	loud  = tendon.NewRPC[uint32](proto, "loud", rpl.ToServer, rpl.Reliable).FromAnyone()
)

func init() {
	for _, to := range []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast, rpl.Everywhere} {
		notes[to] = rpcs[uint32]("note", to)
		tales[to] = rpcs[TaleData]("tale", to)
		hints[to] = rpcs[HintData]("hint", to)
	}
}

func rpcs[A any](name string, to rpl.Target) byLane[A] {
	of := byLane[A]{}
	for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
		of[lane] = tendon.NewRPC[A](proto, fmt.Sprintf("%s %d %d", name, to, lane), to, lane)
	}
	return of
}

// A line is a caller and a node. Reliable calls on one line run in the order of calling.
type line struct {
	by *actor
	on rpl.Node
}

// A noted is a call that was made, with the machines that have run it.
type noted struct {
	by      *actor
	me      rpl.Peer // the caller's number when it called
	decides bool     // the caller was the authority
	on      rpl.Node
	what    string
	to      rpl.Target
	lane    rpl.Lane
	only    *rpl.Peer // the receiver given to SendTo, else nil
	tale    TaleData
	refs    []rpl.Node // the nodes that it refers to on its caller's machine
	at      map[*actor]bool
}

func (c *noted) String() string {
	s := fmt.Sprintf("to %v, lane %v, on %v, by %s%s", c.to, c.lane, c.on, c.by.name, c.what)
	if c.only != nil {
		s += fmt.Sprint(", for peer ", *c.only)
	}
	return s
}

// note records a new call on a node.
func (g *adventure) note(by *actor, e *donburi.Entry, to rpl.Target, lane rpl.Lane) *noted {
	g.next++
	c := &noted{by: by, me: by.Me(), decides: by.IsAuthority(), on: tendon.ID(e), to: to, lane: lane, at: map[*actor]bool{}}
	g.made[g.next] = c
	return c
}

// send makes the call that was recorded last.
func send[A any](g *adventure, rpc map[rpl.Target]byLane[A], e *donburi.Entry, a A) {
	c := g.made[g.next]
	var err error
	if c.only == nil {
		err = rpc[c.to][c.lane].Send(e, a)
	} else {
		err = rpc[c.to][c.lane].SendTo(e, *c.only, a)
	}
	switch {
	case err == nil, errors.Is(err, tendon.ErrNoNode), errors.Is(err, rpl.ErrLimit):
	case c.only != nil && (!c.decides && errors.Is(err, tendon.ErrNotAllowed) || errors.Is(err, rpl.ErrNoPeer)):
	default:
		g.t.Fatalf("call %d %v: %v", g.next, c, err)
	}
}

// call makes a call of any kind on a node, from any machine.
func (g *adventure) call(by *actor, e *donburi.Entry, pick func(int) int) {
	to := []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast, rpl.Everywhere}[pick(4)]
	c := g.note(by, e, to, []rpl.Lane{rpl.Reliable, rpl.Unreliable}[pick(2)])
	if pick(4) == 0 {
		one := by.someone(pick)
		c.only = &one
	}
	switch pick(6) {
	case 0, 1:
		g.tell(e, pick(5)*pick(8)*pick(150), pick)
	case 2, 3:
		g.hint(e, by.some(pick), by.some(pick))
	default:
		send(g, notes, e, g.next)
	}
}

// tell makes the recorded call, with a text of size bytes at most, a list and references.
func (g *adventure) tell(e *donburi.Entry, size int, pick func(int) int) {
	c := g.made[g.next]
	if c.lane == rpl.Unreliable {
		size %= 800
	}
	if g.breath < size {
		size = 0
	}
	g.breath -= size
	c.tale = TaleData{N: g.next, Text: strings.Repeat(string(rune('a'+g.next%26)), min(size, 3700))}
	for range pick(4) * pick(8) {
		c.tale.List = append(c.tale.List, int32(pick(2000))-1000)
	}
	for range pick(4) {
		if to := c.by.some(pick); to != nil {
			c.tale.Who = append(c.tale.Who, to.Entity())
			c.refs = append(c.refs, tendon.ID(to))
		}
	}
	send(g, tales, e, c.tale)
}

// hint makes the recorded call, with two references.
func (g *adventure) hint(e, at, some *donburi.Entry) {
	c, h := g.made[g.next], HintData{N: g.next}
	c.refs = []rpl.Node{0, 0}
	for i, to := range []*donburi.Entry{at, some} {
		if to != nil {
			c.refs[i] = tendon.ID(to)
			*[]*donburi.Entity{&h.At, &h.Any}[i] = to.Entity()
		}
	}
	send(g, hints, e, h)
}

// shout makes a call to the server, which waits while its caller is still joining.
func (g *adventure) shout(by *actor) {
	e := by.Session()
	g.note(by, e, rpl.ToServer, rpl.Reliable)
	_ = loud.Send(e, g.next)
}

// attendCalls checks calls: each runs once at most on a machine, only where it may, in
// order, and with the arguments that it was made with.
func (g *adventure) attendCalls(a *actor) {
	for to := range notes {
		for lane := range notes[to] {
			notes[to][lane].Handle(a.Replication, func(c tendon.Call, n uint32) {
				g.ran(a, c, n, to, lane)
				g.react(a, c.Entry, onCall)
			})
			tales[to][lane].Handle(a.Replication, func(c tendon.Call, d TaleData) {
				call := g.ran(a, c, d.N, to, lane)
				if d.Text != call.tale.Text || !slices.Equal(d.List, call.tale.List) {
					g.t.Fatalf("%s: call %d %v: %q, %v", a.name, d.N, call, d.Text, d.List)
				}
				g.referred(a, d.N, d.Who)
				g.react(a, c.Entry, onCall)
			})
			hints[to][lane].Handle(a.Replication, func(c tendon.Call, d HintData) {
				call := g.ran(a, c, d.N, to, lane)
				g.referred(a, d.N, []donburi.Entity{d.At, d.Any})
				if at := call.refs[0]; a.names(d.At) == 0 || !a.find(at).HasComponent(Paint) {
					g.t.Fatalf("%s: call %d %v refers to %v, which is not here or has no paint", a.name, d.N, call, at)
				} else if a.IsAuthority() && a != call.by && !slices.Contains(a.Core().Holders(at, nil), c.From) {
					g.t.Fatalf("%s: call %d %v refers to %v, which peer %d does not hold", a.name, d.N, call, at, c.From)
				}
				g.react(a, c.Entry, onCall)
			})
		}
	}
	loud.Handle(a.Replication, func(c tendon.Call, n uint32) {
		by := g.made[n].by
		c.Entry = a.Session() // the call is for the session that its caller joined, whoever the caller was when it called
		g.made[n].me = c.From
		g.ran(a, c, n, rpl.ToServer, rpl.Reliable)
		if got := string(a.Hello(c.From)); c.From != 0 && got != by.hello {
			g.t.Fatalf("%s: call %d is from %d, who is %q, not %q", a.name, n, c.From, got, by.hello)
		}
		g.react(a, nil, onCall)
	})
}

// ran checks and records that a call runs on a machine.
func (g *adventure) ran(a *actor, c tendon.Call, n uint32, to rpl.Target, lane rpl.Lane) *noted {
	id, call := tendon.ID(c.Entry), g.made[n]
	once := to == rpl.ToServer || to == rpl.ToOwner || call.only != nil
	switch {
	case id != rpl.SessionNode && !a.in[id]:
		g.t.Fatalf("%s: call %d %v on %v, which is not in", a.name, n, call, id)
	case id != call.on, to != call.to, lane != call.lane:
		g.t.Fatalf("%s: call %d %v is %v on %v, lane %v", a.name, n, call, to, id, lane)
	case c.From != call.me:
		g.t.Fatalf("%s: call %d %v is from %d, not %d", a.name, n, call, c.From, call.me)
	case call.at[a], once && len(call.at) > 0:
		g.t.Fatalf("%s: call %d %v runs again", a.name, n, call)
	case call.only != nil:
		if !call.decides || a.Me() != *call.only {
			g.t.Fatalf("%s, peer %d: call %d %v runs here", a.name, a.Me(), n, call)
		}
	case to == rpl.ToServer && !a.IsAuthority(), to == rpl.Broadcast && !call.decides && a != call.by:
		g.t.Fatalf("%s: call %d %v runs here", a.name, n, call)
	}
	call.at[a] = true
	if lane == rpl.Reliable {
		on := line{call.by, id}
		if last := a.order[on]; n <= last {
			g.t.Fatalf("%s: call %d %v runs after %d", a.name, n, call, last)
		}
		a.order[on] = n
	}
	return call
}

// referred checks that a call refers to the nodes that it was made with. A node that is
// not here must be null; in a client's call on the session any reference may be null,
// since the client may still have been joining.
func (g *adventure) referred(a *actor, n uint32, got []donburi.Entity) {
	call := g.made[n]
	if len(got) != len(call.refs) {
		g.t.Fatalf("%s: call %d %v refers to %d nodes, not %d", a.name, n, call, len(got), len(call.refs))
	}
	for i, id := range call.refs {
		if !a.has(id) {
			id = 0
		}
		joins := call.on == rpl.SessionNode && call.by != g.server
		if is := a.names(got[i]); is != id && (is != 0 || !joins) {
			g.t.Fatalf("%s: call %d %v refers to %v, not %v", a.name, n, call, is, id)
		}
	}
}
