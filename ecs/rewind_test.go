package ecs_test

// Rewind: a shot is judged by what the shooter saw; what a rule may do meanwhile, and how far back
// it goes.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A mark is the host's runner, which runs past, for the client to shoot at.
type mark struct {
	x   *race
	id  rpl.Node
	ent donburi.Entity
}

func newMark(x *race, speed float64) mark {
	host, ok := tendon.Mine(x.server, x.runner)
	if !ok {
		x.t.Fatal("the host has no runner")
	}
	m := mark{x, tendon.ID(host), host.Entity()}
	x.nudge = func() { m.get().Pos.X += speed }
	return m
}

func (m mark) entry() *donburi.Entry { return m.x.server.World().Entry(m.ent) }
func (m mark) get() *runnerData      { return m.x.runner.Get(m.entry()) }

// drawn has the client note where it draws the mark, by the tick of its command.
func (m mark) drawn() map[rpl.Tick]gmath.Vec {
	saw := map[rpl.Tick]gmath.Vec{}
	m.x.move.Sample(m.x.client, func(*donburi.Entry) runKeys {
		if e, ok := m.x.client.Find(m.id); ok {
			if _, noted := saw[m.x.client.Tick()]; !noted { // a step that makes no tick samples, too
				saw[m.x.client.Tick()] = tendon.View(e, m.x.runner).Pos
			}
		}
		return runKeys{}
	})
	return saw
}

// judged has each command of the client be a shot, on the server.
func (m mark) judged(judge func(c tendon.Call)) {
	m.x.judge = func(c tendon.Call, _ runKeys) {
		if tendon.IsAuthority(c.Entry) && c.From == m.x.client.Me() {
			judge(c)
		}
	}
}

// A shot is judged by what the shooter drew, to the last fraction; what the judge changes
// stays, and everything is back where it was.
func TestRewindToWhatWasSeen(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	m := newMark(x, 3.25)
	x.steps(60)
	saw, judged, worst := m.drawn(), 0, 0.0
	m.judged(func(c tendon.Call) {
		want, ok := saw[c.Tick]
		if !ok {
			return
		}
		before := m.get().Pos
		c.Rewind(func() {
			judged++
			worst = max(worst, m.get().Pos.DistanceTo(want))
		})
		if m.get().Pos != before {
			t.Fatalf("it is at %v after the rewind, was at %v", m.get().Pos, before)
		}
	})
	x.steps(120)
	if judged < 100 || worst > 0.01 {
		t.Errorf("%d shots judged, up to %v beside what was drawn", judged, worst)
	}
}

// What Config.RewindOnly leaves out has no past.
func TestRewindOnly(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond}, func(c *tendon.Config) {
		c.RewindOnly = filter.Not(filter.Contains(components.RplNode))
	})
	m, judged := newMark(x, 3), 0
	m.judged(func(c tendon.Call) {
		now := m.get().Pos
		c.Rewind(func() {
			if judged++; m.get().Pos != now {
				t.Fatalf("at %v, is at %v", m.get().Pos, now)
			}
		})
	})
	if x.steps(60); judged < 50 {
		t.Errorf("only %d shots judged", judged)
	}
}

// A component that a rule puts in another's place, with a hit counted, stays where the node is.
func TestRewindAndSet(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	m, hits := newMark(x, 3.25), uint16(0)
	m.judged(func(c tendon.Call) {
		before := m.get().Pos
		c.Rewind(func() {
			v := *m.get()
			if v.Pos == before {
				return // the client has drawn nothing yet
			}
			hits++
			v.Jumps = hits
			x.runner.Set(m.entry(), &v)
		})
		if d := m.get(); d.Pos != before || d.Jumps != hits {
			t.Fatalf("after it %+v, was at %v; %d hits", *d, before, hits)
		}
	})
	if x.steps(120); hits < 50 {
		t.Errorf("%d hits", hits)
	}
}

// A Rewind inside of a Rewind ends where the outer one was, and that where everything is. A node
// that is removed inside is gone.
func TestRewindInsideRewind(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	m, judged := newMark(x, 3.25), 0
	doomed := x.server.Create(x.runner).Entity()
	m.judged(func(c tendon.Call) {
		at := func() gmath.Vec { return m.get().Pos }
		before := at()
		c.Rewind(func() {
			outer := at()
			if outer != before {
				judged++
			}
			c.Rewind(func() {
				if at() != outer {
					t.Fatalf("inside it is at %v, outside of that at %v", at(), outer)
				}
				if x.server.World().Valid(doomed) && judged > 20 {
					x.server.World().Remove(doomed)
				}
			})
			if at() != outer {
				t.Fatalf("after the inner one it is at %v, was at %v", at(), outer)
			}
		})
		if at() != before {
			t.Fatalf("after both it is at %v, was at %v", at(), before)
		}
	})
	if x.steps(120); judged < 50 || x.server.World().Valid(doomed) {
		t.Errorf("%d judged; what was removed is there: %v", judged, x.server.World().Valid(doomed))
	}
}

// At any rate of steps a Rewind goes back as far as players are believed.
func TestRewindAtManySteps(t *testing.T) {
	const steps = 240
	x := newRace(t, netsim.Conditions{Delay: 150 * time.Millisecond}, func(c *tendon.Config) { c.Steps = steps })
	play := func(seconds int) {
		for range seconds * steps {
			x.net.Advance(time.Second / steps)
			x.step()
		}
	}
	m := newMark(x, 0.5)
	play(6) // newRace has played at another rate
	saw, judged, worst := m.drawn(), 0, 0.0
	m.judged(func(c tendon.Call) {
		if want, ok := saw[c.Tick]; ok {
			c.Rewind(func() {
				judged++
				worst = max(worst, m.get().Pos.DistanceTo(want))
			})
		}
	})
	play(2)
	if judged < 100 || worst > 0.1 {
		t.Errorf("%d shots judged, up to %v beside what was drawn", judged, worst)
	}
}
