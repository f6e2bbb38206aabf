package mtu

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// play sends packets of a size 60 times a second, over a path that carries so much at each
// time and loses a share of all packets, and returns when what is sent has passed for the
// first time for good.
func play(t *testing.T, seed uint64, d time.Duration, size int, loss float64, carries func(at time.Duration) int) *Path {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var p Path
	came := map[uint64]bool{}
	type event struct {
		at time.Duration
		do func(now time.Duration)
	}
	var due []event
	const trip = 80 * time.Millisecond
	seq := uint64(0)
	for now := time.Duration(0); now < d; now += time.Second / 60 {
		for len(due) > 0 && due[0].at <= now {
			due[0].do(now)
			due = due[1:]
		}
		passes := func(n int) bool { return n <= carries(now) && rng.Float64() >= loss }
		seq++
		p.Fits(size)
		n := min(size, p.Size())
		came[seq] = passes(n)
		p.Sent(now, seq, n)
		if n := p.Probe(now); n > 0 && passes(n) && passes(30) {
			due = append(due, event{now + trip, func(time.Duration) { p.Passed(n) }})
		}
		if q, ok := p.Question(now); ok && passes(30) && passes(30) {
			due = append(due, event{now + trip, func(now time.Duration) { p.Answer(now, uint16(q), came[q]) }})
		}
	}
	return &p
}

// The search ends near what the path carries, and never above it.
func TestSearch(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		carries := Base + rng.IntN(Max-Base+100)
		p := play(t, seed, 20*time.Second, 1200, 0, func(time.Duration) int { return carries })
		if got := p.Size(); got > carries || got < min(carries, Max)-near {
			t.Errorf("seed %d: %d over a path of %d", seed, got, carries)
		}
	}
}

// A path that suddenly carries less is noticed within four seconds.
func TestBlackHole(t *testing.T) {
	for seed := range uint64(20) {
		for _, carries := range []int{972, 572, 300} {
			size := 0
			p := play(t, seed, 9*time.Second, 1200, 0.02, func(at time.Duration) int {
				if at < 5*time.Second {
					return Max
				}
				return carries
			})
			if size = p.Size(); size > carries || p.Lost() {
				t.Errorf("seed %d: packets of %d over a path of %d, lost %v", seed, size, carries, p.Lost())
			}
		}
		if p := play(t, seed, 10*time.Second, 1200, 0, func(at time.Duration) int { return 1200 - int(at/time.Second)*150 }); !p.Lost() && p.Size() > 256 {
			t.Errorf("seed %d: packets of %d, not lost", seed, p.Size())
		}
	}
}

// A path that carries nothing but the shortest packets is named.
func TestLost(t *testing.T) {
	p := play(t, 1, 10*time.Second, 1200, 0, func(at time.Duration) int {
		if at < 5*time.Second {
			return Max
		}
		return 100
	})
	if !p.Lost() {
		t.Error("packets of 256 bytes do not pass, and it is not lost")
	}
}

// Loss alone narrows nothing for long.
func TestLossIsNoBlackHole(t *testing.T) {
	for seed := range uint64(10) {
		narrow := 0
		for end := 10 * time.Second; end < 40*time.Second; end += 3 * time.Second {
			if p := play(t, seed, end, 1200, 0.2, func(time.Duration) int { return Max }); p.Size() < Max {
				narrow++
			}
		}
		if narrow > 4 {
			t.Errorf("seed %d: narrow %d times of 10 at 20 %% loss", seed, narrow)
		}
	}
}

// Parts in any order, doubled and beside those of other packets, make the packet again.
func TestParts(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var j Joiner
		type sent struct {
			seq uint64
			b   []byte
		}
		var all []sent
		want := map[uint64][]byte{}
		seq := rng.Uint64N(1 << 20)
		for range 1 + rng.IntN(3) {
			payload := make([]byte, 300+rng.IntN(880))
			for i := range payload {
				payload[i] = byte(rng.Uint32())
			}
			count, each := Cut(len(payload), 150+rng.IntN(150))
			if count < 2 {
				continue
			}
			seq++
			first := seq
			want[first] = payload
			for i := range count {
				if i > 0 {
					seq += 1 + rng.Uint64N(3)
				}
				part := Part{uint16(first), i, count, 9, payload[i*each : min((i+1)*each, len(payload))]}
				all = append(all, sent{seq, part.Append(nil)})
			}
		}
		rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		for _, s := range all {
			p, err := ParsePart(s.b)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if kind, whole, payload, ok := j.Add(s.seq, p); ok {
				if kind != 9 || !bytes.Equal(payload, want[whole]) {
					t.Fatalf("seed %d: packet %d is another", seed, whole)
				}
				delete(want, whole)
			}
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: %d packets are missing", seed, len(want))
		}
	}
}

func FuzzJoiner(f *testing.F) {
	f.Add(uint64(5), Part{5, 0, 2, 9, []byte("ab")}.Append(nil), Part{5, 1, 2, 9, []byte("c")}.Append(nil))
	f.Fuzz(func(t *testing.T, seq uint64, a, b []byte) {
		var j Joiner
		for i, x := range [][]byte{a, b, b, a} {
			if p, err := ParsePart(x); err == nil {
				if _, whole, payload, ok := j.Add(seq+uint64(i), p); ok && (len(payload) > Max || whole > seq+uint64(i)) {
					t.Fatalf("packet %d of %d bytes", whole, len(payload))
				}
			}
		}
	})
}
