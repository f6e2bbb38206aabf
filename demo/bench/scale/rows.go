package main

// The rows: what is measured, by their names in the JSON object.

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A row is one measurement.
type row struct {
	name, about string
	run         func(seed uint64) (any, error)
}

var rows = []row{
	{"a", "10,000 nodes that rest, 16 peers, what changes is bumped", idle(true)},
	{"a_compared", "the same, every component is compared", idle(false)},
	{"b", "32 of 10,032 nodes turn at every tick, 16 peers", someMove},
	{"c", "100,000 nodes, 1 % turn, 256 peers with 100 in view, 20 sends a second", large(false)},
	{"c_roaming", "the same, the peers roam", large(true)},
	{"d", "1,000, 10,000 and 100,000 nodes, 10 % turn, 64 peers with 100 in view", decades},
	{"e", "16, 64, 256 and 1,000 peers with 100 of 10,000 nodes in view, 10 % turn", peerCounts},
	{"f", "one peer joins 10,000 nodes", joinAll(1)},
	{"f8", "eight peers join them at once", joinAll(8)},
	{"f_interest", "one peer joins, 7,000 of 10,000 nodes in sight", joinSight},
	{"f_100k", "one peer joins and leaves 100,000 nodes with 100 in sight", joinLarge},
	{"g", "memory", memory},
	{"i", "the longest step over UDP: 10,000 nodes, 64 roaming peers who come and go, 60 s", longest},
	{"observers", "stream stage with two observers a peer over one, 64 roaming peers", observersRatio},
	{"policy", "stream stage with a policy of the game's own over Grid, 64 roaming peers", policyRatio},
	{"queries", "questions about space among 100,000 nodes", queries},
}

// spread is what a row's samples come to.
type spread struct{ min, median, p99 time.Duration }

