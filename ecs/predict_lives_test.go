package ecs_test

// What becomes of prediction when a level, a connection or a session ends while commands are on
// their way, and when the server does not do what the player asked for.

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// onServer is the client's runner on the server.
func (x *race) onServer() *runnerData { return x.runner.Get(x.server.World().Entry(x.me)) }

// works checks that the client's player is predicted: that it answers in the step of the key, that each
// press counts once, and that both machines agree in the end. corrected is how often it may be.
func (x *race) works(when string, corrected int) {
	x.t.Helper()
	for n := 0; ; n++ {
		if _, ok := tendon.Mine(x.client, x.runner); ok {
			break
		} else if n > 600 {
			x.t.Fatalf("%s: the client has no runner", when)
		}
		x.steps(1)
	}
	x.input = runKeys{}
	x.steps(90)
	corrections := x.client.CommandStats().Corrections
	before, theirs := *x.runner.Get(x.mine()), *x.onServer()
	x.input.Dir = gmath.Vec{X: 1}
	made := x.client.CommandTick()
	for x.steps(1); x.client.CommandTick() == made; { // now and then a step makes no tick
		x.steps(1)
	}
	if is := x.runner.Get(x.mine()).Pos; is.X < before.Pos.X+2 {
		x.t.Errorf("%s: in the tick of the key it is at %v, was at %v", when, is, before.Pos)
	}
	for range 10 {
		x.input.Jump = true
		x.steps(9)
	}
	x.input = runKeys{}
	x.steps(90)
	if d := x.onServer(); d.Jumps != theirs.Jumps+10 {
		x.t.Errorf("%s: of 10 presses %d counted", when, d.Jumps-theirs.Jumps)
	}
	if mine, is := *x.runner.Get(x.mine()), *x.onServer(); mine.Pos.DistanceTo(is.Pos) > 1./16 || mine.Jumps != is.Jumps {
		x.t.Errorf("%s: in the end %+v, on the server %+v", when, mine, is)
	}
	if n := x.client.CommandStats().Corrections - corrections; n > corrected {
		x.t.Errorf("%s: %d corrections", when, n)
	}
}

// busy plays for some steps with every key.
func (x *race) busy(n int) {
	for i := range n {
		x.input.Dir = gmath.RadToVec(gmath.Rad(i / 7))
		x.input.Jump = i%5 == 0
		x.steps(1)
	}
}

var fine, poor = netsim.Conditions{Delay: 60 * time.Millisecond}, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}

// A level begins while commands of the one before are on their way: none of them moves anything
// in the new one, and what is predicted there is predicted from its first state on.
func TestLevelsWhilePredicting(t *testing.T) {
	for _, c := range []netsim.Conditions{fine, poor} {
		for _, swap := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v, own world %v", c, swap), func(t *testing.T) {
				x := newRace(t, c)
				if swap {
					for _, r := range []*tendon.Replication{x.server, x.client} {
						r.OnWorld(func(donburi.World, string) {})
					}
				}
				for level := range 5 {
					x.busy(90)
					x.input = runKeys{Dir: gmath.Vec{X: 1}}
					x.steps(20)
					x.input = runKeys{}
					x.me = donburi.Null
					x.server.Load(fmt.Sprint("level ", level))
					for n := 0; x.me == donburi.Null; n++ {
						if x.steps(1); n > 600 {
							t.Fatal("nobody has joined the new level")
						}
					}
					x.steps(60)
					if d := x.onServer(); d.Pos != (gmath.Vec{}) || d.Jumps != 0 {
						t.Errorf("commands of the level before have moved it: %+v", *d)
					}
					x.works(fmt.Sprint("level ", level), 1)
				}
			})
		}
	}
}

