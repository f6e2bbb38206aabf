package ecs_test

// Predicted spawns, and effects that are shown once.

import (
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
	gunData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
		Ammo  uint16    `rpl:"to=owner"`
		Fired uint16    `rpl:""`
	}
	shellData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
		Age uint16    `rpl:""`
		Nr  uint16    `rpl:""`
	}
	shellArgs struct {
		Pos gmath.Vec `rpl:"step=1/32"`
		Nr  uint16    `rpl:""`
	}
	trigger struct {
		Move gmath.Vec `rpl:"step=1/64"`
		Fire bool      `rpl:"edge"`
		Nr   uint16    `rpl:""` // of the press
	}
)

// A range is a server and two clients, of which one shoots.
type shootingRange struct {
	t                     *testing.T
	net                   *mem.Network
	gun                   *donburi.ComponentType[gunData]
	shell                 *donburi.ComponentType[shellData]
	fire                  *tendon.Command[trigger]
	fly                   *tendon.Command[tendon.None]
	server, client, other *tendon.Replication
	input                 trigger
	lasts                 uint16 // steps of a shell
	flashes               map[uint16]int
	late                  map[uint16]time.Duration
	comes, goes           int // of shells, as OnStreamIn and OnStreamOut tell the client
	shells                *tendon.Prefab[shellArgs]
	flies                 func(c tendon.Call, s *shellData) // what else a shell does in each tick
	jams                  func(nr uint16) bool              // whether a shot fails on the server, of which the client does not know
}

func newRange(t *testing.T, c netsim.Conditions, seed uint64, node ...components.NodeData) *shootingRange {
	p := tendon.NewProtocol("range")
	x := &shootingRange{t: t, net: mem.NewNetwork(seed, c), lasts: 60, flashes: map[uint16]int{}, late: map[uint16]time.Duration{}}
	x.gun = tendon.Replicate(p, "gun", donburi.NewComponentType[gunData]())
	x.shell = tendon.Replicate(p, "shell", donburi.NewComponentType[shellData]())
	x.shells = tendon.NewPrefab(p, "shell", func(w donburi.World, a shellArgs) *donburi.Entry {
		e := w.Entry(w.Create(x.shell))
		x.shell.SetValue(e, shellData{Pos: a.Pos, Nr: a.Nr})
		return e
	}, node...)
	x.fire = tendon.NewCommand[trigger](p, "fire", x.gun)
	x.fly = tendon.NewCommand[tendon.None](p, "fly", x.shell)
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		x.fire.Apply(r, func(c tendon.Call, k trigger) {
			g := x.gun.Get(c.Entry)
			g.Pos = g.Pos.Add(k.Move)
			if !k.Fire || g.Ammo == 0 || x.jams != nil && tendon.IsAuthority(c.Entry) && x.jams(k.Nr) {
				return
			}
			g.Ammo--
			g.Fired++
			x.shells.Predict(c, 0, shellArgs{g.Pos, k.Nr})
			if nr := k.Nr; r == x.client {
				c.Once(0, func(late time.Duration) { x.flashes[nr]++; x.late[nr] = late })
			}
		})
		x.fly.Apply(r, func(c tendon.Call, _ tendon.None) {
			s := x.shell.Get(c.Entry)
			s.Pos.X += 5
			if x.flies != nil {
				x.flies(c, s)
			}
			if s.Age++; s.Age >= x.lasts && tendon.IsAuthority(c.Entry) {
				c.Entry.Remove()
			}
		})
		return r
	}
	x.server, x.client, x.other = session(true), session(false), session(false)
	x.fire.Sample(x.client, func(*donburi.Entry) trigger { k := x.input; x.input.Fire = false; return k })
	x.client.OnStreamIn(x.shell, func(*donburi.Entry) { x.comes++ })
	x.client.OnStreamOut(x.shell, func(*donburi.Entry, bool) { x.goes++ })
	x.server.OnJoin(func(q rpl.Peer) {
		e := x.server.Create(x.gun)
		x.gun.Get(e).Ammo = 1000
		tendon.Give(e, q)
	})
	l := x.net.Listener()
	x.server.Host(l)
	x.client.Join(x.net.Dialer(l))
	x.other.Join(x.net.Dialer(l))
	x.steps(240)
	armed := func() bool { _, ok := tendon.Mine(x.client, x.gun); return ok }
	for n := 0; n < 360 && !armed(); n++ { // to join a line that loses bursts takes long, now and then
		x.steps(1)
	}
	if !armed() {
		t.Fatal("the client has no gun")
	}
	return x
}

