package ecs_test

// The cost of references on a client: one write for each reference whose node comes or
// goes, whatever other nodes do.

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Pointer refers to nodes, and counts how often the library has written it.
var Pointer = tendon.ReplicateAs(proto, "pointer", donburi.NewComponentType[pointerData](),
	func(_ *donburi.Entry, c *pointerData) pointerWire { return c.to },
	func(_ *donburi.Entry, c *pointerData, w pointerWire) { c.to, c.written = w, c.written+1 })

type (
	pointerData struct {
		to      pointerWire
		written int
	}
	pointerWire struct {
		One  donburi.Entity   `rpl:"notify"`
		Many []donburi.Entity `rpl:"max=4"`
	}
)

// pointers makes n nodes that refer to one node and to themselves.
func (m *machine) pointers(n int, to donburi.Entity) (ents []donburi.Entity) {
	for range n {
		e := m.Create(Pointer)
		Pointer.Get(e).to = pointerWire{One: to, Many: []donburi.Entity{e.Entity(), to, to}}
		ents = append(ents, e.Entity())
	}
	return ents
}

// written returns how often the library has written the pointers of a machine.
func (m *machine) written() (n int) {
	for e := range Pointer.Iter(m.World()) {
		n += Pointer.Get(e).written
	}
	return n
}

// A node that nobody refers to comes and goes without a write. A node that some pointers
// refer to costs one write for each of them, however many pointers refer to other nodes.
func TestReferencesCostOnlyTheirReferrers(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	target, few := server.Create(Paint).Entity(), server.Create(Paint).Entity()
	server.pointers(300, target)
	server.pointers(3, few)
	l.steps(30)
	check(t, "they are there", client.count(Pointer), 303)
	before := client.written()
	var shots []donburi.Entity
	for range 60 {
		shots = append(shots, server.Create(Paint).Entity())
		if len(shots) > 20 {
			server.World().Remove(shots[0])
			shots = shots[1:]
		}
		l.steps(1)
	}
	check(t, "writes for what nobody refers to", client.written()-before, 0)
	components.RplNode.Get(server.World().Entry(few)).Relevance = rpl.OwnerOnly
	l.steps(30)
	check(t, "writes for what three refer to", client.written()-before, 3)
	components.RplNode.Get(server.World().Entry(few)).Relevance = rpl.Always
	l.steps(30)
	check(t, "and when it comes again", client.written()-before, 6)
}

// When many nodes that refer to each other end at once, each is written a bounded number of
// times, which does not grow with the number of nodes.
func TestReferringNodesGoAtOnce(t *testing.T) {
	const n = 1000
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	written, gone, stale := 0, 0, 0
	client.OnStreamOut(Pointer, func(e *donburi.Entry, _ bool) {
		p := Pointer.Get(e)
		written, gone = written+p.written, gone+1
		if one := p.to.One; one != donburi.Null && !client.World().Valid(one) {
			stale++
		}
	})
	l.joined()
	ring := server.pointers(n, donburi.Null)
	for i, ent := range ring {
		Pointer.Get(server.World().Entry(ent)).to.One = ring[(i+1)%n]
	}
	l.steps(60)
	check(t, "they are there", client.count(Pointer), n)
	before := client.written()
	for _, ent := range ring {
		server.World().Remove(ent)
	}
	l.until("they have gone", func() bool { return gone == n })
	if written -= before; written > 2*n {
		t.Errorf("%d nodes were written %d times as they went", n, written)
	}
	check(t, "refer to what was taken away before them", stale, 0)
}

// When a node goes, OnChange runs for the nodes that refer to it in the order in which they
// arrived, whatever they referred to meanwhile.
func TestReferencesChangeInOrder(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	var came, told []rpl.Node
	client.OnStreamIn(Pointer, func(e *donburi.Entry) { came = append(came, tendon.ID(e)) })
	l.joined()
	a, b := server.Create(Paint).Entity(), server.Create(Paint).Entity()
	ents := server.pointers(40, a)
	l.steps(30)
	for _, i := range []int{7, 3, 39, 0, 20, 7} {
		for _, to := range []donburi.Entity{b, a} {
			Pointer.Get(server.World().Entry(ents[i])).to.One = to
			l.steps(2)
		}
	}
	l.steps(10)
	tendon.OnChange(client.Replication, Pointer, func(e *donburi.Entry, _ pointerData) { told = append(told, tendon.ID(e)) })
	components.RplNode.Get(server.World().Entry(a)).Relevance = rpl.OwnerOnly
	l.steps(30)
	if check(t, "came", len(came), 40); !slices.Equal(told, came) {
		t.Errorf("told of %v, which came as %v", told, came)
	}
}

// BenchmarkReferrers measures a client's Receive while nodes come and go to which nobody
// refers, beside n nodes that refer to another one.
func BenchmarkReferrers(b *testing.B) {
	for _, n := range []int{0, 500, 2000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchReferrers(b, n) })
	}
}

func benchReferrers(b *testing.B, n int) {
	net := mem.NewNetwork(1, netsim.Conditions{})
	listener := net.Listener()
	made := func() *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), proto, tendon.Config{Sends: 60})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	server, client := made(), made()
	server.Host(listener)
	client.Join(net.Dialer(listener))
	var spent time.Duration
	step := func() {
		net.Advance(time.Second / 60)
		server.Receive()
		server.Send()
		from := time.Now()
		client.Receive()
		spent += time.Since(from)
		client.Send()
	}
	to := server.Create(Paint).Entity()
	for range n {
		Pointer.Get(server.Create(Pointer)).to.One = to
	}
	for range 120 {
		step()
	}
	var shots []donburi.Entity
	spent = 0
	for b.Loop() {
		for range 10 {
			shots = append(shots, server.Create(Paint).Entity())
		}
		if len(shots) > 100 {
			for _, ent := range shots[:10] {
				server.World().Remove(ent)
			}
			shots = shots[10:]
		}
		step()
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/receive")
}
