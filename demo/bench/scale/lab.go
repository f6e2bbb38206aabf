package main

// A lab is one server and its clients over the simulated network, in virtual time.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

const (
	hz     = 60
	step   = time.Second / hz
	oneWay = 50 * time.Millisecond
	radius = 100.0    // how far a peer sees, in units
	apart  = 2.0      // units between a peer's observers
	inView = 100      // nodes within radius, where a row does not say otherwise
	budget = 64 << 20 // bytes a second and peer: no row is about what a line carries
)

// protocol is what one lab's machines agree on.
type protocol struct {
	*tendon.Protocol
	body *donburi.ComponentType[body]
	eye  *donburi.ComponentType[eye]
}

// A body is what nearly all nodes are.
type body struct {
	Pos gmath.Vec
	Vel gmath.Vec
}

// An eye is what a peer sees from.
type eye struct {
	Pos gmath.Vec `rpl:"step=1/32,pos"`
}

func newProtocol(explicit bool) protocol {
	p := protocol{Protocol: tendon.NewProtocol("scale")}
	p.body = tendon.Replicate(p.Protocol, "body", donburi.NewComponentType[body]().SetName("Body"), bodyTags(explicit))
	p.eye = tendon.Replicate(p.Protocol, "eye", donburi.NewComponentType[eye]().SetName("Eye"))
	return p
}

// bodyTags are a body's tags; the game says when it has changed an explicit one.
func bodyTags(explicit bool) rpl.Tags {
	tags := rpl.Tags{"Pos": "step=1/32,pos,predict=Vel", "Vel": "step=1/16"}
	if explicit {
		tags["Vel"] += ",explicit"
	}
	return tags
}

// A scene is what a lab is made of.
type scene struct {
	nodes     int
	peers     int
	sends     int          // a second; 0: in every step
	explicit  bool         // the game bumps what it changes
	sees      int          // nodes within radius of a peer; 0: everyone sees everything
	observers int          // of each peer; 0: one where sees is set
	interest  rpl.Interest // nil: a Grid of radius where sees is set
	moving    int          // how many nodes turn at every tick
	roaming   bool         // the peers' observers move
	seed      uint64
}

// A lab is a server with its world, and its clients.
type lab struct {
	scene
	protocol
	net     *mem.Network
	listens *mem.Listener
	server  *tendon.Replication
	clients []*tendon.Replication
	still   bool // nothing moves: clients are joining
	bodies  []donburi.Entity
	eyes    []donburi.Entity
	edge    float64 // side of the square world
	rng     *rand.Rand
	stages  stages
}

// stages are the times of the last step's stages.
type stages struct{ extract, stream time.Duration }

func newLab(s scene) (*lab, error) {
	l := &lab{
		scene: s, protocol: newProtocol(s.explicit), rng: rand.New(rand.NewPCG(s.seed, 0x7363616c65)),
		net: mem.NewNetwork(s.seed, netsim.Conditions{Delay: oneWay}), edge: 4 * radius,
	}
	if s.sends == 0 {
		l.sends = hz
	}
	if s.sees > 0 {
		l.edge = math.Sqrt(float64(s.nodes) * math.Pi * radius * radius / float64(s.sees))
		if l.interest == nil {
			l.interest = rpl.Grid{Enter: radius, Exit: 1.1 * radius}
		}
		l.observers = max(1, l.observers)
	}
	var err error
	l.server, err = tendon.New(donburi.NewWorld(), l.Protocol, tendon.Config{
		Interest: l.interest, Steps: hz, Sends: l.sends, Budget: budget, Dedicated: true,
	})
	if err != nil {
		return nil, err
	}
	l.server.OnJoin(l.seat)
	for range l.nodes {
		e := l.server.Create(l.body)
		l.body.Get(e).Pos = l.anywhere()
		l.bodies = append(l.bodies, e.Entity())
	}
	l.listens = l.net.Listener()
	l.server.Host(l.listens)
	l.step()
	return l, l.join(l.peers)
}

// timeStages measures the stages from now on. To ask for the time is a call to the system, so
// whole steps are measured without.
func (l *lab) timeStages() {
	l.server.After(tendon.Extract, "stopwatch", func(*tendon.Replication) { l.stages.extract = cpu.Thread() })
	l.server.After(tendon.Stream, "stopwatch", func(*tendon.Replication) { l.stages.stream = cpu.Thread() - l.stages.extract })
}

