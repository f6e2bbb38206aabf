package ecs_test

// Where the sight of a node has ended for a peer, what happens to the node since is not told to it.

import (
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// blinders is a policy by which some peers see nothing that is near them.
type blinders struct {
	rpl.Grid
	worn map[rpl.Peer]bool
}

func (p *blinders) Sees(v rpl.View) bool { return !p.worn[v.Viewer] }

type note struct {
	Pos  gmath.Vec `rpl:"step=1/32,pos"`
	Text string    `rpl:"max=16"`
}

// A den is a server with a thing, which ann and bob see and carl owns.
type den struct {
	*testing.T
	lab            *tendontest.Lab
	server         *tendontest.Machine
	ann, bob, carl *tendontest.Machine
	note           *donburi.ComponentType[note]
	cry            *tendon.RPC[uint8]
	circle         *tendon.Group
	blinders       *blinders
	traitors       map[rpl.Peer]bool // they are not in the circle any more
	eyes           map[rpl.Peer]*donburi.Entry
	thing          *donburi.Entry
	heard          map[rpl.Peer][]uint8
	line           netsim.Conditions
}

func newDen(t *testing.T) *den {
	d := &den{
		T: t, traitors: map[rpl.Peer]bool{}, eyes: map[rpl.Peer]*donburi.Entry{}, heard: map[rpl.Peer][]uint8{},
		blinders: &blinders{rpl.Grid{Enter: 500, Exit: 600}, map[rpl.Peer]bool{}},
		line:     netsim.Conditions{Delay: 30 * time.Millisecond},
	}
	p := tendon.NewProtocol("den")
	d.circle = tendon.NewGroup(p, "circle")
	d.note = tendon.Replicate(p, "note", donburi.NewComponentType[note]())
	d.cry = tendon.NewRPC[uint8](p, "cry", rpl.Broadcast, rpl.Reliable)
	d.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Step: func(*tendontest.Machine) {}, Seed: 1,
		Setup: func(m *tendontest.Machine) {
			d.cry.Handle(m.Replication, func(_ tendon.Call, n uint8) { d.heard[m.Me()] = append(d.heard[m.Me()], n) })
		},
		Configure: func(name string, c *tendon.Config) { c.Dedicated, c.Interest = name == "server", d.blinders },
	}, d.line)
	d.server = d.lab.Host()
	d.circle.While(d.server.Replication, func(p rpl.Peer) bool { return !d.traitors[p] })
	d.ann, d.bob, d.carl = d.lab.Join(), d.lab.Join(), d.lab.Join()
	for _, m := range []*tendontest.Machine{d.ann, d.bob, d.carl} {
		e := d.server.Create(d.note, components.Observer)
		tendon.Give(e, m.Me())
		d.eyes[m.Me()] = e
	}
	d.thing = d.server.Create(d.note)
	d.note.Get(d.thing).Text = "first"
	tendon.Give(d.thing, d.carl.Me())
	return d
}

// settle has the next steps begin at a given place between two sends.
func (d *den) settle(phase int) {
	d.lab.Steps(120)
	for int(d.server.Tick())%2 != phase {
		d.lab.Steps(1)
	}
	if _, ok := d.bob.Find(tendon.ID(d.thing)); !ok {
		d.Fatal("bob does not have the thing")
	}
}

// cut has nothing come from bob or to him.
func (d *den) cut(on bool) {
	c := d.line
	if on {
		c.Loss = 1
	}
	d.bob.Dialer.SetConditions(c, c)
}

// told reports whether a machine is told a text in some steps.
func (d *den) told(text string, steps int) map[*tendontest.Machine]bool {
	told := map[*tendontest.Machine]bool{}
	for range steps {
		d.lab.Steps(1)
		for _, m := range []*tendontest.Machine{d.ann, d.bob} {
			for e := range d.note.Iter(m.World()) {
				told[m] = told[m] || d.note.Get(e).Text == text
			}
		}
	}
	return told
}

