package ecs_test

// Wake and OnWake.

import (
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type fuseData struct {
	Lit   uint16   `rpl:""`
	Burst uint16   `rpl:""`
	Ends  rpl.Tick `rpl:""`
}

// A wake comes at its tick, once, dies with its entity, and with the level.
func TestWake(t *testing.T) {
	p := tendon.NewProtocol("wake")
	fuse := tendon.Replicate(p, "fuse", donburi.NewComponentType[fuseData]())
	local := donburi.NewComponentType[int]()
	r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err != nil {
		t.Fatal(err)
	}
	woken := map[donburi.Entity][]rpl.Tick{}
	order := []string{}
	note := func(c tendon.Call) { woken[c.Entry.Entity()] = append(woken[c.Entry.Entity()], c.Tick) }
	r.OnWake(fuse, func(c tendon.Call) {
		note(c)
		order = append(order, "node")
		if c.Tick == 10 { // asked for in a wake, for a tick that is past: the next
			tendon.Wake(c.Entry, 3)
		}
	})
	r.OnWake(local, func(c tendon.Call) { note(c); order = append(order, "local") })
	var a, b, l *donburi.Entry
	for r.Tick() < 30 {
		r.Receive()
		if r.Tick() == 2 {
			l = r.World().Entry(r.World().Create(local))
			a, b = r.Create(fuse), r.Create(fuse)
			for range 2 {
				tendon.Wake(l, 10)
				tendon.Wake(a, 10)
			}
			tendon.Wake(a, 20)
			tendon.Wake(b, 20)
		}
		if r.Tick() == 15 {
			b.Remove()
			r.Create(fuse) // in its slot
		}
		r.Send()
	}
	if !slices.Equal(woken[a.Entity()], []rpl.Tick{10, 11, 20}) || !slices.Equal(woken[l.Entity()], []rpl.Tick{10}) || len(woken) != 2 {
		t.Errorf("woken: %v", woken)
	}
	if !slices.Equal(order, []string{"node", "local", "node", "node"}) {
		t.Errorf("in the order %v", order)
	}
	tendon.Wake(a, 40)
	r.Load("next")
	for r.Tick() < 60 {
		r.Receive()
		r.Send()
	}
	if n := len(woken[a.Entity()]); n != 3 {
		t.Errorf("a wake of the level before has come")
	}
}

// A wake that a command asks for is predicted: it comes at the same tick on both machines, runs
// again with a correction, shows its effect once, and one that only a wrong prediction has asked
// for never comes.
func TestWakesArePredicted(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 60 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}} {
		for _, burns := range []rpl.Tick{25, 4} { // the second in less than a correction goes back
			wakesArePredicted(t, c, burns)
		}
	}
}

func wakesArePredicted(t *testing.T, c netsim.Conditions, burns rpl.Tick) {
	net := mem.NewNetwork(1, c)
	p := tendon.NewProtocol("wakes")
	fuse := tendon.Replicate(p, "fuse", donburi.NewComponentType[fuseData]())
	light := tendon.NewCommand[struct {
		Light bool `rpl:"edge"`
	}](p, "light", fuse)
	var server, client *tendon.Replication
	at := map[*tendon.Replication]map[rpl.Tick]int{}
	replays, shown, corrections, strays := 0, 0, 0, 0
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		at[r] = map[rpl.Tick]int{}
		light.Apply(r, func(c tendon.Call, k struct {
			Light bool `rpl:"edge"`
		},
		) {
			if f := fuse.Get(c.Entry); k.Light && f.Ends == 0 {
				f.Lit++
				f.Ends = c.Tick + burns
				tendon.Wake(c.Entry, f.Ends)
			}
		})
		r.OnWake(fuse, func(c tendon.Call) {
			f := fuse.Get(c.Entry)
			if f.Ends != c.Tick {
				strays++
				return
			}
			f.Burst++
			f.Ends = 0
			if c.Replay {
				replays++
			}
			at[r][c.Tick]++
			if r == client {
				c.Once(0, func(time.Duration) { shown++ })
			}
		})
		return r
	}
	server, client = session(true), session(false)
	client.OnCorrection(func(tendon.Correction) { corrections++ })
	step := 0
	light.Sample(client, func(*donburi.Entry) (k struct {
		Light bool `rpl:"edge"`
	},
	) {
		k.Light = step > 200 && step < 1100 && step%60 == 0
		return k
	})
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(fuse), q) })
	l := net.Listener()
	server.Host(l)
	client.Join(net.Dialer(l))
	for step = range 1400 {
		net.Advance(time.Second / 60)
		server.Receive()
		if step%23 == 0 { // the world interferes: a correction that runs wakes again
			for e := range fuse.Iter(server.World()) {
				fuse.Get(e).Lit += 100
			}
		}
		light.Run(server)
		server.Send()
		client.Receive()
		light.Run(client)
		client.Send()
	}
	if corrections == 0 || replays == 0 {
		t.Fatalf("%d corrections, and no wake ran again: %d", corrections, replays)
	}
	if c.Loss == 0 && strays > 0 {
		t.Errorf("woken %d times at a tick that nobody asked for", strays)
	}
	if len(at[server]) < 10 {
		t.Fatalf("only %d have burst", len(at[server]))
	}
	for tick, n := range at[server] {
		if n != 1 {
			t.Errorf("tick %d: burst %d times on the server", tick, n)
		}
		if c.Loss == 0 && at[client][tick] == 0 {
			t.Errorf("tick %d: not predicted", tick)
		}
	}
	if c.Loss == 0 && len(at[client]) != len(at[server]) {
		t.Errorf("%d on the client, %d on the server", len(at[client]), len(at[server]))
	}
	if shown < len(at[server]) || c.Loss == 0 && shown != len(at[server]) {
		t.Errorf("shown %d times, %d have burst", shown, len(at[server]))
	}
	for e := range fuse.Iter(client.World()) {
		o, _ := server.Find(tendon.ID(e))
		if mine, its := *fuse.Get(e), *fuse.Get(o); mine != its {
			t.Errorf("in the end %v, on the server %v", mine, its)
		}
	}
}

