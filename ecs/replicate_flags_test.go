package ecs_test

// Optional values, items of many props, an owner's own props, and the flags of NodeData
// (transient nodes, rates, weights) in whole sessions.

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

type (
	// MaybeData has values that may be absent.
	MaybeData struct {
		Shield rpl.Opt[float64]    `rpl:"min=0,max=1,bits=8"`
		Goal   rpl.Opt[gmath.Vec]  `rpl:"step=1/8"`
		Title  rpl.Opt[string]     `rpl:"max=20"`
		Marks  [61]rpl.Opt[uint32] `rpl:""`
	}
	// WideData has as many props as an item may have.
	WideData struct {
		A, B, C, D, E, F, G, H RowData `rpl:""`
		I, J, K, L, M, N, O, P RowData `rpl:""`
	}
	RowData struct {
		A, B, C, D, E, F, G, H uint8 `rpl:""`
	}
	// HandData is a hand of cards: everyone sees how many, only the owner sees the rest.
	HandData struct {
		Cards uint8    `rpl:""`
		Plan  string   `rpl:"max=32,to=owner"`
		Held  []uint32 `rpl:"max=16,to=owner"`
	}
	PulseData struct {
		N int32 `rpl:"notify"`
	}
	SparkArgs struct {
		From  gmath.Vec `rpl:"step=1/8"`
		Speed int32     `rpl:""`
	}
)

// sparkNode makes sparks transient: each machine moves them by itself.
var sparkNode = components.NodeData{Transient: true}

func newSpark(w donburi.World, a SparkArgs) *donburi.Entry {
	e := w.Entry(w.Create(Pulse))
	Pulse.SetValue(e, PulseData{N: a.Speed})
	return e
}

// fly moves sparks. It runs on every machine, whatever its role.
func fly(m *machine) {
	for e := range Pulse.Iter(m.World()) {
		Pulse.Get(e).N++
	}
}

// M18: a transient node is built from its arguments on each machine, which then moves it by
// itself; after the arrival only its end is sent.
func TestTransient(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, scale := l.weighedServer()
			client := l.guest("client")
			l.joined()
			for _, m := range l.machines {
				m.step = func() { fly(m) }
			}
			e := Spark.Spawn(server.World(), SparkArgs{Speed: 1000})
			id := tendon.ID(e)
			l.until("the client has it", func() bool { return client.has(id) })
			l.steps(30)
			records := server.Core().Counters().Records
			mine := Pulse.Get(client.find(id)).N
			Pulse.Get(e).N += 100000
			scale.pans[0].empty()
			l.steps(60)
			check(t, "moved by the client alone", Pulse.Get(client.find(id)).N, mine+60)
			check(t, "updates sent", server.Core().Counters().Records-records, 0)
			server.World().Remove(e.Entity())
			l.until("its end has come", func() bool { return client.count(Pulse) == 0 })
		})
	}
}

// A transient node that has moved on the authority before it arrives at a client is moved
// from then on by that client alone, and drawn there.
func TestTransientOnItsWay(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	e := Flash.Spawn(server.World(), CrateArgs{})
	id, ent := tendon.ID(e), e.Entity()
	server.step = func() { Body.Get(server.World().Entry(ent)).Pos.X++ }
	l.steps(60)
	client := l.client(tendon.Config{})
	l.joined()
	l.until("the client has it", func() bool { return client.has(id) })
	was := Body.Get(client.find(id)).Pos.X
	client.step = func() { Body.Get(client.find(id)).Pos.Y += 2 }
	for range 60 {
		client.Frame()
		l.steps(1)
	}
	here := client.find(id)
	check(t, "moved by the client alone", Body.Get(here).Pos, gmath.Vec{X: was, Y: 120})
	client.Frame()
	check(t, "and drawn there", tendon.View(here, Body).Pos, gmath.Vec{X: was, Y: 120})
	check(t, "in place too", Body.Get(here).Pos, gmath.Vec{X: was, Y: 120})
}