// sightEnds are the ways in which bob's sight of the thing ends, and ann's does not.
var sightEnds = map[string]func(d *den){
	"Hide": func(d *den) { tendon.Hide(d.thing, d.bob.Me()) },
	"OwnerOnly": func(d *den) {
		components.RplNode.Get(d.thing).Relevance = rpl.OwnerOnly
		tendon.Show(d.thing, d.ann.Me())
	},
	"Group.Add": func(d *den) { d.traitors[d.bob.Me()] = true; d.circle.Add(d.thing) },
	"AskAgain of the thing": func(d *den) {
		d.blinders.worn[d.bob.Me()] = true
		d.server.AskAgain(0, d.thing)
	},
	"AskAgain of bob": func(d *den) {
		d.blinders.worn[d.bob.Me()] = true
		d.server.AskAgain(d.bob.Me(), nil)
	},
	"AskAgain of all": func(d *den) {
		d.blinders.worn[d.bob.Me()] = true
		d.server.AskAgain(0, nil)
	},
	"AskAgain of the thing, which is taken away": func(d *den) { takenAway(d); d.server.AskAgain(0, d.thing) },
	"AskAgain of bob, and it is taken away":      func(d *den) { d.server.AskAgain(d.bob.Me(), nil); takenAway(d) },
	"Attach": func(d *den) {
		bag := d.server.Create(d.note)
		tendon.Hide(bag, d.bob.Me())
		if err := tendon.Attach(d.thing, bag); err != nil {
			d.Fatal(err)
		}
	},
	"While": func(d *den) { d.traitors[d.bob.Me()] = true }, // the thing is in the circle then
}

// takenAway has the thing be in a house that is not in reach of anyone, of which bob may see nothing.
func takenAway(d *den) {
	d.blinders.worn[d.bob.Me()] = true
	tendon.Show(d.thing, d.ann.Me())
	d.note.Get(d.thing).Pos.X = 700
	tendon.Teleport(d.thing)
}

// A node goes out of a peer's sight, is written and removed, all between two sends: that peer is told
// nothing of what was written, and who still sees the node is, whatever the way in which the node goes.
func TestSightEndsBeforeTheEnd(t *testing.T) {
	for way, remove := range map[string]func(d *den){
		"Remove":          func(d *den) { tendon.Remove(d.thing, 7) },
		"World.Remove":    func(d *den) { d.thing.Remove() },
		"without RplNode": func(d *den) { d.thing.RemoveComponent(components.RplNode) },
		"RemoveTree": func(d *den) {
			top := d.thing
			if p := tendon.Parent(top); p != nil {
				top = p
			}
			tendon.RemoveTree(top, 7)
		},
		"the top first": func(d *den) {
			if p := tendon.Parent(d.thing); p != nil {
				p.Remove()
			}
			d.thing.Remove()
		},
		"its owner leaves": func(d *den) { d.server.Kick(d.carl.Me(), "left") },
	} {
		for end, ends := range sightEnds {
			for phase := range 2 {
				d := newDen(t)
				if end == "While" {
					d.circle.Add(d.thing)
				}
				d.settle(phase)
				ends(d)
				n := d.note.Get(d.thing)
				n.Pos.Y, n.Text = 77, "SECRET"
				remove(d)
				told := d.told("SECRET", 80)
				if told[d.bob] {
					t.Errorf("%s, %s, phase %d: bob is told", end, way, phase)
				}
				if !told[d.ann] {
					t.Errorf("%s, %s, phase %d: ann is not told", end, way, phase)
				}
				if _, ok := d.bob.Find(tendon.ID(d.thing)); ok && way != "without RplNode" {
					t.Errorf("%s, %s, phase %d: bob has it yet", end, way, phase)
				}
			}
		}
	}
}

// A call in the step in which a peer's sight of its node ends, or later, does not reach that peer, and
// reaches who sees the node. What While decides is asked in the send: a call before that goes.
func TestSightEndsBeforeACall(t *testing.T) {
	for end, ends := range sightEnds {
		for phase := range 2 {
			for later := range 4 {
				d := newDen(t)
				if end == "While" {
					d.circle.Add(d.thing)
				}
				d.settle(phase)
				ends(d)
				d.lab.Steps(later)
				if err := d.cry.Send(d.thing, 7); err != nil {
					t.Fatal(err)
				}
				d.lab.Steps(60)
				if h := d.heard[d.bob.Me()]; len(h) > 0 && !((end == "While" || end == "Group.Add") && later < 2) {
					t.Errorf("%s, phase %d, %d steps later: bob hears %v", end, phase, later, h)
				}
				if h := d.heard[d.ann.Me()]; !slices.Equal(h, []uint8{7}) {
					t.Errorf("%s, phase %d, %d steps later: ann hears %v", end, phase, later, h)
				}
			}
		}
	}
}