func (x *shootingRange) steps(n int) {
	for range n {
		x.net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{x.server, x.client, x.other} {
			r.Receive()
			x.fire.Run(r)
			x.fly.Run(r)
			r.Send()
		}
	}
}

// all returns the shells of a machine that are drawn, and how many of them have no id.
func (x *shootingRange) all(r *tendon.Replication) (es []*donburi.Entry, unknown int) {
	for e := range x.shell.Iter(r.World()) {
		if !tendon.Drawn.MatchesLayout(e.Archetype().Layout().Components()) {
			continue
		}
		es = append(es, e)
		if tendon.ID(e) == 0 {
			unknown++
		}
	}
	return es, unknown
}

// A shell is there in the step of the key. The server's takes its place: it is the same
// entity, it goes on where it is, and everyone has one.
func TestPredictedSpawn(t *testing.T) {
	for _, transient := range []bool{false, true} {
		predictedSpawn(t, components.NodeData{Transient: transient})
	}
}

func predictedSpawn(t *testing.T, node components.NodeData) {
	t.Helper()
	x := newRange(t, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond}, 1, node)
	corrections := 0
	x.client.OnCorrection(func(tendon.Correction) { corrections++ })
	x.input.Fire, x.input.Nr = true, 1
	x.steps(1)
	es, unknown := x.all(x.client)
	if len(es) != 1 || unknown != 1 {
		t.Fatalf("in the step of the key there are %d shells", len(es))
	}
	first, at := es[0].Entity(), x.shell.Get(es[0]).Pos.X
	if at != 5 {
		t.Errorf("its rule has moved it to %v", at)
	}
	if !tendon.IsOwner(es[0]) || tendon.IsAuthority(es[0]) || !tendon.Predicted(es[0]) {
		t.Errorf("owner %v, authority %v, predicted %v", tendon.IsOwner(es[0]), tendon.IsAuthority(es[0]), tendon.Predicted(es[0]))
	}
	for range 30 {
		x.steps(1)
		if es, _ = x.all(x.client); len(es) != 1 || es[0].Entity() != first {
			t.Fatalf("there are %d shells, of which the first is %v, was %v", len(es), es[0].Entity(), first)
		}
		if is := x.shell.Get(es[0]).Pos.X; is <= at {
			t.Errorf("it was at %v, is at %v", at, is)
		} else {
			at = is
		}
	}
	if tendon.ID(es[0]) == 0 {
		t.Error("the server's has not taken its place")
	}
	if theirs, _ := x.all(x.other); len(theirs) != 1 || x.shell.Get(theirs[0]).Nr != 1 {
		t.Errorf("the other client has %d shells", len(theirs))
	}
	x.steps(60)
	if es, _ = x.all(x.client); len(es) != 0 || x.comes != 1 || x.goes != 1 || corrections != 0 {
		t.Errorf("in the end: %d shells, %d came, %d went, %d corrections", len(es), x.comes, x.goes, corrections)
	}
}

// What the server does not spawn goes: at once where a correction tells why, else a round
// trip and 250 ms later.
func TestPredictedSpawnRefused(t *testing.T) {
	x := newRange(t, netsim.Conditions{Delay: 60 * time.Millisecond}, 1)
	for e := range x.gun.Iter(x.server.World()) {
		x.gun.Get(e).Ammo = 0 // of which the client does not know yet
	}
	x.input.Fire, x.input.Nr = true, 1
	x.steps(1)
	if es, _ := x.all(x.client); len(es) != 1 {
		t.Fatalf("%d shells", len(es))
	}
	x.steps((120 + 250) * 60 / 1000)
	if es, _ := x.all(x.client); len(es) != 0 || x.comes+x.goes != 0 {
		t.Errorf("%d shells that the server has not, %d came, %d went", len(es), x.comes, x.goes)
	}
	if x.flashes[1] != 1 {
		t.Errorf("it was shown %d times", x.flashes[1])
	}
}

