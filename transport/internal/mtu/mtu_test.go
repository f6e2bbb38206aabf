package mtu

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// play sends packets of a size 60 times a second, over a path that carries so much at each time and
// loses a share of all packets, and returns what is known of it in the end.
func play(seed uint64, d time.Duration, size int, loss float64, carries func(at time.Duration) int) (last *Path) {
	l := line{seed: seed, every: 1, sizes: []int{size}, loss: loss, carries: carries}
	l.play(d, func(_ time.Duration, p *Path) bool {
		last = p
		return false
	})
	return last
}

// The search ends near what the path carries, and never above it.
func TestSearch(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		carries := Base + rng.IntN(Max-Base+100)
		p := play(seed, 20*time.Second, 1200, 0, func(time.Duration) int { return carries })
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
			p := play(seed, 9*time.Second, 1200, 0.02, func(at time.Duration) int {
				if at < 5*time.Second {
					return Max
				}
				return carries
			})
			if size = p.Size(); size > carries || p.Lost() {
				t.Errorf("seed %d: packets of %d over a path of %d, lost %v", seed, size, carries, p.Lost())
			}
		}
		if p := play(seed, 10*time.Second, 1200, 0, func(at time.Duration) int { return 1200 - int(at/time.Second)*150 }); !p.Lost() && p.Size() > 256 {
			t.Errorf("seed %d: packets of %d, not lost", seed, p.Size())
		}
	}
}

// A path that carries nothing but the shortest packets is named.
func TestLost(t *testing.T) {
	p := play(1, 10*time.Second, 1200, 0, func(at time.Duration) int {
		if at < 5*time.Second {
			return Max
		}
		return 100
	})
	if !p.Lost() {
		t.Error("packets of 256 bytes do not pass, and it is not lost")
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