// What a game writes into NodeData and back, with a call or a removal in the tree between, has no effect.
func TestRelevanceThereAndBack(t *testing.T) {
	for what, between := range map[string]func(d *den, e *donburi.Entry){
		"call":    func(d *den, e *donburi.Entry) { _ = d.cry.Send(e, 1) },
		"removal": func(_ *den, e *donburi.Entry) { e.Remove() },
	} {
		d := newDen(t)
		e := d.server.Create(d.note)
		if err := tendon.Attach(e, d.thing); err != nil {
			t.Fatal(err)
		}
		d.settle(0)
		data := components.RplNode.Get(d.thing)
		data.Relevance = rpl.OwnerOnly
		between(d, e)
		data.Relevance = rpl.Near
		d.lab.Steps(60)
		if _, ok := d.bob.Find(tendon.ID(d.thing)); !ok {
			t.Errorf("%s: bob has lost what he may see", what)
		}
	}
}

// While nothing comes from bob, his sight ends: by all the ways above, and by distance. From the next
// send on he is no viewer, and hears no call that is made then once his line is back. Where the node is in his
// sight again by then he has it again, and is told what it is.
func TestSightEndsWhileSilent(t *testing.T) {
	type way struct{ ends, again func(d *den) }
	ways := map[string]way{
		"it walks out of Exit": {
			func(d *den) { d.note.Get(d.thing).Pos.X = 601 },
			func(d *den) { d.note.Get(d.thing).Pos.X = 0 },
		},
		"it is taken away": {
			func(d *den) { d.note.Get(d.thing).Pos.X = 5000; tendon.Teleport(d.thing) },
			func(d *den) { d.note.Get(d.thing).Pos.X = 0; tendon.Teleport(d.thing) },
		},
		"it is large": {
			func(d *den) {
				d.thing.AddComponent(components.Extent)
				components.Extent.Get(d.thing).Radius = 200
				d.note.Get(d.thing).Pos.X = 5000
			},
			func(d *den) { d.note.Get(d.thing).Pos.X = 0 },
		},
		"bob's observer goes": {
			func(d *den) { d.eyes[d.bob.Me()].RemoveComponent(components.Observer) },
			func(d *den) { d.eyes[d.bob.Me()].AddComponent(components.Observer) },
		},
		"bob is taken away": {
			func(d *den) { d.note.Get(d.eyes[d.bob.Me()]).Pos.X = 5000 },
			func(d *den) { d.note.Get(d.eyes[d.bob.Me()]).Pos.X = 0 },
		},
	}
	for end, ends := range sightEnds {
		ways[end] = way{ends: ends}
		if end == "AskAgain of bob" || end == "AskAgain of all" {
			ways[end] = way{ends, func(d *den) { clear(d.blinders.worn); d.server.AskAgain(0, nil) }}
		}
	}
	for name, w := range ways {
		for _, silence := range []int{10, 50, 70, 90} {
			for _, again := range []bool{false, true} {
				if again && w.again == nil {
					continue
				}
				d := newDen(t)
				if name == "While" {
					d.circle.Add(d.thing)
				}
				d.settle(0)
				d.cut(true)
				d.lab.Steps(silence)
				w.ends(d)
				d.lab.Steps(2)
				if name == "it is large" { // its extent is looked at now and then
					d.lab.Steps(60)
				}
				if slices.Contains(slices.Collect(tendon.Viewers(d.thing)), d.bob.Me()) {
					t.Errorf("%s after %d silent steps: bob is a viewer", name, silence)
				}
				if err := d.cry.Send(d.thing, 7); err != nil {
					t.Fatal(err)
				}
				d.note.Get(d.thing).Text = "SECRET"
				d.lab.Steps(30)
				if again {
					w.again(d)
				}
				d.lab.Steps(60)
				d.cut(false)
				if told := d.told("SECRET", 240); told[d.bob] != again {
					t.Errorf("%s after %d silent steps, in sight again %v: bob is told %v", name, silence, again, told[d.bob])
				}
				if h := d.heard[d.bob.Me()]; len(h) > 0 {
					t.Errorf("%s after %d silent steps: bob hears %v", name, silence, h)
				}
			}
		}
	}
}