func spreadOf(samples []time.Duration) spread {
	slices.Sort(samples)
	return spread{samples[0], samples[len(samples)/2], samples[len(samples)*99/100]}
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

type stepTimes struct {
	MinUs    float64 `json:"min_us"`
	MedianUs float64 `json:"median_us"`
	P99Us    float64 `json:"p99_us"`
	Allocs   float64 `json:"allocs_per_step"`
}

type sendTimes struct {
	MinMs    float64 `json:"min_ms"`
	MedianMs float64 `json:"median_ms"`
}

const (
	warmUp   = 2 * hz  // steps before a measurement
	measured = 10 * hz // steps of a measurement
)

// measure makes steps and returns the server's times in them.
func (l *lab) measure(steps int) []time.Duration {
	for range warmUp {
		l.step()
	}
	samples := make([]time.Duration, steps)
	for i := range samples {
		samples[i] = l.step()
	}
	return samples
}

// allocations returns the objects that the server allocates in a step.
func (l *lab) allocations(steps int) float64 {
	var total uint64
	for range steps {
		l.net.Advance(step)
		before := l.allocs()
		l.server.Receive()
		total += l.allocs() - before
		l.move()
		before = l.allocs()
		l.server.Send()
		total += l.allocs() - before
		for _, c := range l.clients {
			c.Receive()
			c.Send()
		}
	}
	return float64(total) / float64(steps)
}

func (l *lab) stepTimes() stepTimes {
	s := spreadOf(l.measure(measured))
	return stepTimes{us(s.min), us(s.median), us(s.p99), l.allocations(2 * hz)}
}

func idle(explicit bool) func(uint64) (any, error) {
	return func(seed uint64) (any, error) {
		l, err := newLab(scene{nodes: 10_000, peers: 16, explicit: explicit, seed: seed})
		if err != nil {
			return nil, err
		}
		defer l.close()
		return l.stepTimes(), nil
	}
}

func someMove(seed uint64) (any, error) {
	l, err := newLab(scene{nodes: 10_032, peers: 16, explicit: true, moving: 32, seed: seed})
	if err != nil {
		return nil, err
	}
	defer l.close()
	return l.stepTimes(), nil
}

// large measures the steps that send: the third of all.
func large(roaming bool) func(uint64) (any, error) {
	return func(seed uint64) (any, error) {
		l, err := newLab(scene{
			nodes: 100_000, peers: 256, sends: 20, explicit: true, sees: inView, moving: 1000, roaming: roaming, seed: seed,
		})
		if err != nil {
			return nil, err
		}
		defer l.close()
		samples := l.measure(measured / 2)
		const between = hz / 20
		sends := make([]time.Duration, 0, len(samples)/between)
		for i := 0; i+between <= len(samples); i += between {
			var sum time.Duration // with the steps between: each send pays for what waited for it
			for _, s := range samples[i : i+between] {
				sum += s
			}
			sends = append(sends, sum)
		}
		s := spreadOf(sends)
		return sendTimes{ms(s.min), ms(s.median)}, nil
	}
}

type curve struct {
	Us       []float64 `json:"us"`
	MedianUs []float64 `json:"median_us"`
}

// along measures several scenes.
func along(scenes ...scene) (any, error) {
	var c curve
	for _, sc := range scenes {
		l, err := newLab(sc)
		if err != nil {
			return nil, err
		}
		s := spreadOf(l.measure(measured / 2))
		l.close()
		c.Us, c.MedianUs = append(c.Us, us(s.min)), append(c.MedianUs, us(s.median))
	}
	return c, nil
}

func decades(seed uint64) (any, error) {
	var scenes []scene
	for _, n := range []int{1000, 10_000, 100_000} {
		scenes = append(scenes, scene{nodes: n, peers: 64, explicit: true, sees: inView, moving: n / 10, seed: seed})
	}
	return along(scenes...)
}

func peerCounts(seed uint64) (any, error) {
	var scenes []scene
	for _, n := range []int{16, 64, 256, 1000} {
		scenes = append(scenes, scene{nodes: 10_000, peers: n, explicit: true, sees: inView, moving: 1000, seed: seed})
	}
	return along(scenes...)
}

// streamTimes are the medians of the stream stage's times in two labs, step by step by turns, so
// that both meet the same machine: within seconds it swings by more than what is measured.
func streamTimes(labs [2]*lab) (medians [2]time.Duration) {
	var samples [2][]time.Duration
	for i := range warmUp + measured/2 {
		for k := range labs {
			k = (k + i) % 2
			labs[k].step()
			if i >= warmUp {
				samples[k] = append(samples[k], labs[k].stages.stream)
			}
		}
	}
	for k := range medians {
		medians[k] = spreadOf(samples[k]).median
	}
	return medians
}

type ratio struct {
	Ratio  float64 `json:"ratio"`
	Us     float64 `json:"us"`
	BaseUs float64 `json:"base_us"`
}

// against runs two scenes by turns.
func against(of, base scene) (any, error) {
	a, err := newLab(of)
	if err != nil {
		return nil, err
	}
	defer a.close()
	b, err := newLab(base)
	if err != nil {
		return nil, err
	}
	defer b.close()
	a.timeStages()
	b.timeStages()
	var ratios []float64
	var last ratio
	for range 5 {
		m := streamTimes([2]*lab{a, b})
		last.Us, last.BaseUs = us(m[0]), us(m[1])
		ratios = append(ratios, float64(m[0])/float64(m[1]))
	}
	slices.Sort(ratios)
	last.Ratio = ratios[len(ratios)/2]
	return last, nil
}

func roamers(seed uint64) scene {
	return scene{nodes: 10_000, peers: 64, explicit: true, sees: inView, moving: 1000, roaming: true, seed: seed}
}

func observersRatio(seed uint64) (any, error) {
	two := roamers(seed)
	two.observers = 2
	return against(two, roamers(seed))
}

func policyRatio(seed uint64) (any, error) {
	own := roamers(seed)
	own.interest = circle{rpl.Grid{Enter: radius, Exit: 1.1 * radius}}
	return against(own, roamers(seed))
}

// circle is a policy as a game writes it, with the answers of Grid: it asks each time whether
// a wall is between, and there is none.
type circle struct{ rpl.Grid }

func (circle) Sees(v rpl.View) bool {
	return v.X != v.From[0] || v.Y != v.From[1] || v.Distance == 0
}

var errNoClient = fmt.Errorf("no client came in")
