package ecs_test

// The promised order of a machine's callbacks.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An overseer checks the promised order of one machine's callbacks in each batch: a batch
// is one Receive or one Send.
type overseer struct {
	*machine
	t     *testing.T
	batch int
	nodes map[donburi.Entity]*seen
	count map[string]int
}

// seen is what callbacks have reported of one node.
type seen struct {
	batch int // the batch of the last callback
	stage int // the stage of the last callback in that batch
	gone  bool

	called int // the batch of the last call
}

const (
	stageIn = iota
	stageOwner
	stagePlan // Plan is registered before Paint: package variables begin in the order of files
	stagePaint
	stageCall
	stageOut
)

func (o *overseer) note(e *donburi.Entry, stage int, what string) {
	o.count[what]++
	n := o.nodes[e.Entity()]
	switch {
	case stage == stageIn:
		if n != nil && !n.gone {
			o.fail("%s twice", what)
		}
		if up := tendon.Parent(e); up != nil && up.HasComponent(Paint) {
			if p := o.nodes[up.Entity()]; p == nil || p.gone {
				o.fail("a child streamed in before its parent")
			}
		}
		o.nodes[e.Entity()] = &seen{batch: o.batch, stage: stage}
		return
	case n == nil || n.gone:
		o.fail("%s of a node that is not here", what)
		return
	case n.batch == o.batch && stage < n.stage:
		o.fail("%s after stage %d of the same node", what, n.stage)
	case n.batch == o.batch && stage == n.stage && (stage == stagePaint || stage == stagePlan || stage == stageOwner):
		o.fail("%s twice", what)
	}
	if stage == stageOwner && n.called == o.batch {
		o.fail("%s after a call in the same step", what)
	}
	if stage == stageCall {
		n.called = o.batch
		if o.IsAuthority() { // calls run as rules there: changes are reported after them
			return
		}
	}
	n.batch, n.stage, n.gone = o.batch, stage, stage == stageOut
}

func (o *overseer) fail(format string, args ...any) {
	o.t.Helper()
	o.t.Errorf("%s, batch %d: %s", o.name, o.batch, fmt.Sprintf(format, args...))
}

func (o *overseer) bind() {
	o.OnStreamIn(Paint, func(e *donburi.Entry) { o.note(e, stageIn, "in") })
	o.OnOwner(Paint, func(e *donburi.Entry, _ rpl.Peer) { o.note(e, stageOwner, "owner") })
	o.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { o.note(e, stageOut, "out") })
	tendon.OnChange(o.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		if now := *Paint.Get(e); now.Colour == old.Colour && now.Name == old.Name {
			o.fail("a change that is none")
		}
		o.note(e, stagePaint, "change of paint")
	})
	tendon.OnChange(o.Replication, Plan, func(e *donburi.Entry, old PlanData) { o.note(e, stagePlan, "change of plan") })
	for lane, rpc := range calls[rpl.Broadcast] {
		rpc.Handle(o.Replication, func(c tendon.Call, _ uint8) { o.note(c.Entry, stageCall, fmt.Sprintf("call on lane %d", lane)) })
	}
	o.After(tendon.Receive, "overseer", func(*tendon.Replication) { o.batch++ })
	o.After(tendon.Send, "overseer", func(*tendon.Replication) { o.batch++ })
}