// On bad lines, with presses that come late and corrections that go back beyond shots, no
// shell is there twice or for ever without the server's, and each shot flashes once.
func TestPredictedSpawnsUnderLoss(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{Delay: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05},
		{Delay: 150 * time.Millisecond, Loss: 0.2, Burst: 3, Duplicate: 0.1},
	} {
		for seed := range uint64(4) {
			spawnsUnderLoss(t, c, seed, components.NodeData{Transient: seed%2 == 1})
		}
	}
}

func spawnsUnderLoss(t *testing.T, c netsim.Conditions, seed uint64, node components.NodeData) {
	t.Helper()
	x := newRange(t, c, seed, node)
	presses, push := 0, 0
	alone := map[uint16]int{}        // steps that a shell waits for the server's
	trip := 2 * (c.Delay + c.Jitter) // or as it is measured, where acks are lost
	for i := range 900 {
		trip = max(trip, x.client.Stats(0).RTT)
		wait := int((trip + 300*time.Millisecond) * 60 / time.Second)
		if i%9 == 0 && i < 700 {
			presses++
			x.input.Fire, x.input.Nr = true, uint16(presses)
		}
		if push++; push%40 == 0 { // something that the client does not foresee
			for e := range x.gun.Iter(x.server.World()) {
				x.gun.Get(e).Pos.Y += 7
			}
		}
		x.steps(1)
		seen := map[uint16]int{}
		es, _ := x.all(x.client)
		for _, e := range es {
			nr := x.shell.Get(e).Nr
			if seen[nr]++; seen[nr] > 1 {
				t.Fatalf("seed %d, %+v: in step %d shell %d is there twice, as %v of age %d", seed, c, i, nr, tendon.ID(e), x.shell.Get(e).Age)
			}
			if tendon.ID(e) == 0 {
				alone[nr]++
			}
			if alone[nr] > wait {
				t.Fatalf("seed %d, %+v: shell %d has waited %d steps for the server's", seed, c, nr, alone[nr])
			}
		}
	}
	fired := 0
	for e := range x.gun.Iter(x.server.World()) {
		fired += int(x.gun.Get(e).Fired)
	}
	if fired != presses {
		t.Errorf("seed %d, %+v: %d presses, %d shots", seed, c, presses, fired)
	}
	for nr := range uint16(presses) {
		if n := x.flashes[nr+1]; n != 1 {
			t.Errorf("seed %d, %+v: shot %d has flashed %d times", seed, c, nr+1, n)
		}
	}
	if es, _ := x.all(x.client); len(es) != 0 {
		t.Errorf("seed %d, %+v: %d shells in the end", seed, c, len(es))
	}
}

// Outside of a command there is nothing to predict by.
func TestPredictOutsideOfACommand(t *testing.T) {
	x := newRange(t, netsim.Conditions{}, 1)
	mine, _ := tendon.Mine(x.client, x.gun)
	ran := false
	tendon.Call{Entry: mine}.Once(0, func(late time.Duration) { ran = late == 0 })
	if !ran {
		t.Error("an effect outside of a command has not run")
	}
	p := tendon.NewProtocol("other")
	other := tendon.NewPrefab(p, "other", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(x.shell)) })
	defer func() {
		if recover() == nil {
			t.Error("Predict outside of a command does not panic on a client")
		}
	}()
	other.Predict(tendon.Call{Entry: mine}, 0, tendon.None{})
}

// Commands that are in flight when their node gets another owner move it no more, and what
// they had fired in time stays. The new owner's count from then on.
func TestCommandsAtHandOver(t *testing.T) {
	x := newRange(t, netsim.Conditions{Delay: 60 * time.Millisecond}, 1)
	mine, _ := tendon.Mine(x.client, x.gun)
	id, theirs := tendon.ID(mine), trigger{}
	x.fire.Sample(x.other, func(*donburi.Entry) trigger { return theirs })
	x.input.Move = gmath.Vec{X: 1}
	x.steps(60)
	gun, _ := x.server.Find(id)
	tendon.Give(gun, x.other.Me())
	at := x.gun.Get(gun).Pos
	x.steps(30)
	if is := x.gun.Get(gun).Pos; is != at {
		t.Errorf("commands of the former owner have moved it from %v to %v", at, is)
	}
	if tendon.IsOwner(mine) || tendon.Predicted(mine) {
		t.Errorf("the former owner still owns %v or predicts %v it", tendon.IsOwner(mine), tendon.Predicted(mine))
	}
	if there := x.gun.Get(mine).Pos; there != at {
		t.Errorf("the former owner has it at %v, it is at %v", there, at)
	}
	theirs.Move.Y = 1
	x.steps(60)
	if is := x.gun.Get(gun).Pos; is.X != at.X || is.Y < at.Y+30 {
		t.Errorf("the new owner has moved it from %v to %v", at, is)
	}
}

