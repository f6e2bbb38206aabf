package ecs_test

// The lab of this package's tests: it runs whole sessions on a virtual clock and a
// simulated network, with the small game that is declared below. A failed test prints
// the seed that reruns it.

import (
	"cmp"
	"flag"
	"fmt"
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

var seedFlag = flag.Uint64("seed", 0, "run with this seed of the network instead of each test's own")

// The game that the tests play.
var (
	proto = tendon.NewProtocol("ecs test")

	Body    = tendon.Replicate(proto, "body", donburi.NewComponentType[BodyData]())
	Paint   = tendon.Replicate(proto, "paint", donburi.NewComponentType[PaintData](PaintData{Colour: 1}))
	Ammo    = tendon.Replicate(proto, "ammo", donburi.NewComponentType[AmmoData]())
	Link    = tendon.Replicate(proto, "link", donburi.NewComponentType[LinkData]())
	Lazy    = tendon.Replicate(proto, "lazy", donburi.NewComponentType[LazyData]())
	Foreign = tendon.Replicate(proto, "foreign", donburi.NewComponentType[ForeignData](), rpl.Tags{"Value": "notify"})
	Opaque  = tendon.ReplicateAs(proto, "opaque", donburi.NewComponentType[opaqueData](),
		func(_ *donburi.Entry, c *opaqueData) opaqueWire { return opaqueWire{X: c.x, Y: c.y} },
		func(_ *donburi.Entry, c *opaqueData, w opaqueWire) { c.x, c.y = w.X, w.Y })

	Transform = tendon.Replicate(proto, "transform", components.Transform)

	Local = donburi.NewComponentType[LocalData]()

	Crate = tendon.NewPrefab(proto, "crate", newCrate)
	Tank  = tendon.NewPrefab(proto, "tank", newTank)
	Ghost = tendon.NewPrefab(proto, "ghost", newCrate, components.NodeData{Relevance: rpl.OwnerOnly, Keep: true})
	Late  = tendon.NewPrefab[tendon.None](proto, "late", nil)
	Chat  = tendon.NewRPC[string](proto, "chat", rpl.ToServer, rpl.Reliable).FromAnyone()
	Boom  = tendon.NewRPC[uint8](proto, "boom", rpl.Broadcast, rpl.Reliable)
	Tell  = tendon.NewRPC[string](proto, "tell", rpl.Broadcast, rpl.Reliable)
	Touch = tendon.NewRPC[TouchArgs](proto, "touch", rpl.ToServer, rpl.Reliable)
	calls = map[rpl.Target]map[rpl.Lane]*tendon.RPC[uint8]{}

	Opener = tendon.NewPrefab(proto, "opener", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(Opaque))
	})
)

type (
	BodyData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp=inplace,pos"`
		Rot   gmath.Rad `rpl:"angle,bits=12,interp"`
		local int
	}
	PaintData struct {
		Colour uint8  `rpl:"notify"`
		Name   string `rpl:"notify,max=32"`
	}
	AmmoData struct {
		Left int `rpl:"min=0,max=1000,to=owner"`
	}
	LinkData struct {
		Target donburi.Entity `rpl:""`
	}
	LazyData struct {
		N    int32 `rpl:"explicit"`
		More int32 `rpl:""`
	}
	ForeignData struct {
		Value   int32
		Pointer *int
	}
	opaqueData struct {
		x, y float64
	}
	opaqueWire struct {
		X float64 `rpl:"step=1/32,interp"`
		Y float64 `rpl:"step=1/32,interp=inplace"`
	}
	TouchArgs struct {
		What  donburi.Entity          `rpl:"has=paint"`
		Other rpl.Opt[donburi.Entity] `rpl:"has=paint"`
	}
	LocalData struct{ From string }
	CrateArgs struct {
		Label string    `rpl:"max=32"`
		Pos   gmath.Vec `rpl:"step=1/32"`
		Note  string    `rpl:"-"`
	}
)

func init() {
	for _, to := range []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast} {
		calls[to] = map[rpl.Lane]*tendon.RPC[uint8]{}
		for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
			calls[to][lane] = tendon.NewRPC[uint8](proto, fmt.Sprintf("call %d %d", to, lane), to, lane)
		}
	}
}

// newCrate builds a node that has a local component as well.
func newCrate(w donburi.World, a CrateArgs) *donburi.Entry {
	e := w.Entry(w.Create(Body, Paint, Local))
	Local.SetValue(e, LocalData{From: a.Label + a.Note})
	Body.Get(e).Pos = a.Pos
	return e
}