// The promised order holds for random batches of everything at once over a bad network: for
// each node in, owner, changes in the order of registration, calls, out; parents before
// children; and no callback for a node that is not here.
func TestCallbackOrder(t *testing.T) {
	batches := 10000
	if testing.Short() {
		batches = 1000
	}
	l := newLab(t, netsim.Conditions{Delay: 25 * time.Millisecond, Jitter: 25 * time.Millisecond, Loss: 0.1, Duplicate: 0.02})
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	overseers := map[*machine]*overseer{}
	for _, m := range l.machines {
		o := &overseer{machine: m, t: t, nodes: map[donburi.Entity]*seen{}, count: map[string]int{}}
		o.bind()
		overseers[m] = o
	}
	dice := rand.New(rand.NewPCG(l.seed, 2))
	var alive []rpl.Node
	pick := func() *donburi.Entry { return server.find(alive[dice.IntN(len(alive))]) }
	act := func() {
		if len(alive) < 3 {
			alive = append(alive, tendon.ID(server.Create(Paint, Plan)))
		}
		switch e := pick(); dice.IntN(12) {
		case 0, 1:
			if len(alive) < 20 {
				alive = append(alive, tendon.ID(server.Create(Paint, Plan)))
			}
		case 2:
			i := dice.IntN(len(alive))
			server.find(alive[i]).Remove()
			alive = append(alive[:i], alive[i+1:]...)
		case 3:
			tendon.Give(e, rpl.Peer(dice.IntN(4)))
		case 4:
			if dice.IntN(2) == 0 {
				tendon.Attach(e, nil)
			} else {
				tendon.Attach(e, pick()) // a cycle is refused
			}
		case 5:
			components.RplNode.Get(e).Relevance = rpl.Relevance(dice.IntN(3))
		case 6, 7:
			Paint.Get(e).Colour = uint8(dice.IntN(4))
		case 8:
			Plan.Get(e).Raised = !Plan.Get(e).Raised
			Paint.Get(e).Name = fmt.Sprint(dice.IntN(9))
		default:
			calls[rpl.Broadcast][rpl.Lane(dice.IntN(2))].Send(e, 1)
		}
	}
	server.step = func() {
		for range dice.IntN(5) {
			act()
		}
	}
	for overseers[ann].batch < batches && !t.Failed() {
		l.steps(10)
	}
	for _, m := range []*machine{server, ann, bob} {
		o := overseers[m]
		for _, what := range strings.Split("in owner out", " ") {
			if o.count[what] < batches/100 {
				t.Errorf("%s: only %d × %s in %d batches", m.name, o.count[what], what, o.batch)
			}
		}
		for _, what := range []string{"change of paint", "change of plan", "call on lane 0", "call on lane 1"} {
			if o.count[what] < batches/100 {
				t.Errorf("%s: only %d × %s in %d batches", m.name, o.count[what], what, o.batch)
			}
		}
	}
	t.Logf("seed %d: %v", l.seed, overseers[ann].count)
}

// On the authority, too, a parent's callbacks run before its children's, whichever was made
// first and whatever else the game is told of them, and whether the child is new or not.
func TestParentsFirstOnTheAuthority(t *testing.T) {
	for variant := range 8 {
		l := newLab(t, lan)
		server := l.server(tendon.Config{})
		say := func(e *donburi.Entry, what string) { server.say("%s %s", Paint.Get(e).Name, what) }
		server.OnStreamIn(Paint, func(e *donburi.Entry) { say(e, "in") })
		server.OnParent(Paint, func(e *donburi.Entry, _ donburi.Entity) { say(e, "parent") })
		server.OnOwner(Paint, func(e *donburi.Entry, _ rpl.Peer) { say(e, "owner") })
		tendon.OnChange(server.Replication, Paint, func(e *donburi.Entry, _ PaintData) { say(e, "change") })
		rider := server.Create(Paint)
		Paint.Get(rider).Name = "rider"
		if variant&1 != 0 {
			l.steps(1)
			server.said()
		}
		truck := server.Create(Paint)
		Paint.Get(truck).Name = "truck"
		if variant&2 != 0 {
			tendon.Give(rider, server.Me())
		}
		if err := tendon.Attach(rider, truck); err != nil {
			t.Fatal(err)
		}
		if variant&4 != 0 {
			Paint.Get(rider).Colour = 7
		}
		l.steps(1)
		said := server.said()
		first := slices.IndexFunc(said, func(s string) bool { return strings.HasPrefix(s, "rider") })
		if in := slices.Index(said, "truck in"); in < 0 || first < in {
			t.Errorf("variant %d: %q", variant, said)
		}
	}
}