// The line is down for a while, and comes back: up to the time at which a connection is given up,
// and beyond it, when the player joins again and is the same as before.
func TestLineLostWhilePredicting(t *testing.T) {
	for _, away := range []time.Duration{200 * time.Millisecond, 900 * time.Millisecond, 2 * time.Second, 4 * time.Second} {
		for _, c := range []netsim.Conditions{fine, poor} {
			t.Run(fmt.Sprintf("%v, %+v", away, c), func(t *testing.T) {
				x := newRace(t, c, func(c *tendon.Config) { c.Times = tendon.Times{Silence: 3 * time.Second} })
				me, ends := x.client.Me(), 0
				x.client.OnEnd(func(error) {
					ends++
					x.client.Join(x.net.Dialer(x.listener))
				})
				for range 3 {
					x.busy(90)
					x.net.SetConditions(netsim.Conditions{Loss: 1})
					x.busy(int(away * 60 / time.Second))
					x.net.SetConditions(c)
					x.busy(240)
					x.works("with the line back", 1)
					if x.client.Me() != me {
						t.Errorf("it was peer %d, and is %d", me, x.client.Me())
					}
				}
				if far := away > 3*time.Second; far != (ends > 0) {
					t.Errorf("%d sessions have ended", ends)
				}
			})
		}
	}
}

// A client goes from a session that has lasted to one that has just begun, and back, and plays
// alone in between.
func TestSessionsWhilePredicting(t *testing.T) {
	for _, c := range []netsim.Conditions{fine, poor} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			x := newRace(t, c)
			x.busy(600)
			other, listener := x.host()
			for turn := range 4 {
				x.busy(60)
				x.client.Close("")
				x.steps(20)
				other.Receive() // it has lasted a step
				other.Send()
				x.server, x.listener, other, listener = other, listener, x.server, x.listener
				x.client.Join(x.net.Dialer(x.listener))
				x.steps(240)
				x.works(fmt.Sprint("session ", turn+2), 1)
			}
		})
	}
}

// What the server refuses is corrected once, and not asked for again.
func TestRejectedCommands(t *testing.T) {
	for _, c := range []netsim.Conditions{fine, poor} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			x := newRace(t, c)
			asked := 0
			x.judge = func(c tendon.Call, k runKeys) {
				if k.Jump && c.From == x.client.Me() && tendon.IsAuthority(c.Entry) {
					asked++
					x.runner.Get(c.Entry).Jumps-- // the shop is shut
				}
			}
			told := map[string]int{}
			x.client.OnCorrection(func(c tendon.Correction) {
				if told[c.Field]++; c.Field == "runner.Jumps" && c.Size != 1 {
					t.Errorf("%+v", c)
				}
			})
			const presses = 20
			for range presses {
				x.input.Jump = true
				x.steps(1)
				if d := x.runner.Get(x.mine()); d.Jumps != 1 {
					t.Errorf("in the step of the key it has jumped %d times", d.Jumps)
				}
				x.steps(44)
				if d := x.runner.Get(x.mine()); d.Jumps != 0 {
					t.Errorf("0.7 s later it has still jumped %d times", d.Jumps)
				}
			}
			if asked != presses || told["runner.Jumps"] != presses {
				t.Errorf("of %d presses the server has refused %d, and the client was corrected %+v", presses, asked, told)
			}
		})
	}
}

type relayData struct {
	Pos    gmath.Vec `rpl:"step=1/32,interp,pos"`
	Pushes uint16    `rpl:""`
}

type relayKeys struct {
	Dir  gmath.Vec `rpl:"step=1/64"`
	Push bool      `rpl:"edge"`
}

