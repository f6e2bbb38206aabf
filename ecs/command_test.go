package ecs_test

// Commands, prediction and rewinding, over simulated networks.

import (
	"cmp"
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	runnerData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
		Jumps uint16    `rpl:""`
	}
	runKeys struct {
		Dir  gmath.Vec `rpl:"step=1/64"`
		Jump bool      `rpl:"edge"`
	}
)

// A race is a server and a client of a small game with a command.
type race struct {
	t              *testing.T
	net            *mem.Network
	listener       *mem.Listener
	dialer         *mem.Dialer // the client's, where the test has no other
	runner         *donburi.ComponentType[runnerData]
	move           *tendon.Command[runKeys]
	server, client *tendon.Replication
	input          runKeys // of the client's player
	judge          func(c tendon.Call, k runKeys)
	nudge          func()         // something on the server that the client does not foresee
	me             donburi.Entity // the client's runner, on the server
	hz             time.Duration  // steps a second

	host func() (*tendon.Replication, *mem.Listener) // begins another session of the game
}

func newRace(t *testing.T, c netsim.Conditions, changes ...func(*tendon.Config)) *race {
	p := tendon.NewProtocol("race")
	x := &race{t: t, net: mem.NewNetwork(1, c)}
	x.runner = tendon.Replicate(p, "runner", donburi.NewComponentType[runnerData]())
	x.move = tendon.NewCommand[runKeys](p, "move", x.runner)
	session := func() *tendon.Replication {
		config := tendon.Config{Rewind: []donburi.IComponentType{x.runner}}
		for _, change := range changes {
			change(&config)
		}
		x.hz = time.Duration(cmp.Or(config.Steps, 60))
		r, err := tendon.New(donburi.NewWorld(), p, config)
		if err != nil {
			t.Fatal(err)
		}
		x.move.Apply(r, func(c tendon.Call, k runKeys) {
			d := x.runner.Get(c.Entry)
			d.Pos = d.Pos.Add(k.Dir.Mulf(2))
			if k.Jump {
				d.Jumps++
			}
			if x.judge != nil {
				x.judge(c, k)
			}
		})
		return r
	}
	x.host = func() (*tendon.Replication, *mem.Listener) {
		r, l := session(), x.net.Listener()
		r.OnJoin(func(q rpl.Peer) {
			e := r.Create(x.runner)
			tendon.Give(e, q)
			if q != rpl.Server {
				x.me = e.Entity()
			}
		})
		r.Host(l)
		return r, l
	}
	x.client = session()
	x.move.Sample(x.client, func(*donburi.Entry) runKeys { k := x.input; x.input.Jump = false; return k })
	x.server, x.listener = x.host()
	x.dialer = x.net.Dialer(x.listener)
	x.client.Join(x.dialer)
	x.steps(int(4 * x.hz))
	if _, ok := tendon.Mine(x.client, x.runner); !ok {
		t.Fatal("the client has no runner")
	}
	return x
}

func (x *race) steps(n int) {
	for range n {
		x.net.Advance(time.Second / x.hz)
		x.step()
	}
}

// step is a step of both, in no time.
func (x *race) step() {
	x.stepOf(x.server)
	x.stepOf(x.client)
}

func (x *race) stepOf(r *tendon.Replication) {
	r.Receive()
	if r == x.server && x.nudge != nil {
		x.nudge()
	}
	x.move.Run(r)
	r.Send()
}

func (x *race) mine() *donburi.Entry {
	e, _ := tendon.Mine(x.client, x.runner)
	return e
}

// Presses are neither lost nor doubled, whatever the line does, and every command runs once.
func TestPressesArriveOnce(t *testing.T) {
	for _, c := range []netsim.Conditions{{}, {Delay: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1}, {Delay: 100 * time.Millisecond, Loss: 0.2, Burst: 3, Duplicate: 0.1}} {
		x := newRace(t, c)
		presses := 0
		for i := range 600 {
			if i%7 == 0 {
				x.input.Jump, presses = true, presses+1
			}
			x.steps(1)
		}
		x.steps(60)
		e := x.server.World().Entry(x.me)
		if got := int(x.runner.Get(e).Jumps); got != presses {
			t.Errorf("%+v: %d of %d presses counted", c, got, presses)
		}
		if s := x.server.CommandStats(); s.Early+s.Refused > 0 {
			t.Errorf("%+v: %+v", c, s)
		}
		if got := x.runner.Get(x.mine()); got.Jumps != uint16(presses) {
			t.Errorf("%+v: the client has counted %d", c, got.Jumps)
		}
	}
}