// Transient takes effect if it is set before the node is first sent. Later it is refused.
func TestTransientInTime(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	var ids [2]rpl.Node
	for i := range ids {
		ids[i] = tendon.ID(server.Create(Paint))
	}
	components.RplNode.Get(server.find(ids[0])).Transient = true
	l.steps(10)
	components.RplNode.Get(server.find(ids[1])).Transient = true
	l.steps(10)
	check(t, "refused", *server.Counter("RplNode refused"), 1)
	for _, id := range ids {
		Paint.Get(server.find(id)).Colour = 9
	}
	l.steps(10)
	check(t, "of the transient one the client is told", Paint.Get(client.find(ids[0])).Colour, 1)
	check(t, "of the other", Paint.Get(client.find(ids[1])).Colour, 9)
}

// M18: an entity without RplNode stays on its machine, even with replicated components.
func TestLocalStays(t *testing.T) {
	l := newLab(t, lan)
	server, scale := l.weighedServer()
	client := l.guest("client")
	l.joined()
	w := server.World()
	e := w.Entry(w.Create(Pulse, Hand))
	mine := client.World().Create(Pulse)
	l.steps(30)
	sent := func(change func()) (packets, heaviest int) {
		scale.pans[0].empty()
		for range 120 {
			change()
			l.steps(1)
		}
		return len(scale.pans[0].datagrams), scale.pans[0].heaviest()
	}
	quiet, size := sent(func() {})
	packets, heaviest := sent(func() {
		Pulse.Get(e).N++
		Hand.Get(e).Plan += "x"
	})
	check(t, "nodes that it is", tendon.ID(e), 0)
	check(t, "pulses on the client", client.count(Pulse), 1)
	check(t, "the client's own", client.World().Valid(mine), true)
	check(t, "its role", tendon.IsAuthority(client.World().Entry(mine)), true)
	if packets > quiet+1 || heaviest > size {
		t.Errorf("%d packets, the largest of %d bytes; %d of at most %d when nothing changed", packets, heaviest, quiet, size)
	}
	check(t, "records", server.Core().Counters().Records, 0)
}

// M18: a node's rate bounds how often its state is sent, and the newest state arrives.
func TestRate(t *testing.T) {
	l := newLab(t, lan)
	server, _ := l.weighedServer()
	client := l.guest("client")
	seen := map[rpl.Node]int{}
	tendon.OnChange(client.Replication, Pulse, func(e *donburi.Entry, _ PulseData) { seen[tendon.ID(e)]++ })
	l.joined()
	rates := []uint8{0, 2, 10}
	var es []*donburi.Entry
	for _, hz := range rates {
		e := server.Create(Pulse)
		components.RplNode.SetValue(e, components.NodeData{Hz: hz})
		es = append(es, e)
	}
	l.steps(30)
	rng := rand.New(rand.NewPCG(1, 1))
	clear(seen)
	for range 180 { // 3 s
		for _, e := range es {
			Pulse.Get(e).N = rng.Int32() // unpredictable, so that each change must be sent
		}
		l.steps(1)
	}
	during := []int{seen[tendon.ID(es[0])], seen[tendon.ID(es[1])], seen[tendon.ID(es[2])]}
	t.Logf("changes seen in 3 s: %v", during)
	for i, bounds := range [][2]int{{80, 90}, {5, 8}, {26, 32}} {
		if n := during[i]; n < bounds[0] || n > bounds[1] {
			t.Errorf("at a rate of %d: %d changes in 3 s, not %d to %d", rates[i], n, bounds[0], bounds[1])
		}
	}
	l.steps(60)
	for i, e := range es {
		check(t, "the last value", Pulse.Get(client.find(tendon.ID(e))).N, Pulse.Get(es[i]).N)
	}
}

