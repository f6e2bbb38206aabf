package lane

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The shortcuts of an idle lane change nothing: a lane that takes none of them sends,
// receives and reports the same, in whatever order its methods are called.
func TestIdleIsExact(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c := netsim.Conditions{
			Loss: rng.Float64() * .4, Duplicate: rng.Float64() * .3,
		}
		if seed%2 == 0 { // else an ack comes before the repeat of what it acknowledges
			c.Delay, c.Jitter = time.Duration(rng.IntN(100))*time.Millisecond, time.Duration(rng.IntN(60))*time.Millisecond
		}
		shares := []float64{0, .05}
		talk := func(looks bool) (told []string) {
			rng := rand.New(rand.NewPCG(seed, 3))
			x := newExchange(seed, c)
			note := func(format string, a ...any) { told = append(told, fmt.Sprintf(format, a...)) }
			for event := range 3000 {
				x.now += time.Duration(rng.IntN(1+int(seed%6))) * time.Millisecond
				if rng.IntN(30) == 0 {
					x.now += 2 * linger
				}
				i := rng.IntN(2)
				l := x.ends[i]
				if looks {
					l.busy, l.heard = true, true
				}
				switch rng.IntN(16) {
				case 0:
					if event%200 < 20 { // then it becomes idle
						l.Queue(bytes.Repeat([]byte{byte(seed)}, rng.IntN(2000)))
					}
				case 1:
					l.SetLoss(shares[rng.IntN(2)])
				case 2, 3, 4, 5:
					if b, _, ok := x.paths[1-i].Receive(x.now); ok {
						note("%d takes %d: %v", i, len(b), l.Input(x.now, b))
					}
				case 6, 7, 8:
					m, err := l.Receive()
					note("%d hears %x %v", i, m, err)
				case 9, 10, 11, 12:
					l.Update(x.now)
				default:
					if b := l.Take(nil, rng.IntN(transport.MaxPayload)); len(b) > 0 {
						x.paths[i].Send(x.now, b)
						note("%d says %x", i, b)
					}
				}
				note("%v %d: %d pending, %d queued, %d waiting, %d out", x.now, i, l.Pending(), l.Queued(), l.Waiting(), l.Out())
			}
			return told
		}
		plain, looking := talk(false), talk(true)
		for i := range looking {
			if i >= len(plain) || plain[i] != looking[i] {
				t.Fatalf("seed %d: event %d of %d is %.80q, where it looks %.80q", seed, i, len(looking), plain[min(i, len(plain)-1)], looking[i])
			}
		}
	}
}

// counting is a machine that counts its calls.
type counting struct {
	Machine
	asked int
}

func (c *counting) Update(now time.Duration) { c.asked++; c.Machine.Update(now) }
func (c *counting) Recv(b []byte) int        { c.asked++; return c.Machine.Recv(b) }
func (c *counting) Waiting() int             { c.asked++; return c.Machine.Waiting() }

// An idle lane does not call its machine.
func TestIdleAsksNothing(t *testing.T) {
	x := newExchange(1, netsim.Conditions{Delay: 20 * time.Millisecond})
	var machines [2]*counting
	for i := range x.ends {
		x.ends[i] = New(func(out func([]byte)) Machine {
			machines[i] = &counting{Machine: NewARQ(out)}
			return machines[i]
		})
		x.ends[i].Queue([]byte("hello"))
	}
	for range 60 {
		x.tick(t)
	}
	if len(x.came[0]) != 1 || len(x.came[1]) != 1 {
		t.Fatalf("%d and %d messages came", len(x.came[0]), len(x.came[1]))
	}
	before := machines[0].asked + machines[1].asked
	for range 60 {
		x.tick(t)
	}
	if n := machines[0].asked + machines[1].asked - before; n != 0 {
		t.Errorf("idle lanes asked their machines %d times", n)
	}
}

// A repeat leaves when it is due, even if the lane is idle by then.
func TestIdleRepeats(t *testing.T) {
	a, b := New(NewARQ), New(NewARQ)
	a.SetLoss(1)
	a.Queue([]byte("x"))
	a.Update(0)
	push := a.Take(nil, transport.MaxPayload)
	b.Input(0, push)
	b.Update(0)
	at := RepeatAfter / 2
	a.Input(at, b.Take(nil, transport.MaxPayload))
	if a.Update(at); a.Waiting() != 0 || a.Pending() != 0 {
		t.Fatalf("%d segments wait, %d bytes pend", a.Waiting(), a.Pending())
	}
	a.Update(at + 2*linger)
	if got := a.Take(nil, transport.MaxPayload); !bytes.Equal(got, push) {
		t.Errorf("it repeats %x, not %x", got, push)
	}
}

// Received segments are acknowledged at the next update, however late it comes. An
// update within the machine's interval after another may leave it to the one after.
func TestLateReceipts(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		l, now, before, owes := New(NewARQ), time.Hour, time.Duration(0), false
		later := func() {
			most := [...]time.Duration{2 * interval * time.Millisecond, 2 * linger, 2 * time.Second}[rng.IntN(3)]
			now += time.Duration(rng.Int64N(int64(most)))
		}
		for sn := range uint32(60) {
			later()
			if err := l.Input(now, append(header{cmd: push, sn: sn, length: 1}.append(nil), 0)); err != nil {
				t.Fatal(err)
			}
			owes = true
			for range 1 + rng.IntN(3) {
				later()
				l.Update(now)
				said := len(l.Take(nil, MaxPending)) > 0
				if owes && !said && now-before >= interval*time.Millisecond {
					t.Fatalf("seed %d: segment %d is not acknowledged at %v; the update before was %v earlier", seed, sn, now, now-before)
				}
				before, owes = now, owes && !said
			}
		}
	}
}