// The own runner answers in the step of the key, and stands where the server has it in the
// end. What the server decides otherwise is corrected once, and told with the field.
func TestOwnInputAtOnce(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.03})
	var told []tendon.Correction
	x.client.OnCorrection(func(c tendon.Correction) { told = append(told, c) })
	was := x.runner.Get(x.mine()).Pos
	x.input.Dir = gmath.Vec{X: 1}
	x.steps(1)
	if is := x.runner.Get(x.mine()).Pos; is.X != was.X+2 {
		t.Errorf("in the step of the key it is at %v, was at %v", is, was)
	}
	if far := tendon.Confirmed(x.mine(), x.runner).Pos; far != was {
		t.Errorf("the server is said to have it at %v already, it was at %v", far, was)
	}
	x.steps(120)
	if len(told) > 0 {
		t.Errorf("corrections without a reason: %+v", told)
	}
	x.nudge = func() { x.runner.Get(x.server.World().Entry(x.me)).Pos.Y += 100; x.nudge = nil }
	x.steps(60)
	if len(told) != 1 || told[0].Field != "runner.Pos" {
		t.Errorf("after a push: %+v", told)
	}
	x.input.Dir = gmath.Vec{}
	x.steps(60)
	if mine, theirs := x.runner.Get(x.mine()).Pos, x.runner.Get(x.server.World().Entry(x.me)).Pos; mine.DistanceTo(theirs) > 1./16 {
		t.Errorf("in the end it is at %v, on the server at %v", mine, theirs)
	}
}

// What the game says is not predicted waits for the server, although it is this player's, and
// its commands arrive all the same; it is predicted again when the game says so.
func TestOwnNodeThatIsNotPredicted(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	tendon.Predict(x.mine(), false)
	x.steps(30)
	was := x.runner.Get(x.mine()).Pos
	x.input = runKeys{Dir: gmath.Vec{X: 1}, Jump: true}
	x.steps(5)
	if is := x.runner.Get(x.mine()).Pos; is != was || tendon.Predicted(x.mine()) {
		t.Errorf("83 ms after the key it is at %v, was at %v, predicted: %v", is, was, tendon.Predicted(x.mine()))
	}
	x.steps(30)
	if is := x.runner.Get(x.mine()); is.Pos.X < was.X+20 || is.Jumps != 1 {
		t.Errorf("the server's answer: at %v after %d jumps, was at %v", is.Pos, is.Jumps, was)
	}
	x.input = runKeys{}
	x.steps(30)
	tendon.Predict(x.mine(), true)
	x.steps(2)
	was = x.runner.Get(x.mine()).Pos
	x.input.Dir = gmath.Vec{X: 1}
	x.steps(1)
	if is := x.runner.Get(x.mine()).Pos; is.X != was.X+2 {
		t.Errorf("predicted again, in the step of the key it is at %v, was at %v", is, was)
	}
}

// A player who has just joined is late for a round trip, until the client knows how long that is.
func TestFirstCommands(t *testing.T) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond} {
		x := newRace(t, netsim.Conditions{Delay: delay})
		if s := x.server.CommandStats(); s.Late > int(2*delay*60/time.Second)+3 {
			t.Errorf("%v each way: %+v", delay, s)
		}
	}
}

// While the game is paused on all machines, and no command runs, nothing runs in replays
// either: what had speed stands where the server has it.
func TestPausedGameIsNotPredictedOn(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05})
	x.judge = func(c tendon.Call, _ runKeys) { x.runner.Get(c.Entry).Pos.Y += 3 } // by itself
	x.steps(60)
	for range 60 { // paused
		x.net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{x.server, x.client} {
			r.Receive()
			r.Send()
		}
	}
	if mine, theirs := x.runner.Get(x.mine()).Pos, x.runner.Get(x.server.World().Entry(x.me)).Pos; mine.DistanceTo(theirs) > 1./16 {
		t.Errorf("paused at %v, on the server at %v", mine, theirs)
	}
}

// A silent player's input ends.
func TestSilentPlayerStops(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 30 * time.Millisecond})
	x.input.Dir = gmath.Vec{X: 1}
	x.steps(30)
	at := func() float64 { return x.runner.Get(x.server.World().Entry(x.me)).Pos.X }
	x.net.SetConditions(netsim.Conditions{Loss: 1})
	x.steps(60)
	was := at()
	x.steps(30)
	if at() != was {
		t.Errorf("a second after the line broke it still runs, from %v to %v", was, at())
	}
}

// A teleport of what is predicted is a cut: the owner's own, in the frame of the key, and one
// that the server decides, when it comes. A shot finds nobody on the way.
func TestPredictedTeleport(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.1})
	leap := func(e *donburi.Entry) {
		x.runner.Get(e).Pos.Y += 20
		tendon.Teleport(e)
	}
	host, _ := tendon.Mine(x.server, x.runner)
	target := host.Entity()
	x.judge = func(c tendon.Call, k runKeys) {
		if k.Jump {
			leap(c.Entry)
		}
		if tendon.IsAuthority(c.Entry) && c.From == x.client.Me() {
			c.Rewind(func() {
				if y := x.runner.Get(x.server.World().Entry(target)).Pos.Y; math.Abs(math.Remainder(y, 20)) > .05 {
					t.Fatalf("shot at %v", y)
				}
			})
		}
	}
	x.input.Dir = gmath.Vec{X: 1}
	frame := func() {
		x.client.Frame()
		if y := tendon.View(x.mine(), x.runner).Pos.Y; math.Abs(math.Remainder(y, 20)) > .05 {
			t.Fatalf("drawn at %v", y)
		}
	}
	for i := range 600 {
		switch i % 50 {
		case 0:
			x.input.Jump = true
		case 25:
			leap(x.server.World().Entry(x.me))
		}
		if i%10 == 0 {
			leap(x.server.World().Entry(target))
		}
		for range 3 {
			x.net.Advance(time.Second / 240)
			frame()
		}
		x.net.Advance(time.Second / 240)
		x.step()
		frame()
	}
	if y := x.runner.Get(x.mine()).Pos.Y; y != 24*20 {
		t.Errorf("after 24 leaps it is at %v", y)
	}
}

