package ecs_test

// What players see after a program has stood still, or a line was down for a while.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A standstill is a session with a client for which time stands still, or whose line is cut.
type standstill struct {
	*lab
	dialer         *mem.Dialer
	server, client *machine
	line           netsim.Conditions
}

func newStandstill(t *testing.T, delay time.Duration) *standstill {
	s := &standstill{line: netsim.Conditions{Delay: delay}}
	s.lab = newLab(t, s.line)
	s.server = s.lab.server(tendon.Config{Dedicated: true})
	s.client = s.lab.machine("client", tendon.Config{})
	s.client.joins, s.dialer = true, s.net.Dialer(s.listener)
	s.client.Join(s.dialer)
	body := Crate.Spawn(s.server.World(), CrateArgs{})
	s.server.step = func() { Body.Get(body).Pos.X += 2 }
	s.client.step = func() { s.client.Frame() }
	s.joined()
	s.steps(240)
	return s
}

// cut lets nothing through for some steps.
func (s *standstill) cut(steps int) {
	bad := netsim.Conditions{Loss: 1}
	s.dialer.SetConditions(bad, bad)
	s.steps(steps)
	s.dialer.SetConditions(s.line, s.line)
}

// behind is how many ticks the client's picture is behind the server.
func (s *standstill) behind() float64 { return float64(s.server.Tick()) - s.client.ViewTick() }

// After a window was dragged, a debugger has stopped the program or the line was down, the picture is where
// it was before as soon as the server is heard again: it does not run slow or fast for seconds, and does not
// leap once more later.
func TestDrawnTimeAfterAStandstill(t *testing.T) {
	for _, delay := range []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond} {
		for _, stood := range some([]int{60, 30, 40, 48, 72, 90, 120, 180, 300, 480}) {
			for what, idle := range map[string]func(s *standstill){
				"the line was cut": func(s *standstill) { s.cut(stood) },
				"the program stood": func(s *standstill) {
					s.client.asleep = stood
					s.steps(stood)
				},
				"the program stood, and makes up for it": func(s *standstill) {
					s.client.asleep = stood
					s.steps(stood)
					for range min(stood, 60) {
						s.client.Receive()
						s.client.Send()
					}
				},
			} {
				s := newStandstill(t, delay)
				usual := s.behind()
				idle(s)
				s.steps(3*int(delay*60/time.Second) + 15) // a round trip, a send and some frames
				last, off, slow, fast := s.client.ViewTick(), 0.0, 1.0, 1.0
				for range 300 {
					s.steps(1)
					off = max(off, s.behind()-usual, usual-s.behind())
					now := s.client.ViewTick()
					slow, fast, last = min(slow, now-last), max(fast, now-last), now
				}
				if off > 5 || slow < 0.8 || fast > 1.2 {
					t.Errorf("seed %d, delay %v, %s for %d steps: then drawn time is off by up to %.1f ticks, and moves by %.1f to %.1f in a frame", s.seed, delay, what, stood, off, slow, fast)
				}
			}
		}
	}
}

// A runs is what came of a race in which a key is held, after a standstill or an outage.
type runs struct {
	lead  int     // by how many ticks more than before the commands were made ahead of the server, at most
	stood int     // steps in which the server's runner did not move
	leap  float64 // the longest way of the own runner in a step, where 2 is usual
}

// watch plays some seconds of a race; lead is the usual one.
func (x *race) watch(lead int) (r runs) {
	mine, theirs := x.runner.Get(x.mine()).Pos.X, x.onServer().Pos.X
	for range 300 {
		x.steps(1)
		if now := x.onServer().Pos.X; now == theirs {
			r.stood++
		} else {
			theirs = now
		}
		now := x.runner.Get(x.mine()).Pos.X
		r.leap, mine = max(r.leap, now-mine, mine-now), now
		r.lead = max(r.lead, x.ahead()-lead)
	}
	return r
}

func (x *race) ahead() int { return int(x.client.PredictedTick()) - int(x.server.Tick()) }