// M18: when the budget does not suffice, heavier nodes are sent more often, and no node is
// left out.
func TestWeight(t *testing.T) {
	l := newLab(t, lan)
	server := l.play(props, "server", tendon.Config{Budget: 8000})
	server.Host(l.listener)
	client := l.guest("client")
	told := map[rpl.Node]int{}
	tendon.OnChange(client.Replication, Pulse, func(e *donburi.Entry, _ PulseData) { told[tendon.ID(e)]++ })
	l.joined()
	var es []*donburi.Entry
	for i := range 80 {
		e := server.Create(Pulse, Wide)
		components.RplNode.SetValue(e, components.NodeData{Weight: []float32{1, 8}[i%2]})
		es = append(es, e)
	}
	l.until("all are there", func() bool { return client.count(Wide) == len(es) })
	rng := rand.New(rand.NewPCG(1, 1))
	clear(told)
	for range 600 {
		for _, e := range es {
			Pulse.Get(e).N = rng.Int32()
			Wide.Get(e).A = RowData{uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32()), 0, 0, 0, 0}
		}
		l.steps(1)
	}
	sums := [2]int{}
	for i, e := range es {
		n := told[tendon.ID(e)]
		sums[i%2] += n
		if n == 0 {
			t.Errorf("node %d was not told of in 10 s", i)
		}
	}
	t.Logf("light %d, heavy %d", sums[0], sums[1])
	if sums[1] < 2*sums[0] {
		t.Errorf("light nodes were told of %d times, heavy ones %d", sums[0], sums[1])
	}
}

// aHand plays a hand of cards whose plan only ann, its owner, may see. It returns what was
// sent to ann and to bob.
func aHand(t *testing.T, plan string, held uint32) (toAnn, toBob []byte) {
	l := newLab(t, lan)
	server, scale := l.weighedServer()
	ann := l.guest("ann")
	l.joined()
	bob := l.guest("bob")
	picks := 0
	Pick.Handle(server.Replication, func(c tendon.Call, _ PickArgs) {
		picks++
		check(t, "who picks", c.From, ann.Me())
	})
	l.joined()
	full, bare := HandData{Cards: 5, Plan: plan, Held: []uint32{1, 2, 3}}, HandData{Cards: 5}
	e := server.Create(Hand)
	*Hand.Get(e) = HandData{Cards: 5, Plan: plan, Held: []uint32{1, 2, 3}}
	tendon.Give(e, ann.Me())
	id := tendon.ID(e)
	l.until("both have it", func() bool { return ann.has(id) && bob.has(id) })
	sees := func(m *machine, want HandData) {
		t.Helper()
		got := *Hand.Get(m.find(id))
		if len(got.Held) == 0 {
			got.Held = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s sees %+v, not %+v", m.name, got, want)
		}
	}
	sees(ann, full)
	sees(bob, bare)

	// A change that only the owner sees costs no record for anyone else.
	l.steps(20)
	records := server.Core().Counters().Records
	Hand.Get(e).Held[1], full.Held[1] = held, held
	l.steps(20)
	sees(ann, full)
	sees(bob, bare)
	check(t, "records for a change that one sees", server.Core().Counters().Records-records, 1)

	// The owner calls on the same node.
	for _, m := range []*machine{ann, bob} {
		if err := Pick.Send(m.find(id), PickArgs{}); err != nil {
			t.Error(err)
		}
	}
	l.steps(20)
	check(t, "picks", picks, 1)
	toAnn, toBob = scale.pans[0].all(), scale.pans[1].all()

	// The right to see the plan passes to the new owner.
	tendon.Give(e, bob.Me())
	l.steps(30)
	sees(ann, bare)
	sees(bob, full)
	return toAnn, toBob
}

// M14: the owner's extra props and its calls are on the same node as the props that
// everyone sees. The bytes sent to others do not depend on the values of the owner's props.
func TestOwnersProps(t *testing.T) {
	toAnn, toBob := aHand(t, "hide the aces", 0xfeedbeef)
	toAnn2, toBob2 := aHand(t, "play the king", 7)
	if bytes.Equal(toAnn, toAnn2) {
		t.Error("ann was sent the same for two plans: the comparison says nothing")
	}
	if !bytes.Equal(toBob, toBob2) {
		t.Error("what bob was sent depends on what only ann may see")
	}
}

