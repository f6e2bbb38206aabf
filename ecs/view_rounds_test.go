package ecs_test

// What is drawn where everything goes and comes again in one step, as when a round ends, under loss.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type roundData struct {
	Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
	Round uint16    `rpl:""`
}

var (
	roundGame  = tendon.NewProtocol("rounds")
	ofRound    = tendon.Replicate(roundGame, "of a round", donburi.NewComponentType[roundData]())
	roundDrawn = donburi.NewQuery(filter.And(filter.Contains(ofRound), tendon.Drawn))
)

// playRounds plays rounds of things that all move, each with others on it if they are trees. It returns how many rounds
// there were, in how many frames things of two are drawn, and how many rounds began like that.
func playRounds(t *testing.T, things int, trees bool, seed uint64, c netsim.Conditions) (rounds, both, begun int) {
	steps := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: roundGame, Seed: seed, Setup: func(*tendontest.Machine) {},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() {
				return
			}
			var all []donburi.Entity
			for e := range ofRound.Iter(m.World()) {
				if tendon.Parent(e) == nil {
					at := ofRound.Get(e)
					at.Pos = at.Pos.Add(gmath.RadToVec(gmath.Rad(float64(steps)/40 + float64(tendon.ID(e)%7))))
					all = append(all, e.Entity())
				}
			}
			if steps++; steps%100 != 0 {
				return
			}
			for _, e := range all {
				tendon.RemoveTree(m.World().Entry(e), tendon.Removed)
			}
			rounds++
			for i := range things {
				e := m.Create(ofRound)
				ofRound.SetValue(e, roundData{gmath.Vec{X: float64(i * 20)}, uint16(rounds)})
				if trees {
					on := m.Create(ofRound)
					ofRound.SetValue(on, roundData{gmath.Vec{X: 5}, uint16(rounds)})
					if err := tendon.Attach(on, e); err != nil {
						t.Fatal(err)
					}
				}
			}
		},
	}, c)
	lab.Host()
	client := lab.Join()
	lab.Steps(150)
	newest := uint16(0)
	lab.Play(40*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		if m != client {
			return
		}
		least, most := ^uint16(0), uint16(0)
		for e := range roundDrawn.Iter(m.World()) {
			r := ofRound.Get(e).Round
			least, most = min(least, r), max(most, r)
		}
		if least < most {
			if both++; most != newest {
				newest = most
				begun++
			}
		}
	})
	return rounds, both, begun
}

// A round takes several packets, and some of them are lost: copies tell the removals some sends later. Where they come before
// drawn time gets there, the things of the round before vanish as the new ones appear. At 20 % a packet and all copies of it
// that leave in time are lost now and then.
func TestRoundsOfManyPacketsAreNotDrawnTogether(t *testing.T) {
	for _, kind := range []struct {
		trees bool
		loss  float64
		seeds uint64
	}{{true, 0, 1}, {true, .05, 4}, {false, .2, 2}, {true, .2, 3}} {
		if raceEnabled {
			kind.seeds = 1
		}
		rounds, both, begun := 0, 0, 0
		from := 100 * max(*seedFlag, 1)
		for seed := range kind.seeds {
			r, b, n := playRounds(t, 120, kind.trees, from+seed, netsim.Conditions{Delay: 75 * time.Millisecond, Loss: kind.loss})
			rounds, both, begun = rounds+r, both+b, begun+n
		}
		t.Logf("loss %v, trees %v, seeds from %d: %d of %d rounds, %d frames", kind.loss, kind.trees, from, begun, rounds, both)
		// Rounded up: of the few rounds that the race detector plays, one may be the one in some hundreds.
		if most := int(math.Ceil(float64(rounds) * kind.loss / 2)); begun > most {
			t.Errorf("loss %v: %d of %d rounds began while the one before was drawn, more than %d", kind.loss, begun, rounds, most)
		}
	}
}
