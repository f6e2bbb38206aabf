package ecs_test

// Commands that no client of the game's own sends, and the bound of their margin.

import (
	"bytes"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type thrustData struct {
	X float64 `rpl:"step=1/32"`
	N uint32  `rpl:""` // how often it was pushed
}

// A pushed is a server whose host plays, and a client that says what it likes.
type pushed struct {
	t              *testing.T
	net            *mem.Network
	server, client *tendon.Replication
	thrust         *donburi.ComponentType[thrustData]
	push           *tendon.Command[float64]
	mine, theirs   rpl.Node
	worst          float64 // of the values that Apply was given
}

func newPushed(t *testing.T) *pushed {
	p := tendon.NewProtocol("pushed")
	x := &pushed{t: t, net: mem.NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond})}
	x.thrust = tendon.Replicate(p, "thrust", donburi.NewComponentType[thrustData]())
	x.push = tendon.NewCommand[float64](p, "push", x.thrust)
	session := func() *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		x.push.Apply(r, func(c tendon.Call, v float64) {
			if v == v && v > -1e300 && v < 1e300 {
				x.worst = max(x.worst, v)
			} else {
				t.Fatalf("Apply was given %v", v)
			}
			if d := x.thrust.Get(c.Entry); v != 0 {
				d.X, d.N = d.X+v, d.N+1
			}
		})
		return r
	}
	x.server, x.client = session(), session()
	x.server.OnJoin(func(q rpl.Peer) {
		e := x.server.Create(x.thrust)
		tendon.Give(e, q)
		if q == rpl.Server {
			x.theirs = tendon.ID(e)
		} else {
			x.mine = tendon.ID(e)
		}
	})
	x.push.Sample(x.client, func(*donburi.Entry) float64 { return 0 })
	l := x.net.Listener()
	x.server.Host(l)
	x.client.Join(x.net.Dialer(l))
	x.steps(120)
	return x
}

func (x *pushed) steps(n int) {
	for range n {
		x.net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{x.server, x.client} {
			r.Receive()
			x.push.Run(r)
			r.Send()
		}
	}
}

// say sends a message with one value, of a tick that is so far ahead of the client's.
func (x *pushed) say(ahead int, node rpl.Node, number int, value []byte) {
	x.t.Helper()
	tick := uint32(int(x.client.CommandTick()) + ahead)
	w := command.NewWriter(command.Kept(60))
	w.Drew(tick, command.Drawn{To: tick, Span: 2, At: float64(tick) - 1})
	w.Begin(tick, 1)
	w.Others(nil, tick, 0)
	w.Stream(node, number)
	w.Value(value, true, false)
	x.raw(w.Arguments())
}

func (x *pushed) raw(args []byte) {
	x.t.Helper()
	if err := x.client.SendCommands(args); err != nil {
		x.t.Fatal(err)
	}
}

func (x *pushed) at(n rpl.Node) thrustData {
	e, ok := x.server.Find(n)
	if !ok {
		x.t.Fatalf("node %v is gone", n)
	}
	return *x.thrust.Get(e)
}