// What a predicted spawn makes by its own command is there once, also where the authority has made
// the spawn a tick later than the client.
func TestPredictedSpawnsOfASpawnThatIsATickOff(t *testing.T) {
	for _, off := range []rpl.Tick{0, 1, 3} {
		p := tendon.NewProtocol("broods")
		knight := tendon.Replicate(p, "knight", donburi.NewComponentType[knightData]())
		hen := tendon.Replicate(p, "hen", donburi.NewComponentType[henData]())
		chick := tendon.Replicate(p, "chick", donburi.NewComponentType[chickData]())
		walk, brood := tendon.NewCommand[int8](p, "walk", knight), tendon.NewCommand[int8](p, "brood", hen)
		hens := tendon.NewPrefab(p, "hen", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(hen)) })
		chicks := tendon.NewPrefab(p, "chick", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(chick)) })
		var began rpl.Tick
		server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 60 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, _ int8) {
			at := began
			if tendon.IsAuthority(c.Entry) {
				at += off
			}
			if began != 0 && c.Tick == at {
				hens.Predict(c, 0, tendon.None{})
			}
		})
		for _, r := range []*tendon.Replication{server, client} {
			brood.Apply(r, func(c tendon.Call, _ int8) {
				h := hen.Get(c.Entry)
				if h.Age++; h.Age == 2 {
					chicks.Predict(c, 0, tendon.None{})
				}
			})
		}
		brood.Sample(client, func(*donburi.Entry) int8 { return 1 })
		both := func(n int) {
			for range n {
				steps(1)
				for _, r := range []*tendon.Replication{server, client} {
					brood.Run(r)
				}
			}
		}
		server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(knight), q) })
		both(240)
		if _, ok := tendon.Mine(client, knight); !ok {
			t.Fatal("the client has no knight")
		}
		began = client.Tick() + 60
		most := 0
		for range 240 {
			both(1)
			n := 0
			for range chick.Iter(client.World()) {
				n++
			}
			most = max(most, n)
		}
		if most != 1 {
			t.Errorf("%d ticks off: %d chicks at once", off, most)
		}
	}
}

type (
	henData struct {
		Age uint16 `rpl:""`
	}
	chickData struct {
		Age uint16 `rpl:""`
	}
)

// OnChange tells the machine that has predicted a spawn, too, what has become of it since it was made,
// once the server tells of it.
func TestOnChangeOfAPredictedSpawn(t *testing.T) {
	p := tendon.NewProtocol("eggs")
	knight := tendon.Replicate(p, "knight", donburi.NewComponentType[knightData]())
	egg := tendon.Replicate(p, "egg", donburi.NewComponentType[eggData]())
	walk := tendon.NewCommand[int8](p, "walk", knight)
	eggs := tendon.NewPrefab(p, "egg", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(egg)) })
	var began rpl.Tick
	server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 60 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, _ int8) {
		if began != 0 && c.Tick == began {
			egg.Get(eggs.Predict(c, 0, tendon.None{})).Cracks = 3
		}
	})
	told := map[*tendon.Replication]uint8{}
	for _, r := range []*tendon.Replication{server, client} {
		tendon.OnChange(r, egg, func(e *donburi.Entry, old eggData) { told[r] += egg.Get(e).Cracks - old.Cracks })
	}
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(knight), q) })
	steps(240)
	began = client.Tick() + 60
	steps(180)
	check(t, "told on the server", told[server], uint8(3))
	check(t, "told on the client", told[client], uint8(3))
}

type eggData struct {
	Cracks uint8 `rpl:"notify"`
}