// A wake of a part wakes the part, where it is predicted too, and not its node.
func TestWakeOfAPart(t *testing.T) {
	p := tendon.NewProtocol("tanks")
	tank := tendon.Replicate(p, "tank", donburi.NewComponentType[knightData]())
	gun := tendon.Replicate(p, "gun", donburi.NewComponentType[fuseData]())
	walk := tendon.NewCommand[int8](p, "walk", tank)
	tanks := tendon.NewPrefab(p, "tank", func(w donburi.World, _ tendon.None) *donburi.Entry {
		e := w.Entry(w.Create(tank))
		tendon.Part(e, w.Entry(w.Create(gun)))
		return e
	})
	var began rpl.Tick
	server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 60 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, _ int8) {
		if began != 0 && c.Tick == began {
			e, _ := gun.First(c.Entry.World)
			tendon.Wake(e, c.Tick+20)
		}
	})
	woken := map[*tendon.Replication][2]int{}
	for _, r := range []*tendon.Replication{server, client} {
		r.OnWake(gun, func(c tendon.Call) { gun.Get(c.Entry).Burst++; woken[r] = [2]int{woken[r][0] + 1, woken[r][1]} })
		r.OnWake(tank, func(tendon.Call) { woken[r] = [2]int{woken[r][0], woken[r][1] + 1} })
	}
	corrections := 0
	server.OnJoin(func(q rpl.Peer) { tendon.Give(tanks.Spawn(server.World(), tendon.None{}), q) })
	steps(240)
	client.OnCorrection(func(tendon.Correction) { corrections++ })
	began = client.Tick() + 60
	steps(240)
	check(t, "woken on the server: the part, the node", woken[server], [2]int{1, 0})
	check(t, "woken on the client", woken[client], [2]int{1, 0})
	check(t, "corrections", corrections, 0)
}

// An entity that is another node by then is not woken for what it was.
func TestWakeOfAFormerLife(t *testing.T) {
	l := newLab(t, lan)
	m := l.server(tendon.Config{})
	woken := []rpl.Node{}
	m.OnWake(Paint, func(c tendon.Call) { woken = append(woken, tendon.ID(c.Entry)) })
	l.steps(5)
	e := m.World().Entry(m.World().Create(Body, Paint))
	Crate.Adopt(e, CrateArgs{})
	tendon.Wake(e, m.Tick()+30)
	l.steps(10)
	e.RemoveComponent(components.RplNode)
	l.steps(2)
	Crate.Adopt(e, CrateArgs{})
	tendon.Wake(e, m.Tick()+60)
	l.steps(90)
	if want := tendon.ID(e); len(woken) != 1 || woken[0] != want {
		t.Errorf("woken: %v, not %v alone", woken, want)
	}
}
