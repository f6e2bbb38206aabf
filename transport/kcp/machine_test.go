package kcp

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A talk is two lanes over a simulated network in virtual time, polled at 60 Hz as in
// a game.
type talk struct {
	ends     [2]*lane.Lane
	paths    [2]*netsim.Path // from each end
	received [2][][]byte
}

func newTalk(seed uint64, c netsim.Conditions, a, b func(func([]byte)) lane.Machine) *talk {
	return &talk{
		ends:  [2]*lane.Lane{lane.New(a), lane.New(b)},
		paths: [2]*netsim.Path{netsim.NewPath(2*seed, c), netsim.NewPath(2*seed+1, c)},
	}
}

func (k *talk) tick(t *testing.T, now time.Duration) {
	for i, l := range k.ends {
		from := k.paths[1-i]
		for b, _, ok := from.Receive(now); ok; b, _, ok = from.Receive(now) {
			if err := l.Input(now, b); err != nil {
				t.Fatal(err)
			}
		}
		for {
			m, err := l.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if m == nil {
				break
			}
			k.received[i] = append(k.received[i], bytes.Clone(m))
		}
		l.Update(now)
		for l.Pending() > 0 {
			k.paths[i].Send(now, l.Take(nil, transport.MaxPayload))
		}
	}
}

// play sends what a game sends, mostly short messages and sometimes a long
// one, for half a minute.
func play(t *testing.T, seed uint64, c netsim.Conditions, a, b func(func([]byte)) lane.Machine) {
	k := newTalk(seed, c, a, b)
	rng := rand.New(rand.NewPCG(seed, 1))
	start := time.Now()
	var sent [2]int
	all := func() bool { return len(k.received[0]) == sent[1] && len(k.received[1]) == sent[0] }
	for tick := 0; tick < 1900 || !all() && tick < 6000; tick++ {
		now := time.Since(start)
		for end := range k.ends {
			if tick < 1800 && rng.Float64() < .2 {
				m := make([]byte, 10+rng.IntN(100))
				if rng.Float64() < .02 {
					m = make([]byte, 5000)
				}
				if err := k.ends[end].Queue(m); err != nil {
					t.Fatal(err)
				}
				sent[end]++
			}
		}
		k.tick(t, now)
		time.Sleep(time.Second / 60)
	}
	if !all() {
		t.Fatalf("seed %d: %d and %d of %d and %d messages came", seed, len(k.received[1]), len(k.received[0]), sent[0], sent[1])
	}
}

// The two machines understand each other.
func TestARQSpeaksWithKCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .1, Duplicate: .1}
		play(t, 1, c, newStock, lane.NewARQ)
		play(t, 2, c, lane.NewARQ, newStock)
	})
}

// The segment that both machines emit for a short message, and its receipt, have the
// layout in docs/spec-transport.md.
func TestSegments(t *testing.T) {
	for name, make := range map[string]func(func([]byte)) lane.Machine{"KCP": newStock, "ARQ": lane.NewARQ} {
		synctest.Test(t, func(t *testing.T) {
			a, b, start := lane.New(make), lane.New(make), time.Now()
			a.Queue([]byte("hi"))
			time.Sleep(time.Second)
			a.Update(time.Since(start))
			push := a.Take(nil, transport.MaxPayload)
			want := append([]byte{1, 0, 0, 0, 81, 0, 0, 1}, push[8:12]...) // its time
			want = append(want, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 'h', 'i')
			if !bytes.Equal(push, want) {
				t.Errorf("%s says %x, want %x", name, push, want)
			}
			time.Sleep(time.Second)
			if err := b.Input(time.Since(start), push); err != nil {
				t.Fatal(err)
			}
			if m, err := b.Receive(); string(m) != "hi" || err != nil {
				t.Errorf("%s: %q, %v", name, m, err)
			}
			b.Update(time.Since(start))
			ack := append([]byte{1, 0, 0, 0, 82, 0, 0, 1}, push[8:12]...) // of what it is the receipt
			ack = append(ack, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
			if got := b.Take(nil, transport.MaxPayload); !bytes.Equal(got, ack) {
				t.Errorf("%s answers %x, want %x", name, got, ack)
			}
		})
	}
}

// The raw machine gets whatever passes lane.Check: it must not panic, loop or keep
// more than its window.
func FuzzMachine(f *testing.F) {
	var out []byte
	l := lane.New(newStock)
	l.Queue([]byte("hello"))
	l.Update(0)
	out = l.Take(nil, transport.MaxPayload)
	f.Add(out)
	f.Add(append(bytes.Clone(out), out...))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := lane.New(newStock)
		l.Queue([]byte("something of our own"))
		l.Update(0)
		for range 3 {
			l.Input(0, b)
			for {
				if m, err := l.Receive(); m == nil || err != nil {
					break
				}
			}
			l.Update(0)
			for l.Pending() > 0 {
				l.Take(nil, transport.MaxPayload)
			}
		}
	})
}

// A lane does not call an idle machine. It relies on two promises, which both machines
// keep: a machine without a chunk to receive has none before the next Input, and only
// Send raises Waiting.
func TestIdleMachinesStayIdle(t *testing.T) {
	for name, make := range map[string]func(func([]byte)) lane.Machine{"KCP": newStock, "ARQ": lane.NewARQ} {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 0))
			var said [2][][]byte
			var machines [2]lane.Machine
			for i := range machines {
				machines[i] = make(func(b []byte) { said[i] = append(said[i], bytes.Clone(b)) })
			}
			var none [2]bool
			buf, start, heard := [lane.MaxChunk]byte{}, time.Now(), 0
			for range 20_000 {
				time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
				i := rng.IntN(2)
				m, waiting, now := machines[i], machines[i].Waiting(), time.Since(start)
				switch rng.IntN(5) {
				case 0:
					if waiting < lane.MaxBehind {
						m.Send(buf[:1+rng.IntN(len(buf))])
						waiting++
					}
				case 1:
					if n := len(said[1-i]); n > 0 { // any of them, so out of order, or never
						at := rng.IntN(n)
						m.Input(now, said[1-i][at])
						said[1-i][at] = said[1-i][n-1]
						said[1-i], none[i] = said[1-i][:n-1], false
					}
				case 2:
					m.Update(now)
				default:
					n := m.Recv(buf[:])
					if n >= 0 && none[i] {
						t.Fatalf("%s has a chunk that no Input brought", name)
					}
					none[i] = n < 0
					heard += max(0, min(n, 1))
				}
				if w := m.Waiting(); w > waiting {
					t.Fatalf("%s: %d chunks wait, of %d", name, w, waiting)
				}
			}
			if heard < 100 {
				t.Errorf("%s: %d chunks came", name, heard)
			}
		})
	}
}
