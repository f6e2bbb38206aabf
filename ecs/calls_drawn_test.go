package ecs_test

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What a rule of an arena shows, by the key of Call.Once.
const (
	swing    = iota // of a press
	foreseen        // at ticks that are known
	missed          // at others, of which only the authority knows
	imagined        // the same, of which only the clients think so
	effects
)

// An arena is players who press, on a server and several clients, with all that each machine shows.
type arena struct {
	lab                *tendontest.Lab
	hit, plain         *tendon.RPC[strike]
	cheer              *tendon.RPC[uint32] // on the session
	spark              func(m *tendontest.Machine, c tendon.Call)
	cheered            func(m *tendontest.Machine, c tendon.Call, n uint32)
	fighter            *donburi.ComponentType[fighterData]
	quiet              bool                      // nobody does anything
	shows              map[string]map[strike]int // by machine: how often
	made               map[string][]strike       // by machine: by a rule
	events             map[strike]int            // of the authority
	view, came         map[string]float64        // the picture of the step before; the step in which the plain call came
	early, after, late int
	steps              int
}

type fighterData struct {
	Swings uint32  `rpl:"to=owner"`
	X      float64 `rpl:"step=1/32,interp"`
}

type strike struct {
	Kind uint8  `rpl:""`
	By   uint8  `rpl:""`
	Nr   uint32 `rpl:""`
}

func newArena(t *testing.T, c netsim.Conditions, dedicated bool, sends int) *arena {
	type pad struct {
		Swing bool `rpl:"edge"`
	}
	p := tendon.NewProtocol("arena")
	a := &arena{
		fighter: tendon.Replicate(p, "fighter", donburi.NewComponentType[fighterData]()),
		shows:   map[string]map[strike]int{}, made: map[string][]strike{}, events: map[strike]int{}, view: map[string]float64{}, came: map[string]float64{},
	}
	press := tendon.NewCommand[pad](p, "press", a.fighter)
	a.hit = tendon.NewRPC[strike](p, "hit", rpl.Broadcast, rpl.Reliable).WhenDrawn().On(a.fighter)
	a.plain = tendon.NewRPC[strike](p, "plain", rpl.Broadcast, rpl.Reliable).On(a.fighter)
	a.cheer = tendon.NewRPC[uint32](p, "cheer", rpl.Broadcast, rpl.Reliable).WhenDrawn()
	setup := func(m *tendontest.Machine) {
		a.shows[m.Name] = map[strike]int{}
		show := func(c tendon.Call, s strike) {
			c.Once(int(s.Kind), func(late time.Duration) {
				if a.shows[m.Name][s]++; late < 0 {
					t.Errorf("%s shows %+v %v late", m.Name, s, late)
				}
			})
		}
		effect := func(c tendon.Call, s strike, predicts, happens bool) {
			if s.By = uint8(tendon.Owner(c.Entry)); tendon.IsAuthority(c.Entry) {
				if happens {
					a.events[s]++
					a.plain.Send(c.Entry, s)
					a.hit.Send(c.Entry, s)
				}
			}
			if predicts {
				show(c, s)
			}
		}
		press.Sample(m.Replication, func(*donburi.Entry) pad { return pad{!a.quiet && m.Rand.IntN(20) == 0} })
		press.Apply(m.Replication, func(c tendon.Call, k pad) {
			f := a.fighter.Get(c.Entry)
			f.X += 32
			if a.quiet {
				return
			}
			if k.Swing {
				f.Swings++
				effect(c, strike{Kind: swing, Nr: f.Swings}, true, true)
			}
			here := tendon.IsAuthority(c.Entry)
			if nr := uint32(c.Tick) / 31; c.Tick%31 == 0 {
				effect(c, strike{Kind: foreseen, Nr: nr}, true, true)
			} else if c.Tick%31 == 3 {
				effect(c, strike{Kind: missed, Nr: nr}, here, true)
			} else if c.Tick%31 == 17 {
				effect(c, strike{Kind: imagined, Nr: nr}, !here, false)
			}
		})
		a.plain.Handle(m.Replication, func(c tendon.Call, s strike) { a.came[fmt.Sprint(m.Name, s)] = float64(a.steps) })
		a.cheer.Handle(m.Replication, func(c tendon.Call, n uint32) { a.cheered(m, c, n) })
		a.hit.Handle(m.Replication, func(c tendon.Call, s strike) {
			if s.Kind == effects {
				a.spark(m, c)
				return
			}
			if !tendon.Predicted(c.Entry) && m.Mode() == tendon.Client {
				if m.ViewTick() < float64(c.Tick) {
					a.early++
				} else if a.view[m.Name] >= float64(c.Tick) && a.came[fmt.Sprint(m.Name, s)] < float64(a.steps) {
					a.after++
				}
			} else if !tendon.Predicted(c.Entry) && m.ViewTick() != float64(c.Tick) {
				a.late++
			}
			show(c, s)
		})
		m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(a.fighter), q) })
	}
	a.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Setup: setup, Config: tendon.Config{Sends: sends, Log: slog.New(slog.NewTextHandler(io.Discard, nil))},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = dedicated && name == "server" },
		Step:      func(m *tendontest.Machine) { press.Run(m.Replication) },
	}, c)
	a.quiet = true
	a.lab.Host()
	for range 3 {
		a.lab.Join()
	}
	a.run(120)
	return a
}

