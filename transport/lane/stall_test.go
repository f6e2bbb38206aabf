package lane

import (
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// late plays several seeds of a lane that is told the loss and queues a message every
// so many ticks. It returns the messages' delays, sorted, and the bytes that both ends
// sent.
func late(t *testing.T, c netsim.Conditions, every int) (times []time.Duration, bytes uint64) {
	t.Helper()
	for seed := range uint64(20) {
		x := newExchange(seed, c)
		x.ends[0].SetLoss(c.Loss)
		x.ends[1].SetLoss(c.Loss)
		var sent []time.Duration
		for i := 0; i < 3600 || len(x.came[1]) < len(sent); i++ {
			if i%every == 0 && i < 3600 {
				sent = append(sent, x.now)
				if err := x.ends[0].Queue(make([]byte, 40)); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			before := len(x.came[1])
			x.tick(t)
			for n := before; n < len(x.came[1]); n++ {
				times = append(times, x.now-sent[n])
			}
			if n := len(x.ends[0].sizes); n > MaxFlight {
				t.Fatalf("seed %d: the sizes of %d chunks are kept", seed, n)
			}
			if i > 2*3600 {
				t.Fatalf("seed %d: %d of %d messages came", seed, len(x.came[1]), len(sent))
			}
		}
		bytes += x.ends[0].Out() + x.ends[1].Out()
	}
	slices.Sort(times)
	return times, bytes
}

// On a network that loses much, delayed messages are some round trips late, not
// seconds: each segment is sent twice, so the chance to lose it k times in a row is
// squared, and the messages behind it need no further round trip.
func TestStall(t *testing.T) {
	for _, k := range []struct {
		loss        float64
		every       int
		percent, ms time.Duration // the slowest percent, and the slowest
	}{{.1, 6, 270, 600}, {.2, 6, 310, 800}, {.2, 1, 340, 800}, {.3, 6, 430, 1100}, {.3, 1, 480, 1300}} {
		times, _ := late(t, netsim.Conditions{Loss: k.loss, Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond}, k.every)
		p99, most := times[len(times)*99/100], times[len(times)-1]
		t.Logf("loss %v, every %d ticks: p99 %v, most %v of %d", k.loss, k.every, p99, most, len(times))
		if p99 > k.percent*time.Millisecond || most > k.ms*time.Millisecond {
			t.Errorf("loss %v, every %d ticks: p99 %v, most %v, want %d and %d ms", k.loss, k.every, p99, most, k.percent, k.ms)
		}
	}
}

// Without loss no segment is sent twice, and no more segments wait than otherwise.
func TestNoStallCostsNothing(t *testing.T) {
	const headers = 2*HeaderSize + 41 // a segment, its data, its receipt
	times, bytes := late(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond}, 6)
	if want := uint64(len(times)) * headers; bytes > want {
		t.Errorf("%d bytes for %d messages, want %d", bytes, len(times), want)
	}
}

// Behind a segment that had to be repeated, short segments continue to leave, up to the
// bytes of MaxWaiting full segments. Long segments wait as usual, and so do all
// segments when nothing was repeated.
func TestBehind(t *testing.T) {
	for _, k := range []struct {
		size, before, after int // chunks that the machine has
	}{
		{10, MaxWaiting, MaxBehind},
		{MaxChunk / 3, MaxWaiting, 3*MaxWaiting - 1},
		{MaxChunk/2 - 2, MaxWaiting, 2 * MaxWaiting},
		{MaxChunk - 2, MaxWaiting, MaxWaiting},
	} {
		l, now := New(NewARQ), time.Duration(0)
		give := func() {
			for range 3 * MaxBehind {
				if err := l.Queue(make([]byte, k.size)); err != nil {
					t.Fatal(err)
				}
				l.Update(now)
				l.Take(nil, MaxPending)
			}
		}
		give()
		if w := l.Waiting(); w != k.before {
			t.Errorf("of %d bytes the machine has %d, want %d", k.size, w, k.before)
		}
		l = New(NewARQ)
		l.Queue(make([]byte, k.size))
		l.Update(0)
		now = time.Second
		l.Update(now) // says it again
		give()
		if w := l.Waiting(); w != k.after {
			t.Errorf("of %d bytes the machine has %d behind one that it has repeated, want %d", k.size, w, k.after)
		}
	}
}

// From half a percent of loss on, new segments are sent twice; from four percent on,
// also those that the machine repeats. Receipts never are.
func TestSegmentsAreSentTwiceUnderLoss(t *testing.T) {
	const below = .999
	for _, k := range []struct {
		loss          float64
		fresh, repeat int // times that it is said
	}{
		{0, 1, 1},
		{below * RepeatAbove, 1, 1},
		{RepeatAbove, 2, 1},
		{below * RepeatAllAbove, 2, 1},
		{RepeatAllAbove, 2, 2},
		{1, 2, 2},
	} {
		a, b := New(NewARQ), New(NewARQ)
		a.SetLoss(k.loss)
		b.SetLoss(k.loss)
		a.Queue([]byte("x"))
		said := func(l *Lane, at time.Duration) (runs []byte) {
			l.Update(at)
			runs = l.Take(nil, MaxPending)
			l.Update(at + RepeatAfter)
			return l.Take(runs, MaxPending)
		}
		const one = HeaderSize + 2
		push := said(a, 0)
		if err := b.Input(0, push[:one]); err != nil {
			t.Fatal(err)
		}
		if n := len(said(b, 0)); n != HeaderSize {
			t.Errorf("loss %v: a receipt takes %d bytes, want %d", k.loss, n, HeaderSize)
		}
		if again := said(a, time.Second); len(push) != k.fresh*one || len(again) != k.repeat*one {
			t.Errorf("loss %v: %d bytes are new, %d are said again; want %d and %d times %d", k.loss, len(push), len(again), k.fresh, k.repeat, one)
		}
	}
}