// What a client says that was tampered with changes nothing but what its own player may, is
// counted, and costs the server nothing more.
func TestHostileCommands(t *testing.T) {
	one := []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f} // 1.0
	for _, c := range []struct {
		name    string
		say     func(x *pushed)
		pushes  uint32 // of the own node, at most
		counted func(s tendon.CommandStats, refused uint64) bool
	}{
		{"what a client may say", func(x *pushed) { x.say(20, x.mine, 0, one) }, 1, func(s tendon.CommandStats, refused uint64) bool {
			return s.Early+s.Refused == 0 && refused == 0
		}},
		{"twice", func(x *pushed) { x.say(20, x.mine, 0, one); x.say(20, x.mine, 0, one) }, 1, func(s tendon.CommandStats, _ uint64) bool { return s.Doubled > 0 }},
		{"of long ago", func(x *pushed) { x.say(-60, x.mine, 0, one) }, 0, func(s tendon.CommandStats, _ uint64) bool { return s.Doubled+s.Late > 0 }},
		{"of a tick to come", func(x *pushed) { x.say(30_000, x.mine, 0, one) }, 0, func(s tendon.CommandStats, refused uint64) bool { return s.Early == 1 && refused == 1 }},
		{"of the last tick of all", func(x *pushed) { x.say(-1-int(x.client.CommandTick()), x.mine, 0, one) }, 0, func(s tendon.CommandStats, refused uint64) bool { return s.Early+s.Doubled > 0 }},
		{"of another's node", func(x *pushed) { x.say(20, x.theirs, 0, one) }, 0, func(s tendon.CommandStats, refused uint64) bool { return s.Refused == 1 && refused == 1 }},
		{"of what has not the component", func(x *pushed) {
			e := x.server.Create()
			tendon.Give(e, x.client.Me())
			x.steps(2)
			x.say(20, tendon.ID(e), 0, one)
		}, 0, func(s tendon.CommandStats, refused uint64) bool { return s.Refused == 1 && refused == 1 }},
		{"of no node", func(x *pushed) { x.say(20, 1<<30, 0, one) }, 0, func(tendon.CommandStats, uint64) bool { return true }},
		{"of no command", func(x *pushed) { x.say(20, x.mine, 9, one) }, 0, func(tendon.CommandStats, uint64) bool { return true }},
		{"NaN", func(x *pushed) { x.say(20, x.mine, 0, bytes.Repeat([]byte{0xff}, 8)) }, 0, func(_ tendon.CommandStats, refused uint64) bool { return refused == 1 }},
		{"infinity", func(x *pushed) { x.say(20, x.mine, 0, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}) }, 0, func(_ tendon.CommandStats, refused uint64) bool { return refused == 1 }},
		{"too short", func(x *pushed) { x.say(20, x.mine, 0, one[:3]) }, 0, func(_ tendon.CommandStats, refused uint64) bool { return refused == 1 }},
		{"no message", func(x *pushed) { x.raw([]byte{3, 4, 5}) }, 0, func(_ tendon.CommandStats, refused uint64) bool { return refused == 1 }},
		{"a flood", func(x *pushed) {
			for range 20 {
				for i := range 100 {
					x.say(20+i%3, x.mine, 0, one)
				}
				x.steps(1)
			}
		}, 45, func(_ tendon.CommandStats, refused uint64) bool { return refused > 20*30 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newPushed(t)
			x.client.OnEnd(func(err error) { t.Errorf("it was sent away: %v", err) })
			was := *x.server.Counter("command refused")
			c.say(x)
			x.steps(90)
			s, refused := x.server.CommandStats(), *x.server.Counter("command refused")-was
			if !c.counted(s, refused) {
				t.Errorf("counted %+v, %d refused", s, refused)
			}
			if d := x.at(x.mine); d.N > c.pushes || c.pushes == 1 && d.N != 1 {
				t.Errorf("it was pushed %d times, not %d", d.N, c.pushes)
			}
			if d := x.at(x.theirs); d.N != 0 {
				t.Errorf("the host's was pushed %d times", d.N)
			}
		})
	}
}

// The game bounds the margin of commands: on a jittery line fewer come in time then, and the
// server acts on them earlier.
func TestMaxMargin(t *testing.T) {
	margin := func(most time.Duration) (time.Duration, tendon.CommandStats) {
		x := newRace(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 100 * time.Millisecond}, func(c *tendon.Config) { c.MaxMargin = most })
		x.input.Dir = gmath.Vec{X: 1}
		x.steps(600)
		s := x.server.CommandStats()
		return s.Margin, s
	}
	free, all := margin(0)
	bound, some := margin(20 * time.Millisecond)
	if bound > free-15*time.Millisecond {
		t.Errorf("with a bound of 20 ms commands come %v early, without one %v: %+v, %+v", bound, free, some, all)
	}
	if some.Missed <= all.Missed {
		t.Errorf("with a bound %d commands are missing, without one %d", some.Missed, all.Missed)
	}
	if _, err := tendon.New(donburi.NewWorld(), tendon.NewProtocol("x"), tendon.Config{MaxMargin: -1}); err == nil {
		t.Error("a margin below zero is taken")
	}
}