func (a *arena) run(steps int) {
	for range steps {
		a.steps++
		a.lab.Steps(1)
		for _, m := range a.lab.Machines {
			a.view[m.Name] = m.ViewTick() // of this step
			m.Frame()
		}
	}
}

// Everybody sees each effect once: who watches in the step in which the picture gets to it, the presser at
// once, or late where only the server's call has come to it; and so does a player on the server.
func TestEffectsAreSeenOnceAndInTime(t *testing.T) {
	for _, dedicated := range []bool{true, false} {
		for _, delay := range some([]time.Duration{60 * time.Millisecond, 0, 120 * time.Millisecond}) {
			for _, loss := range []float64{0, 0.05, 0.1} {
				a := newArena(t, netsim.Conditions{Delay: delay, Loss: loss}, dedicated, 30)
				a.quiet = false
				a.run(1800)
				a.quiet = true
				a.run(180)
				name := fmt.Sprintf("dedicated %v, %v, loss %v", dedicated, delay, loss)
				var kinds [effects]int
				for s, n := range a.events {
					if kinds[s.Kind]++; n != 1 {
						t.Fatalf("%s: %+v has happened %d times", name, s, n)
					}
				}
				for _, m := range a.lab.Machines {
					if m.Me() == 0 {
						continue
					}
					var once, none, twice, extra, wrong [effects]int
					for s := range a.events {
						switch n := a.shows[m.Name][s]; n {
						case 0:
							none[s.Kind]++
						case 1:
							once[s.Kind]++
						default:
							twice[s.Kind]++
						}
					}
					for s, n := range a.shows[m.Name] {
						if a.events[s] == 0 && n == 1 {
							extra[s.Kind]++
						} else if a.events[s] == 0 {
							wrong[s.Kind]++
						}
					}
					t.Logf("%s: %s sees of %v once %v, twice %v, never %v; %v that were none, %v of them twice", name, m.Name, kinds, once, twice, none, extra, wrong)
					if once != kinds {
						t.Errorf("%s: %s sees of %v once %v, twice %v, never %v", name, m.Name, kinds, once, twice, none)
					}
				}
				if a.early > 0 || a.after > 0 || a.late > 0 {
					t.Errorf("%s: of the calls %d run before their picture, %d in a later step than by then, %d late on the server", name, a.early, a.after, a.late)
				}
			}
		}
	}
}

// A spark on what dies comes while that is drawn, and before OnStreamOut of it: in the same step.
func TestSparkOnTheDying(t *testing.T) {
	for _, delay := range []time.Duration{0, 60 * time.Millisecond, 120 * time.Millisecond} {
		a := newArena(t, netsim.Conditions{Delay: delay, Jitter: delay / 10}, true, 30)
		server, client := a.lab.Machines[0], a.lab.Machines[1]
		sparks, ends, early := 0, 0, 0
		sparked := map[donburi.Entity]int{}
		a.spark = func(m *tendontest.Machine, c tendon.Call) {
			if m == client {
				sparks++
				sparked[c.Entry.Entity()] = a.steps
			}
		}
		client.OnStreamOut(a.fighter, func(e *donburi.Entry, destroyed bool) {
			if at, ok := sparked[e.Entity()]; !ok {
				t.Errorf("%v: OnStreamOut runs before the spark", delay)
			} else if ends++; at < a.steps {
				early++
			}
		})
		for range 50 {
			e := server.Create(a.fighter)
			a.run(30)
			if err := a.hit.Send(e, strike{Kind: effects}); err != nil {
				t.Fatal(err)
			}
			e.Remove()
			a.run(30)
		}
		if sparks != 50 || ends != 50 || early > 0 {
			t.Errorf("%v: %d sparks on 50 who die, %d end, %d of them steps later", delay, sparks, ends, early)
		}
	}
}