// An outage says nothing of the line since: as soon as both ends hear each other again, commands are made as
// far ahead as before, and the runner goes on at both.
func TestLeadAfterAnOutage(t *testing.T) {
	for _, delay := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond} {
		for _, steps := range some([]int{58, 20, 30, 40, 50, 64, 80, 120, 200, 300}) {
			for _, way := range []string{"up", "down", "both ways"} {
				good := netsim.Conditions{Delay: delay}
				x := newRace(t, good)
				x.input.Dir.X = 1
				x.steps(60)
				lead, up, down := x.ahead(), good, good
				if way != "down" {
					up.Loss = 1
				}
				if way != "up" {
					down.Loss = 1
				}
				x.dialer.SetConditions(up, down)
				x.steps(steps)
				x.dialer.SetConditions(good, good)
				x.steps(4*int(delay*60/time.Second) + 20) // a probe, and there and back twice
				if r := x.watch(lead); r.lead > 2 || r.stood > 3 || r.leap > 8 {
					t.Errorf("seed 1, delay %v, %s cut for %d steps: %+v", delay, way, steps, r)
				}
			}
		}
	}
}

// A program that has stood still and makes up for the missed steps at once makes no more commands than time has
// passed, whichever it is.
func TestLeadAfterMissedStepsAreMadeUpFor(t *testing.T) {
	for _, delay := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond} {
		for _, steps := range []int{5, 10, 20, 40, 70, 120, 300} {
			for _, server := range []bool{false, true} {
				x := newRace(t, netsim.Conditions{Delay: delay})
				x.input.Dir.X = 1
				x.steps(60)
				lead, stands, goes := x.ahead(), x.client, x.server
				if server {
					stands, goes = goes, stands
				}
				for range steps {
					x.net.Advance(time.Second / 60)
					x.stepOf(goes)
				}
				was := x.runner.Get(x.mine()).Pos.X
				for range steps {
					x.stepOf(stands)
				}
				// The server goes on with the last command for a quarter of a second.
				if leap := x.runner.Get(x.mine()).Pos.X - was; !server && leap > 2*(15+4) {
					t.Errorf("delay %v, the client stands for %d steps: its runner leaps by %v", delay, steps, leap)
				}
				if !server && x.ahead() > lead+2 {
					t.Errorf("delay %v, the client stands for %d steps: then it is %d ticks ahead, before %d", delay, steps, x.ahead(), lead)
				}
				x.steps(4*int(delay*60/time.Second) + 20)
				if r := x.watch(lead); r.lead > 2 || r.stood > 3 || r.leap > 8 {
					t.Errorf("delay %v, for %d steps the server stands (else the client): %v: %+v", delay, steps, server, r)
				}
			}
		}
	}
}

// A client of whose commands nothing is sent, because none has a value, hears no reports: it is ahead of the server
// by the round trip, as it is measured since it has joined.
func TestLeadWithoutInput(t *testing.T) {
	for _, c := range []struct {
		ms, least, most int
		loss            float64
	}{{10, 2, 5, 0}, {10, 2, 5, 0.2}, {50, 5, 8, 0}, {50, 5, 8, 0.2}, {100, 8, 12, 0}, {100, 8, 12, 0.2}} {
		for seed := uint64(1); seed <= 6; seed++ {
			p := tendon.NewProtocol("no input")
			ball := tendon.Replicate(p, "ball", donburi.NewComponentType[runnerData]())
			roll := tendon.NewCommand[tendon.None](p, "roll", ball)
			net := mem.NewNetwork(seed, netsim.Conditions{Delay: time.Duration(c.ms) * time.Millisecond, Jitter: time.Duration(c.ms) * time.Millisecond / 5, Loss: c.loss})
			listener := net.Listener()
			var machines [2]*tendon.Replication
			for i := range machines {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: i == 0})
				if err != nil {
					t.Fatal(err)
				}
				r.OnJoin(func(rpl.Peer) { r.Create(ball) })
				r.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
				roll.Apply(r, func(c tendon.Call, _ tendon.None) { ball.Get(c.Entry).Pos.X++ })
				machines[i] = r
			}
			server, client := machines[0], machines[1]
			server.Host(listener)
			client.Join(net.Dialer(listener))
			for i := range 60 * 12 {
				net.Advance(time.Second / 60)
				for _, r := range machines {
					r.Receive()
					roll.Run(r)
					r.Send()
				}
				if ahead := int(client.PredictedTick()) - int(server.Tick()); i > 60*5 && (ahead < c.least || ahead > c.most) {
					t.Errorf("seed %d, %+v: after %.1f s it is %d ticks ahead", seed, c, float64(i)/60, ahead)
					break
				}
			}
		}
	}
}