// M13: an absent optional value takes one bit, a present one takes one bit more than the
// value alone; values may appear and disappear.
func TestOptionalValues(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, scale := l.weighedServer()
			client := l.guest("client")
			l.joined()
			arrival := func(cs ...donburi.IComponentType) int {
				least := math.MaxInt
				for range 3 { // one of the arrivals may share its packets with a check
					l.steps(30)
					scale.pans[0].empty()
					e := server.Create(cs...)
					l.until("it is there", func() bool { return client.has(tendon.ID(e)) })
					l.steps(30)
					e.Remove()
					l.steps(60)
					least = min(least, scale.pans[0].heaviest())
				}
				return least
			}
			if c.Loss == 0 {
				without, with := arrival(Pulse), arrival(Pulse, Maybe)
				t.Logf("without %d bytes, with 64 absent values %d", without, with)
				if with-without > 8+1 { // one byte more for the item's name
					t.Errorf("64 absent values take %d bytes", with-without)
				}
			}

			e := server.Create(Maybe)
			id := tendon.ID(e)
			equal := func() bool {
				p, ok := client.Find(id)
				return ok && reflect.DeepEqual(Maybe.Get(p), Maybe.Get(e))
			}
			l.until("it is there", equal)
			m := Maybe.Get(e)
			m.Shield.Set(1)
			m.Goal.Set(gmath.Vec{X: 2.5, Y: -1})
			m.Title.Set("Captain")
			m.Marks[60].Set(0)
			l.until("values have come", equal)
			if v, ok := Maybe.Get(client.find(id)).Marks[60].Get(); !ok || v != 0 {
				t.Errorf("a zero that is there came as %v, %v", v, ok)
			}
			m.Shield.Clear()
			m.Title.Clear()
			m.Marks[60].Clear()
			l.until("values have gone", equal)
			check(t, "one that stayed", Maybe.Get(client.find(id)).Goal, rpl.Some(gmath.Vec{X: 2.5, Y: -1}))
		})
	}
}

// M13: an item may have 128 props. Its keyframe holds the values in order, without prop
// indices, which would take 112 bytes more.
func TestManyProps(t *testing.T) {
	l := newLab(t, lan)
	server, scale := l.weighedServer()
	client := l.guest("client")
	l.joined()
	check(t, "props", len(props.Schema().Items()[itemNamed("wide")].Props), 128)
	l.steps(30)
	scale.pans[0].empty()
	e := server.Create(Wide)
	rng := rand.New(rand.NewPCG(1, 4))
	v := reflect.ValueOf(Wide.Get(e)).Elem()
	for i := range v.NumField() {
		for j := range v.Field(i).NumField() {
			v.Field(i).Field(j).SetUint(1 + rng.Uint64N(255))
		}
	}
	id := tendon.ID(e)
	l.until("it is there", func() bool { return client.has(id) })
	if *Wide.Get(client.find(id)) != *Wide.Get(e) {
		t.Errorf("%v, not %v", *Wide.Get(client.find(id)), *Wide.Get(e))
	}
	if got, index := scale.pans[0].heaviest(), 128*7/8; got >= 128+index {
		t.Errorf("a keyframe of 128 bytes of values is a datagram of %d: there is room for %d bytes of indices", got, index)
	} else {
		t.Logf("a keyframe of 128 bytes of values is a datagram of %d", got)
	}

	scale.pans[0].empty()
	Wide.Get(e).P.H++
	Wide.Get(e).A.A--
	l.until("two have changed", func() bool { return *Wide.Get(client.find(id)) == *Wide.Get(e) })
	if got := scale.pans[0].heaviest(); got > 24+beside {
		t.Errorf("a change of two of 128 is a datagram of %d bytes", got)
	}
}

func itemNamed(name string) int {
	for i, it := range props.Schema().Items() {
		if it.Name == name {
			return i
		}
	}
	return -1
}