// Calls run by tick, those of one tick as they came; on the session's node, too, be it predicted or not.
func TestCallsWhenDrawnInOrder(t *testing.T) {
	a := newArena(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05}, true, 30)
	server := a.lab.Machines[0]
	tendon.Predict(a.lab.Machines[1].Session(), true)
	var nr uint32
	ran := map[string][]uint32{}
	a.cheered = func(m *tendontest.Machine, c tendon.Call, n uint32) {
		if ran[m.Name] = append(ran[m.Name], n); m.ViewTick() < float64(c.Tick) {
			t.Errorf("%s: a call of tick %d runs at %v", m.Name, c.Tick, m.ViewTick())
		}
	}
	for range 300 {
		for range 3 {
			nr++
			if err := a.cheer.Send(server.Session(), nr); err != nil {
				t.Fatal(err)
			}
		}
		a.run(1)
	}
	a.run(60)
	for _, m := range a.lab.Machines[1:] {
		if len(ran[m.Name]) != int(nr) || !slices.IsSorted(ran[m.Name]) {
			t.Errorf("%s: of %d calls %d ran, in order: %v", m.Name, nr, len(ran[m.Name]), slices.IsSorted(ran[m.Name]))
		}
	}
}

// What waits for its picture when a level ends, or the session, runs then, each once: the last act of a match.
func TestCallsWhenDrawnEndWithTheirLevel(t *testing.T) {
	for _, closes := range []bool{false, true} {
		a := newArena(t, netsim.Conditions{}, true, 30)
		server, client := a.lab.Machines[0], a.lab.Machines[1]
		ran := 0
		a.cheered = func(m *tendontest.Machine, _ tendon.Call, _ uint32) {
			if m == client {
				ran++
			}
		}
		came := client.ProxyCounters().CallsIn + 3
		for n := range uint32(3) {
			if err := a.cheer.Send(server.Session(), n); err != nil {
				t.Fatal(err)
			}
		}
		if !closes {
			server.Load("")
		}
		for range 30 {
			if a.run(1); closes && client.ProxyCounters().CallsIn >= came {
				client.Close("")
				break
			}
		}
		a.run(60)
		if dropped := *client.Counter("rpc dropped"); ran != 3 || dropped != 0 {
			t.Errorf("closed %v: %d calls of 3 have run, %d are counted as dropped", closes, ran, dropped)
		}
	}
}

// Of more calls than may wait the first run before their picture, each once and in order; that is counted.
func TestMoreCallsThanMayWait(t *testing.T) {
	a := newArena(t, netsim.Conditions{}, true, 4) // which is drawn a quarter of a second late, and more
	server, client := a.lab.Machines[0], a.lab.Machines[1]
	var nr uint32
	var ran []uint32
	a.cheered = func(m *tendontest.Machine, _ tendon.Call, n uint32) {
		if m == client {
			ran = append(ran, n)
		}
	}
	for range 60 {
		for range 90 {
			nr++
			if err := a.cheer.Send(server.Session(), nr); err != nil {
				t.Fatal(err)
			}
		}
		a.run(1)
	}
	a.run(300)
	early := *client.Counter("rpc before its picture")
	if len(ran) != int(nr) || !slices.IsSorted(ran) || early == 0 {
		t.Errorf("of %d calls %d ran, in order: %v; %d times too many waited", nr, len(ran), slices.IsSorted(ran), early)
	}
}

// A server draws nothing.
func TestWhenDrawnToTheServer(t *testing.T) {
	p := tendon.NewProtocol("backwards")
	tendon.NewRPC[tendon.None](p, "ask", rpl.ToServer, rpl.Reliable).WhenDrawn()
	if _, err := tendon.New(donburi.NewWorld(), p, tendon.Config{}); err == nil || !strings.Contains(err.Error(), "RPC ask is WhenDrawn") {
		t.Errorf("New says %v", err)
	}
}