// On a line that loses packets a press leaves in two of them, so that it is hardly ever late;
// what goes on as before, and what a sound line carries, leaves once.
func TestPressesLeaveTwiceWherePacketsAreLost(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Loss: loss})
		x.steps(300) // until the loss is measured
		sent := func() uint64 { return x.client.Stats(rpl.Server).Conn.PacketsOut }
		twice, changed := 0, 0
		for i := range 1200 {
			change := i%12 == 0
			if change {
				x.input.Dir.X = 1 - x.input.Dir.X
				changed++
			}
			before := sent()
			x.steps(1)
			if n := sent() - before; n > 1 {
				twice++
				if !change {
					t.Errorf("loss %v: %d packets in a step without a press", loss, n)
				}
			}
		}
		if loss > 0 && twice < changed*9/10 || loss == 0 && twice > 0 {
			t.Errorf("loss %v: %d of %d presses left twice", loss, twice, changed)
		}
	}
}

// What changes in every step, as the aim of a mouse does, leaves once, because the next packet tells of it, too; a
// press beside it leaves twice. While the server stands and no commands are made nothing leaves twice.
func TestOnlyPressesLeaveTwice(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Loss: 0.05})
	x.steps(300) // until the loss is measured
	packets := func(what string, steps int, step func(i int), least, most int) {
		before := x.client.Stats(rpl.Server).Conn.PacketsOut
		for i := range steps {
			x.input.Dir.X = float64(i%50) / 50
			step(i)
		}
		if n := int(x.client.Stats(rpl.Server).Conn.PacketsOut-before) - steps; n < least || n > most {
			t.Errorf("%s: in %d steps %d packets more, not %d to %d", what, steps, n, least, most)
		}
	}
	packets("aim", 600, func(int) { x.steps(1) }, 0, 20)
	packets("aim and press", 600, func(i int) {
		x.input.Jump = i%12 == 0
		x.steps(1)
	}, 45, 70)
	packets("aim, the server stands", 600, func(i int) {
		x.input.Jump = i == 10
		x.net.Advance(time.Second / 60)
		x.stepOf(x.client)
	}, 0, 30)
}

// A client whose lead is too long leaves out ticks, and none in which its player presses a key:
// what a key does is there in its own step.
func TestPressIsNotLeftOut(t *testing.T) {
	without := 0
	for phase := range 8 {
		x := newRace(t, netsim.Conditions{Delay: 140 * time.Millisecond})
		x.net.SetConditions(netsim.Conditions{Delay: 5 * time.Millisecond})
		moved := x.mine().Entity()
		x.judge = func(c tendon.Call, _ runKeys) {
			if !tendon.IsAuthority(c.Entry) && x.client.Tick() != c.Tick {
				t.Errorf("phase %d: the rule of tick %d runs in tick %d", phase, c.Tick, x.client.Tick())
			}
		}
		for i := range 600 {
			if i%4 == phase%4 {
				x.input.Dir.X = float64((i + phase) / 4 % 2)
			}
			before := x.runner.Get(x.client.World().Entry(moved)).Pos.X
			x.steps(1)
			way := x.runner.Get(x.client.World().Entry(moved)).Pos.X - before
			switch pressed := i%4 == phase%4; {
			case pressed && x.input.Dir.X > 0 && way < 2:
				t.Errorf("phase %d, step %d: a key moves it by %v", phase, i, way)
			case !pressed && x.input.Dir.X > 0 && way == 0:
				without++
			}
		}
	}
	if without == 0 {
		t.Error("no tick was left out: that shows nothing")
	}
}

// A press that is tagged edge is there in its own step, too, while a stick is moved on and on.
func TestPressBesideAStickIsNotLeftOut(t *testing.T) {
	for phase := range 4 {
		x := newRace(t, netsim.Conditions{Delay: 140 * time.Millisecond})
		x.net.SetConditions(netsim.Conditions{Delay: 5 * time.Millisecond})
		moved := x.mine().Entity()
		for i := range 400 {
			x.input.Dir.X = math.Sin(float64(i) / 9)
			x.input.Jump = i%2 == phase%2
			pressed := x.input.Jump
			before := x.runner.Get(x.client.World().Entry(moved)).Jumps
			if x.steps(1); pressed && x.runner.Get(x.client.World().Entry(moved)).Jumps == before {
				t.Errorf("phase %d, step %d: a press is not there in its step", phase, i)
			}
		}
	}
}
