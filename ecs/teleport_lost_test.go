package ecs_test

// Marked leaps whose news is lost, lost again as it is sent again, or overtaken: however a client hears
// of them, nothing is drawn between the two places, and nothing of what was drawn beside the one goes on
// at the other.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A cutting is a node that moves along Y by itself, and along X, by marked leaps alone.
type cutting struct {
	move func(k int, b *BodyData) (cut bool) // step k
	lost func(k int) bool                    // whether what the server sends in step k is lost
	line netsim.Conditions
	seed uint64
	c    tendon.Config
}

// drawn plays a number of steps, and returns what was drawn that is not as it should be: X beside all places, or,
// where the server has stood since it leapt to a place, Y beside that.
func (z cutting) drawn(t *testing.T, steps int) (wrong []string) {
	l := newLab(t, z.line)
	l.seed = z.seed
	l.net = mem.NewNetwork(z.seed, z.line)
	l.listener = l.net.Listener()
	server, client := l.server(z.c), l.player(tendon.Config{})
	l.joined()
	e := server.Create(Body).Entity()
	id, begin := tendon.ID(server.World().Entry(e)), server.Tick()
	type rest struct {
		y    float64
		ends rpl.Tick
	}
	rests, stands, leapt := map[float64]rest{}, true, 0.0
	k, leaps := -1, 0
	server.step = func() {
		k++
		b := Body.Get(server.World().Entry(e))
		was := b.Pos.Y
		switch {
		case z.move(k, b):
			leaps++
			b.Pos.X = float64(1000 * (leaps * 619 % 997)) // to and fro: leaps that go on evenly are taken for a velocity
			tendon.Teleport(server.World().Entry(e))
			leapt, stands = b.Pos.X, true
			rests[leapt] = rest{b.Pos.Y, 1 << 30}
		case b.Pos.Y != was && stands:
			stands = false
			rests[leapt] = rest{rests[leapt].y, server.Tick()}
		}
		down := z.line
		if z.lost(k) {
			down.Loss = 1
		}
		client.way.SetConditions(z.line, down)
	}
	for range steps {
		l.steps(1)
		client.Frame()
		p, ok := client.Find(id)
		if !ok || p.HasComponent(components.Hidden) {
			continue
		}
		at := tendon.View(p, Body).Pos
		r, isPlace := rests[at.X]
		if at.X == 0 {
			continue
		}
		if !isPlace || client.Tick() < r.ends && math.Abs(at.Y-r.y) > .1 { // else it may have heard that it moves again
			wrong = append(wrong, fmt.Sprintf("tick %.1f: drawn at %.1f", client.ViewTick()-float64(begin), at))
		}
	}
	return wrong
}

// The packet that tells of the leap is lost, and so are those that tell it again.
func TestMarkedLeapLostTwice(t *testing.T) {
	for _, c := range []struct {
		name       string
		turn, stop int
		lost       []int
	}{
		{"it turned, and stood", 183, 188, []int{200, 212, 214}},
		{"it turned, and stood, the other send", 183, 188, []int{201, 213, 215}},
		{"it always stood", 0, 0, []int{200, 212, 214}},
		{"it stopped soon before", 188, 188, []int{200, 212, 214}},
		{"it stopped long before", 140, 140, []int{200, 212, 214}},
		{"it moved up to the leap", 200, 200, []int{200, 212, 214}},
		{"one loss", 183, 188, []int{200}},
		{"two losses", 183, 188, []int{200, 212}},
		{"two losses in a row", 183, 188, []int{200, 202, 204}},
	} {
		lost := map[int]bool{}
		for _, k := range c.lost {
			lost[k] = true
		}
		wrong := cutting{
			line: netsim.Conditions{Delay: 75 * time.Millisecond},
			seed: 1,
			lost: func(k int) bool { return lost[k] },
			move: func(k int, b *BodyData) bool {
				switch {
				case k < c.turn:
					b.Pos.Y += 3
				case k < c.stop:
					b.Pos.Y -= 2
				case k == 200:
					b.Pos.Y += 300
					return true
				}
				return false
			},
		}.drawn(t, 300)
		if len(wrong) > 0 {
			t.Errorf("%s: %d frames, the first at %s", c.name, len(wrong), wrong[0])
		}
	}
}

// Leaps at random times, of what walks, turns and stands before and after them, in bursts of losses.
func TestMarkedLeapsAtRandom(t *testing.T) {
	bad, first := 0, ""
	for i := range someRuns(60) {
		seed := cmp.Or(*seedFlag, uint64(i)+1)
		dice := rand.New(rand.NewPCG(seed, 41))
		line := netsim.Conditions{Delay: []time.Duration{25, 75, 150}[dice.IntN(3)] * time.Millisecond}
		if dice.IntN(3) == 0 {
			line.Jitter, line.Duplicate = 20*time.Millisecond, 0.05
		}
		share, burst, still := []float64{.02, .2, .5}[dice.IntN(3)], false, 0
		vel := 0.0
		z := cutting{line: line, seed: seed, c: tendon.Config{Sends: []int{0, 60, 20}[dice.IntN(3)]}}
		z.lost = func(int) bool {
			if dice.IntN(20) == 0 {
				burst = !burst
			}
			return burst && dice.Float64() < share
		}
		z.move = func(k int, b *BodyData) bool {
			if still--; dice.IntN(20) == 0 {
				vel = []float64{0, 3, -2, 6 * dice.Float64()}[dice.IntN(4)]
			}
			if still <= 0 {
				b.Pos.Y += vel
			}
			if k < 120 || dice.IntN(40) > 0 {
				return false
			}
			vel, still = 0, []int{0, 1, 20, 60}[dice.IntN(4)]
			b.Pos.Y += float64(dice.IntN(600) - 300)
			return true
		}
		if wrong := z.drawn(t, 1200); len(wrong) > 0 {
			if bad++; first == "" {
				first = fmt.Sprintf("seed %d: %d frames, the first at %s", seed, len(wrong), wrong[0])
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d runs drew a marked leap as motion; %s", bad, first)
	}
}
