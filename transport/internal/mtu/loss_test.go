package mtu

// Loss at random is no black hole, and a black hole is found beside it.

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A line is played in virtual time: packets of given sizes, one each step or each second one, and
// the endpoint's timer at each third step.
type line struct {
	seed    uint64
	every   int           // steps of 1/60 s between two packets
	sizes   []int         // one of them at random
	loss    float64       // each way
	burst   float64       // mean number of packets that are lost in a row; at most 1: each by itself
	turns   time.Duration // it loses in every second of such spans; 0: always
	carries func(at time.Duration) int
}

const step = time.Second / 60

// play plays it for so long, or until see says so.
func (l line) play(d time.Duration, see func(now time.Duration, p *Path) (enough bool)) {
	const trip = 100 * time.Millisecond
	rng := rand.New(rand.NewPCG(l.seed, 1))
	var (
		p    Path
		came [1 << 12]bool
		bad  [2]bool
		seq  uint64
	)
	type event struct {
		at time.Duration
		do func(now time.Duration)
	}
	var due []event
	for i := 0; time.Duration(i)*step < d; i++ {
		now := time.Duration(i) * step
		for len(due) > 0 && due[0].at <= now {
			due[0].do(now)
			due = due[1:]
		}
		lost := func(way int) bool {
			switch {
			case l.turns != 0 && now/l.turns%2 == 0:
				return false
			case l.burst <= 1:
				return rng.Float64() < l.loss
			case bad[way]:
				bad[way] = rng.Float64() >= 1/l.burst
			default:
				bad[way] = rng.Float64() < l.loss/(1-l.loss)/l.burst
			}
			return bad[way]
		}
		send := func(n int) bool {
			seq++
			it := &came[seq%uint64(len(came))]
			*it = n <= l.carries(now) && !lost(0)
			return *it
		}
		if i%l.every == 0 {
			for size := l.sizes[rng.IntN(len(l.sizes))]; size > 0; {
				p.Fits(size)
				n := min(size, p.Size())
				send(n)
				p.Sent(now, seq, n)
				size -= n
			}
		}
		if i%3 == 0 {
			if n := p.Probe(now); n > 0 && send(n) && !lost(1) {
				due = append(due, event{now + trip, func(time.Duration) { p.Passed(n) }})
			}
			if q, ok := p.Question(now); ok && send(30) && !lost(1) {
				due = append(due, event{now + trip, func(now time.Duration) { p.Answer(now, uint16(q), came[q%uint64(len(came))]) }})
			}
		}
		if see(now, &p) {
			return
		}
	}
}

// mixes are the sizes of what a game sends: full packets, or of many lengths.
var mixes = []struct {
	name  string
	sizes []int
}{{"full", []int{Max}}, {"mixed", []int{Max, 900, 500, 300, 230, 150}}}

// An hour of a line that loses at random has no fall: of each packet by itself, of some in a row,
// and where it loses only now and then.
func TestRandomLossIsNoBlackHole(t *testing.T) {
	const hours = 2
	for _, of := range []line{
		{loss: 0.05},
		{loss: 0.1},
		{loss: 0.2},
		{loss: 0.2, burst: 2},
		{loss: 0.2, burst: 5},
		{loss: 0.2, turns: time.Minute},
	} {
		for _, every := range []int{1, 2} {
			for _, mix := range mixes {
				falls, narrow := 0, time.Duration(0)
				for seed := range uint64(hours) {
					l, was := of, 0
					l.seed, l.every, l.sizes, l.carries = seed, every, mix.sizes, func(time.Duration) int { return Max }
					l.play(time.Hour, func(now time.Duration, p *Path) bool {
						size := p.Size()
						if size < Max {
							narrow += step
						}
						if size < was {
							falls++
							t.Errorf("seed %d: from %d to %d at %v", seed, was, size, now)
						}
						was = size
						return p.Lost()
					})
				}
				t.Logf("loss %v, burst %v, in turns of %v, %d packets a second, %s: %d falls in %d hours, %v narrow",
					of.loss, of.burst, of.turns, 60/every, mix.name, falls, hours, narrow.Round(step))
			}
		}
	}
}

// A path that carries little does not end at random loss.
func TestRandomLossEndsNoPath(t *testing.T) {
	for seed := range uint64(4) {
		l := line{seed: seed, every: 1, sizes: []int{Max}, loss: 0.25, carries: func(time.Duration) int { return 300 }}
		l.play(time.Hour, func(now time.Duration, p *Path) bool {
			if p.Lost() {
				t.Errorf("seed %d: it ended after %v", seed, now)
			}
			return p.Lost()
		})
	}
}

// Where a path drops to less in the middle of a session, what it does not carry is soon no longer
// sent, whatever else the line loses, and however much of what is sent still passes.
func TestDropsAreFound(t *testing.T) {
	for _, loss := range []float64{0, 0.02, 0.1, 0.2} {
		for _, every := range []int{1, 2} {
			for _, mix := range mixes {
				for _, carries := range []int{1000, 600, 400} {
					const seeds = 100
					var took []time.Duration
					mean := time.Duration(0)
					for seed := range uint64(seeds) {
						drop := 30*time.Second + time.Duration(seed)*31*time.Millisecond
						l := line{seed: seed, every: every, sizes: mix.sizes, loss: loss, carries: func(at time.Duration) int {
							if at < drop {
								return Max
							}
							return carries
						}}
						after := 30 * time.Second
						l.play(drop+after, func(now time.Duration, p *Path) bool {
							if now >= drop && (p.Size() <= carries || p.Lost()) {
								after = now - drop
							}
							if p.Lost() {
								t.Errorf("seed %d: lost after %v", seed, after)
							}
							return now-drop >= after
						})
						took = append(took, after)
						mean += after / seeds
					}
					worst := slices.Max(took)
					what := t.Logf
					if mean > 7*time.Second || mix.name == "full" && mean > 4*time.Second || loss <= 0.02 && worst > 8*time.Second {
						what = t.Errorf
					}
					what("loss %v, %d packets a second, %s, to %d: after %v, at worst of %d seeds %v", loss, 60/every, mix.name, carries,
						mean.Round(time.Millisecond), seeds, worst.Round(time.Millisecond))
				}
			}
		}
	}
}