// A node passes from hand to hand while everybody who has it moves it: its commands count exactly as
// long as its player owns it, each press at most once, what is predicted is the owner's alone, and
// what is drawn does not leap.
func TestHandOverInFlight(t *testing.T) {
	for _, c := range []netsim.Conditions{fine, poor, {Delay: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			seed := cmp.Or(*seedFlag, 1)
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 1))
			net := mem.NewNetwork(seed, c)
			p := tendon.NewProtocol("relay")
			baton := tendon.Replicate(p, "baton", donburi.NewComponentType[relayData]())
			push := tendon.NewCommand[relayKeys](p, "push", baton)
			presses, counted := map[*tendon.Replication]int{}, 0
			session := func(dedicated bool) *tendon.Replication {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
				if err != nil {
					t.Fatal(err)
				}
				push.Apply(r, func(c tendon.Call, k relayKeys) {
					d := baton.Get(c.Entry)
					d.Pos = d.Pos.Add(k.Dir)
					if k.Push {
						d.Pushes++
					}
					if tendon.IsAuthority(c.Entry) && k != (relayKeys{}) {
						if counted++; c.From != tendon.Owner(c.Entry) || c.From == 0 {
							t.Errorf("tick %d: a command of peer %d, when %d owns it", c.Tick, c.From, tendon.Owner(c.Entry))
						}
					}
				})
				return r
			}
			server := session(true)
			clients := []*tendon.Replication{session(false), session(false)}
			l := net.Listener()
			server.OnStart(func() { server.Create(baton) })
			server.Host(l)
			playing := true
			for i, r := range clients {
				push.Sample(r, func(*donburi.Entry) (k relayKeys) {
					if !playing {
						return k
					}
					if k.Push = rng.IntN(9) == 0; k.Push {
						presses[r]++
					}
					k.Dir = []gmath.Vec{{X: 1}, {Y: 1}}[i]
					return k
				})
				r.Join(net.Dialer(l))
			}
			var drawn [2]gmath.Vec
			var shown [2]float64
			steps := func(n int) {
				for range n {
					net.Advance(time.Second / 60)
					for _, r := range append([]*tendon.Replication{server}, clients...) {
						r.Receive()
						push.Run(r)
						r.Send()
					}
					for i, r := range clients {
						r.Frame()
						e, ok := baton.First(r.World())
						if !ok {
							continue
						}
						at := tendon.View(e, baton).Pos
						ticks := max(1, r.ViewTick()-shown[i]) // drawn time jumps once where the line had become slow
						if off := at.DistanceTo(drawn[i]); off > 12*ticks && drawn[i] != (gmath.Vec{}) {
							t.Errorf("tick %d: client %d draws it %v further in one frame", server.Tick(), i+1, off)
						}
						drawn[i], shown[i] = at, r.ViewTick()
					}
				}
			}
			steps(300)
			e, _ := baton.First(server.World())
			for range 40 {
				to := rng.IntN(3)
				if to < 2 {
					tendon.Give(e, clients[to].Me())
				} else {
					tendon.Give(e, 0)
				}
				steps(15 + rng.IntN(60))
				if rng.IntN(4) == 0 {
					steps(90)
					for i, r := range clients {
						mine, ok := baton.First(r.World())
						if own := i == to; ok && (tendon.IsOwner(mine) != own || tendon.Predicted(mine) != own) {
							t.Errorf("client %d owns it %v and predicts it %v, which should be %v", i+1, tendon.IsOwner(mine), tendon.Predicted(mine), own)
						}
					}
				}
			}
			if s := server.CommandStats(); s.Refused > 0 || s.Former == 0 && c.Loss == 0 {
				t.Errorf("%d commands on their way at a hand-over, %d refused", s.Former, s.Refused)
			}
			if counted < 100 {
				t.Errorf("only %d commands have counted", counted)
			}
			if d := baton.Get(e); int(d.Pushes) > presses[clients[0]]+presses[clients[1]] {
				t.Errorf("%d and %d presses by the keys, %d on the server", presses[clients[0]], presses[clients[1]], d.Pushes)
			}
			playing = false
			steps(300)
			for i, r := range clients {
				for _, d := range tendon.Differences(server, r) {
					t.Errorf("client %d in the end: %v", i+1, d)
				}
				t.Logf("client %d: %d corrections in %d ticks", i+1, r.CommandStats().Corrections, r.CommandStats().Ticks)
			}
		})
	}
}