// newTank builds a node of two entities: a hull, and a turret as its part.
func newTank(w donburi.World, _ tendon.None) *donburi.Entry {
	hull := w.Entry(w.Create(Body, Local))
	turret := w.Entry(w.Create(Body, Ammo))
	tendon.Part(hull, turret)
	Local.SetValue(hull, LocalData{From: fmt.Sprint(uint64(turret.Entity()))})
	return hull
}

func turretOf(hull *donburi.Entry) *donburi.Entry {
	var id uint64
	fmt.Sscan(Local.Get(hull).From, &id)
	return hull.World.Entry(donburi.Entity(id))
}

// A lab is a network and the machines on it.
type lab struct {
	*testing.T
	net      *mem.Network
	listener *mem.Listener
	machines []*machine
	seed     uint64
}

type machine struct {
	*tendon.Replication
	lab   *lab
	name  string
	log   []string // what the callbacks said
	joins bool
	ended error
	step  func()

	asleep int // how many steps it skips, as a stalled game does
}

func newLab(t *testing.T, c netsim.Conditions) *lab {
	t.Helper()
	l := &lab{T: t, seed: cmp.Or(*seedFlag, 1)}
	l.net = mem.NewNetwork(l.seed, c)
	l.listener = l.net.Listener()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("rerun with -seed %d", l.seed)
		}
	})
	return l
}

// machine adds a machine in single player.
func (l *lab) machine(name string, c tendon.Config) *machine {
	l.Helper()
	return l.machineIn(donburi.NewWorld(), name, c)
}

func (l *lab) machineIn(w donburi.World, name string, c tendon.Config) *machine {
	l.Helper()
	r, err := tendon.New(w, proto, c)
	if err != nil {
		l.Fatal(err)
	}
	m := &machine{Replication: r, lab: l, name: name}
	r.OnEnd(func(err error) { m.ended = err })
	l.machines = append(l.machines, m)
	return m
}

func (l *lab) server(c tendon.Config) *machine {
	l.Helper()
	m := l.machine("server", c)
	m.Host(l.listener)
	return m
}

func (l *lab) client(c tendon.Config) *machine {
	l.Helper()
	m := l.machine(fmt.Sprintf("client %d", len(l.machines)), c)
	m.joins = true
	m.Join(l.net.Dialer(l.listener))
	return m
}

func (m *machine) say(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// said returns what the callbacks have said so far, and clears the log.
func (m *machine) said() []string {
	log := m.log
	m.log = nil
	return log
}

// steps runs a number of fixed steps on every machine.
func (l *lab) steps(n int) {
	for range n {
		l.net.Advance(time.Second / 60)
		for _, m := range l.machines {
			if m.asleep > 0 {
				m.asleep--
				continue
			}
			m.Receive()
			if m.step != nil {
				m.step()
			}
			m.Send()
		}
	}
}

// until runs steps until ok, at most ten seconds of them.
func (l *lab) until(what string, ok func() bool) {
	l.Helper()
	for range 600 {
		if ok() {
			return
		}
		l.steps(1)
	}
	l.Fatalf("after 10 s still not: %s", what)
}

// joined runs steps until the servers have a seat for every client, and 20 more.
func (l *lab) joined() {
	l.Helper()
	l.until("all have joined", func() bool {
		seats, players := 0, 0
		for _, m := range l.machines {
			if m.joins {
				players++
			}
			for p := range m.Peers() {
				if m.IsAuthority() && p != m.Me() {
					seats++
				}
			}
		}
		return seats == players
	})
	l.steps(20)
}

// find returns the entity of a node on this machine. Without one the test fails.
func (m *machine) find(id rpl.Node) *donburi.Entry {
	m.lab.Helper()
	e, ok := m.Find(id)
	if !ok {
		m.lab.Fatalf("%s has no %v", m.name, id)
	}
	return e
}

func (m *machine) has(id rpl.Node) bool {
	_, ok := m.Find(id)
	return ok
}

func (m *machine) count(c donburi.IComponentType) int {
	n := 0
	for _, a := range m.World().Archetypes() {
		for _, t := range a.ComponentTypes() {
			if t == c {
				n += a.Count()
			}
		}
	}
	return n
}

func check[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

var lan = netsim.Conditions{Delay: 20 * time.Millisecond}