// anywhere is a random place of the world.
func (l *lab) anywhere() gmath.Vec {
	return gmath.Vec{X: l.rng.Float64() * l.edge, Y: l.rng.Float64() * l.edge}
}

// seat gives a peer what it sees from. Several observers of a peer stand beside each other
// and roam together, so that a peer with two sees hardly more nodes than one with one.
func (l *lab) seat(p rpl.Peer) {
	at := l.anywhere()
	for range l.observers {
		e := l.server.Create(l.eye, components.Observer)
		l.eye.Get(e).Pos = at
		at = l.inside(at.Add(gmath.Vec{X: apart}))
		tendon.Give(e, p)
		l.eyes = append(l.eyes, e.Entity())
	}
}

// connect makes one more client, which joins in the steps that follow.
func (l *lab) connect() (*tendon.Replication, error) {
	// A client's world is made anew: the protocol is the server's.
	c, err := tendon.New(donburi.NewWorld(), l.Protocol, tendon.Config{Steps: hz, Sends: l.sends, Interest: l.interest})
	if err != nil {
		return nil, err
	}
	c.Join(l.net.Dialer(l.listens))
	l.clients = append(l.clients, c)
	return c, nil
}

// join has n more clients join, one in each step, and waits until all have what they see.
func (l *lab) join(n int) error {
	l.still = true
	defer func() { l.still = false }()
	for range n {
		if _, err := l.connect(); err != nil {
			return err
		}
		l.step()
	}
	return l.settle()
}

// settle makes steps until every client is in and nobody is told of more nodes.
func (l *lab) settle() error {
	const patience = 60 * hz
	before, still := -1, 0
	for range patience {
		l.step()
		have, in := 0, 0
		for _, c := range l.clients {
			have += c.World().Len()
			if c.Me() != 0 {
				in++
			}
		}
		if still++; have != before || in < len(l.clients) {
			still = 0
		}
		if before = have; still >= hz/2 {
			return nil
		}
	}
	return fmt.Errorf("%d clients were not settled after %d steps", len(l.clients), patience)
}

// step makes one step of all machines and returns the server's time in Receive and Send.
func (l *lab) step() time.Duration {
	l.net.Advance(step)
	took := l.receive()
	l.move()
	took += l.send()
	for _, c := range l.clients {
		c.Receive()
		c.Send()
	}
	return took
}

func (l *lab) receive() time.Duration {
	watch := cpu.StartThread()
	l.server.Receive()
	return watch.Lap()
}

func (l *lab) send() time.Duration {
	watch := cpu.StartThread()
	l.server.Send()
	return watch.Lap()
}

// move turns the first bodies of the world, each at every tick, and lets the eyes roam.
func (l *lab) move() {
	const speed = 60.0 // units a second
	if l.still {
		return
	}
	w := l.server.World()
	for _, e := range l.bodies[:min(l.moving, len(l.bodies))] {
		entry := w.Entry(e)
		b := l.body.Get(entry)
		b.Vel = gmath.Vec{X: (l.rng.Float64() - 0.5) * speed, Y: (l.rng.Float64() - 0.5) * speed}
		b.Pos = l.inside(b.Pos.Add(b.Vel.Mulf(1.0 / hz)))
		if l.explicit {
			tendon.Bump(entry, l.body)
		}
	}
	if !l.roaming {
		return
	}
	for i, e := range l.eyes {
		if !w.Valid(e) {
			continue
		}
		pos := &l.eye.Get(w.Entry(e)).Pos
		angle := gmath.Rad(float64(i/l.observers) + float64(l.server.Tick())/(4*hz))
		*pos = l.inside(pos.Add(gmath.RadToVec(angle).Mulf(2 * speed / hz)))
	}
}

func (l *lab) inside(v gmath.Vec) gmath.Vec {
	return gmath.Vec{X: math.Mod(v.X+l.edge, l.edge), Y: math.Mod(v.Y+l.edge, l.edge)}
}

// close ends all sessions.
func (l *lab) close() {
	for _, c := range l.clients {
		c.Close("measured")
	}
	l.server.Close("measured")
}

// allocs returns how many objects the process has allocated. (Package runtime/metrics would
// tell of many later than they were allocated: what clients have, where the server is measured.)
func (l *lab) allocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