// A client that stands still for a while, as one does that loads or whose window is dragged,
// answers within a round trip again: its commands are not made farther ahead of the server than
// before, whether it makes up for the steps that it has missed, as Run and windows do, or not.
func TestStalledClient(t *testing.T) {
	for _, stall := range []int{4, 15, 54} {
		for _, catchUp := range []int{0, 8} {
			x := newRace(t, netsim.Conditions{Delay: 40 * time.Millisecond})
			lead := func() int { return int(x.client.CommandTick()) - int(x.server.Tick()) }
			x.busy(240)
			usual := lead()
			for round := range 5 {
				for range stall {
					x.net.Advance(time.Second / 60)
					x.stepOf(x.server)
				}
				missed := min(stall, 60)
				for i := range 90 {
					x.net.Advance(time.Second / 60)
					x.stepOf(x.server)
					x.stepOf(x.client)
					for n := 0; n < catchUp-1 && missed > 0; n++ {
						missed--
						x.stepOf(x.client)
					}
					if is := lead(); i >= 20 && (is < usual-2 || is > usual+3) {
						t.Fatalf("stall of %d steps, %d made up at once, round %d: %d steps later commands are %d ticks ahead of the server, before %d", stall, catchUp, round, i, is, usual)
					}
				}
			}
			x.works(fmt.Sprintf("after stalls of %d steps", stall), 1)
		}
	}
}

// Who had a node predicted, by asking for it or because a command of its own has made it, does so
// no more when it is another player's: its input is not known here.
func TestPredictedNodeOfAnother(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 40 * time.Millisecond})
	tendon.Predict(x.mine(), false)
	x.steps(30)
	mine := x.mine()
	tendon.Predict(mine, true)
	x.steps(30)
	if !tendon.Predicted(mine) {
		t.Fatal("it is not predicted")
	}
	tendon.Give(x.server.World().Entry(x.me), x.server.Me())
	x.steps(60)
	if tendon.Predicted(mine) {
		t.Error("it is another's, and predicted")
	}
	tendon.Predict(mine, true)
	x.steps(30)
	if !tendon.Predicted(mine) {
		t.Error("it was asked for, and is not predicted")
	}
}

// While the server stands still nobody knows how long: a client goes on for a second, and then waits.
// When the server goes on, so do the players' commands, within a second, however long it has stood.
func TestStalledServer(t *testing.T) {
	for _, stall := range []int{20, 60, 300, 540} {
		x := newRace(t, netsim.Conditions{Delay: 40 * time.Millisecond})
		x.busy(240)
		usual := int(x.client.CommandTick()) - int(x.server.Tick())
		for range stall {
			x.net.Advance(time.Second / 60)
			x.stepOf(x.client)
		}
		if ahead := int(x.client.CommandTick()) - int(x.server.Tick()); ahead > usual+75 {
			t.Errorf("stall of %d steps: commands are %d ticks ahead of a server that says nothing", stall, ahead)
		}
		x.busy(60)
		before := x.server.CommandStats()
		x.busy(60)
		now := x.server.CommandStats()
		if n := now.Early - before.Early; n > 0 {
			t.Errorf("stall of %d steps: %d commands are refused as early a second after it", stall, n)
		}
		x.busy(240)
		if is := int(x.client.CommandTick()) - int(x.server.Tick()); is < usual-2 || is > usual+3 {
			t.Errorf("stall of %d steps: 6 s later commands are %d ticks ahead, before %d", stall, is, usual)
		}
		x.works(fmt.Sprintf("after a server's stall of %d steps", stall), 1)
	}
}

// Where the server sends once or twice a second, its silence between two sends is no standstill: its
// reports count, and commands come in time, also where packets are late or lost.
func TestCommandsAtFewSends(t *testing.T) {
	for _, sends := range []int{1, 2} {
		x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1}, func(c *tendon.Config) { c.Sends = sends })
		x.busy(1800)
		before := x.server.CommandStats()
		x.busy(1200)
		if n := x.server.CommandStats().Missed - before.Missed; n > 60 {
			t.Errorf("%d sends: in %d of 1,200 ticks there was no command", sends, n)
		}
		if x.client.CommandStats().Lead == 0 {
			t.Errorf("%d sends: no report is believed", sends)
		}
	}
}
