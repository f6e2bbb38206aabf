package netsim

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"
)

const ms = time.Millisecond

type arrival struct {
	number uint32
	due    time.Duration
}

// run sends n numbered packets, one per period, and returns what arrives.
func run(p *Path, n int, period time.Duration) []arrival {
	var out []arrival
	var b [40]byte
	now := time.Duration(0)
	collect := func() {
		for {
			got, due, ok := p.Receive(now)
			if !ok {
				return
			}
			out = append(out, arrival{binary.LittleEndian.Uint32(got), due})
		}
	}
	for i := range n {
		collect()
		binary.LittleEndian.PutUint32(b[:], uint32(i))
		p.Send(now, b[:])
		now += period
	}
	for p.InFlight() > 0 {
		now, _ = p.Next()
		collect()
	}
	return out
}

func TestPerfect(t *testing.T) {
	got := run(NewPath(1, Conditions{}), 100, ms)
	if len(got) != 100 {
		t.Fatalf("%d of 100 packets arrived", len(got))
	}
	for i, a := range got {
		if a.number != uint32(i) || a.due != time.Duration(i)*ms {
			t.Fatalf("arrival %d is packet %d at %v", i, a.number, a.due)
		}
	}
}

// Packets that are due at the same time arrive in the order sent, each copy after its
// packet.
func TestOrderOfEqualTimes(t *testing.T) {
	p := NewPath(1, Conditions{Delay: 20 * ms, Duplicate: .5})
	for i := range 500 {
		p.Send(time.Duration(i/100)*ms, binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	next, came := uint32(0), 0
	for b, due, ok := p.Receive(time.Second); ok; b, due, ok = p.Receive(time.Second) {
		n := binary.LittleEndian.Uint32(b)
		if n != next && (n+1 != next || came == 0) || due != 20*ms+time.Duration(n/100)*ms {
			t.Fatalf("packet %d comes at %v, want packet %d", n, due, next)
		}
		next, came = n+1, came+1
	}
	if want := 500 + int(p.Counters().Duplicated); next != 500 || came != want {
		t.Errorf("%d came, the last is %d; want %d", came, next-1, want)
	}
}

func TestSameSeedSameNetwork(t *testing.T) {
	c := Conditions{Loss: .2, Burst: 3, Delay: 50 * ms, Jitter: 20 * ms, Duplicate: .1, Rate: 1 << 16}
	a, b, other := run(NewPath(7, c), 500, ms), run(NewPath(7, c), 500, ms), run(NewPath(8, c), 500, ms)
	same := func(x, y []arrival) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i] != y[i] {
				return false
			}
		}
		return true
	}
	if !same(a, b) {
		t.Error("two runs with seed 7 differ")
	}
	if same(a, other) {
		t.Error("seeds 7 and 8 give the same run")
	}
}

// Two runs that differ only in loss see the same jitter.
func TestLossLeavesJitter(t *testing.T) {
	due := map[uint32]time.Duration{}
	for _, a := range run(NewPath(3, Conditions{Jitter: 30 * ms}), 300, ms) {
		due[a.number] = a.due
	}
	for _, a := range run(NewPath(3, Conditions{Jitter: 30 * ms, Loss: .5}), 300, ms) {
		if due[a.number] != a.due {
			t.Fatalf("packet %d is due at %v with loss, %v without", a.number, a.due, due[a.number])
		}
	}
}

func TestLoss(t *testing.T) {
	const n = 50_000
	for _, c := range []struct{ loss, burst float64 }{
		{0, 0}, {.01, 0}, {.3, 0}, {1, 0}, {.05, 3}, {.2, 2}, {.2, 8}, {1, 4}, {.9, 20}, {.9, 2},
	} {
		p := NewPath(5, Conditions{Loss: c.loss, Burst: c.burst})
		got := run(p, n, ms)
		if k := p.Counters(); k.Lost != uint64(n-len(got)) || k.Dropped() != k.Lost || k.Delivered != uint64(len(got)) {
			t.Errorf("loss %v burst %v: %d arrive, counted %+v", c.loss, c.burst, len(got), k)
		}
		lost := 1 - float64(len(got))/n
		// Bursts make neighbours depend on each other: fewer independent draws.
		draws := n / max(1, 2*c.burst)
		if tol := 4*math.Sqrt(c.loss*(1-c.loss)/draws) + 1e-9; math.Abs(lost-c.loss) > tol {
			t.Errorf("loss %v burst %v: %.4f lost, tolerance %.4f", c.loss, c.burst, lost, tol)
		}
		if c.loss == 0 || c.loss == 1 {
			continue
		}
		runs, last := 0, int64(-1)
		for _, a := range got {
			if int64(a.number) != last+1 {
				runs++
			}
			last = int64(a.number)
		}
		mean := lost * n / float64(runs)
		want := c.burst
		if want <= 1 {
			want = 1 / (1 - c.loss)
		} else {
			want = max(want, c.loss/(1-c.loss))
		}
		if math.Abs(mean-want) > .15*want {
			t.Errorf("loss %v burst %v: mean run of %.2f losses, want about %.2f", c.loss, c.burst, mean, want)
		}
	}
}

func TestDelayAndJitter(t *testing.T) {
	got := run(NewPath(1, Conditions{Delay: 50 * ms, Jitter: 20 * ms}), 5000, ms)
	var sum time.Duration
	reordered := 0
	for i, a := range got {
		d := a.due - time.Duration(a.number)*ms
		if d < 50*ms || d > 70*ms {
			t.Fatalf("packet %d took %v", a.number, d)
		}
		sum += d
		if i > 0 {
			if a.due < got[i-1].due {
				t.Fatalf("packet %d is returned after one due later", a.number)
			}
			if a.number < got[i-1].number {
				reordered++
			}
		}
	}
	if mean := sum / time.Duration(len(got)); mean < 59*ms || mean > 61*ms {
		t.Errorf("mean delay %v, want about 60ms", mean)
	}
	if reordered == 0 {
		t.Error("jitter of 20 packets' time reordered nothing")
	}
}

func TestDuplicate(t *testing.T) {
	p := NewPath(1, Conditions{Duplicate: .25, Jitter: 5 * ms})
	got := run(p, 10_000, ms)
	if extra := len(got) - 10_000; extra < 2300 || extra > 2700 || uint64(extra) != p.Counters().Duplicated {
		t.Errorf("%d of 10,000 came twice, %d counted, want about 2,500", extra, p.Counters().Duplicated)
	}
}

func TestRate(t *testing.T) {
	// 40-byte packets every ms on a line of 20,000 bytes a second: each takes 2 ms.
	p := NewPath(1, Conditions{Rate: 20_000, Queue: 400})
	got := run(p, 1000, ms)
	for i := 1; i < len(got); i++ {
		if d := got[i].due - got[i-1].due; d != 2*ms {
			t.Fatalf("packets %v apart, want 2ms", d)
		}
	}
	c := p.Counters()
	if c.Overflow < 450 || c.Overflow > 500 || c.Overflow+uint64(len(got)) != 1000 || c.Dropped() != c.Overflow {
		t.Errorf("%d overflowed, %d arrived; want about half", c.Overflow, len(got))
	}
	if wait := got[len(got)-1].due - time.Duration(got[len(got)-1].number)*ms; wait > 20*ms || wait < 18*ms {
		t.Errorf("the last packet waited %v; a queue of 400 bytes holds 20ms", wait)
	}
	// With Queue 0 the queue is as long as DefaultQueue, to the byte.
	p = NewPath(1, Conditions{Rate: 1000})
	for range DefaultQueue/1024 + 1 {
		p.Send(0, make([]byte, 1024))
	}
	if c := p.Counters(); c.Overflow != 1 {
		t.Errorf("%d of %d bytes overflow", c.Overflow*1024, c.Bytes)
	}
	// A line that has been idle begins when there is something to send.
	p = NewPath(1, Conditions{Rate: 1000})
	p.Send(time.Second, make([]byte, 100))
	if due, ok := p.Next(); !ok || due != 1100*ms {
		t.Errorf("after a second without any 100 bytes are due at %v, %v", due, ok)
	}
	// A packet longer than the queue passes an idle line; otherwise it never could.
	p = NewPath(1, Conditions{Rate: 1000, Queue: 10})
	p.Send(0, make([]byte, 100))
	if due, ok := p.Next(); !ok || due != 100*ms {
		t.Errorf("a packet of 100 bytes at 1,000 a second is due at %v, %v", due, ok)
	}
}

func TestMaxSize(t *testing.T) {
	p := NewPath(1, Conditions{MaxSize: 10})
	p.Send(0, make([]byte, 10))
	p.Send(0, make([]byte, 11))
	if c := p.Counters(); c.Oversize != 1 || c.Dropped() != 1 || c.Sent != 2 || c.Bytes != 21 || p.InFlight() != 1 {
		t.Errorf("counters %+v with %d in flight", c, p.InFlight())
	}
}

func TestSetConditions(t *testing.T) {
	p := NewPath(1, Conditions{Delay: 100 * ms})
	p.Send(0, []byte("slow"))
	p.SetConditions(Conditions{})
	p.Send(ms, []byte("fast"))
	b, due, ok := p.Receive(ms)
	if !ok || string(b) != "fast" || due != ms {
		t.Fatalf("got %q at %v, %v", b, due, ok)
	}
	if _, _, ok := p.Receive(99 * ms); ok {
		t.Fatal("the slow packet came early")
	}
	if b, due, ok = p.Receive(time.Second); !ok || string(b) != "slow" || due != 100*ms {
		t.Fatalf("got %q at %v, %v", b, due, ok)
	}
}

// Send copies the sender's bytes. Received bytes stay unchanged until the next Receive;
// then their buffer is reused, even if time stands still.
func TestBytes(t *testing.T) {
	p := NewPath(1, Conditions{Delay: 3 * ms, Jitter: 5 * ms, Duplicate: .2})
	sent := 0
	send := func(now time.Duration, n int) {
		for range n {
			sent++
			b := fmt.Appendf(nil, "%d", sent)
			p.Send(now, b)
			clear(b)
		}
	}
	came := map[string]bool{}
	for i := range 300 {
		now := time.Duration(i) * ms
		send(now, 1+i%5)
		for b, _, ok := p.Receive(now); ok; b, _, ok = p.Receive(now) {
			want := string(b)
			came[want] = true
			if send(now, i%3); string(b) != want {
				t.Fatalf("at %v: received %q, which is now %q", now, want, b)
			}
		}
	}
	for p.InFlight() > 0 {
		b, _, _ := p.Receive(time.Hour)
		came[string(b)] = true
	}
	if len(came) != sent {
		t.Errorf("%d of %d came", len(came), sent)
	}
	p.SetConditions(Conditions{})
	if n := testing.AllocsPerRun(1000, func() {
		p.Send(time.Hour, []byte("again"))
		p.Receive(time.Hour)
	}); n != 0 {
		t.Errorf("%v allocations for a packet where time stands still", n)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []Conditions{
		{Loss: -.1},
		{Loss: 1.1},
		{Loss: math.NaN()},
		{Duplicate: 2},
		{Burst: -1},
		{Burst: math.NaN()},
		{Burst: math.Inf(1)},
		{Delay: -1},
		{Jitter: -1},
		{Delay: math.MaxInt64},
		{Jitter: math.MaxInt64},
		{Rate: -1},
		{Queue: -1},
		{MaxSize: -1},
	} {
		if c.Check() == nil {
			t.Errorf("%+v is accepted", c)
		}
		for name, f := range map[string]func(){
			"NewPath":       func() { NewPath(1, c) },
			"SetConditions": func() { NewPath(1, Conditions{}).SetConditions(c) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s takes %+v", name, c)
					}
				}()
				f()
			}()
		}
	}
	if err := (Conditions{Loss: 1, Duplicate: 1, Burst: 9, Delay: maxDelay, Jitter: maxDelay}).Check(); err != nil {
		t.Error(err)
	}
}

func TestPairDirectionsDiffer(t *testing.T) {
	p := NewPair(1, Conditions{})
	p.SetConditions(Conditions{Loss: .5})
	up, down := run(p.Up, 100, ms), run(p.Down, 100, ms)
	if len(up) == len(down) {
		same := true
		for i := range up {
			same = same && up[i].number == down[i].number
		}
		if same {
			t.Error("both directions lose the same packets")
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	p := NewPath(1, Conditions{Loss: .1, Delay: 20 * ms, Jitter: 20 * ms, Duplicate: .1, Rate: 1 << 20})
	b := make([]byte, 200)
	now := time.Duration(0)
	step := func() {
		now += ms
		p.Send(now, b)
		for {
			if _, _, ok := p.Receive(now); !ok {
				break
			}
		}
	}
	for range 5000 {
		step()
	}
	if n := testing.AllocsPerRun(2000, step); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

func BenchmarkPath(b *testing.B) {
	p := NewPath(1, Conditions{Loss: .05, Delay: 50 * ms, Jitter: 20 * ms})
	buf := make([]byte, 200)
	now := time.Duration(0)
	for b.Loop() {
		now += ms
		p.Send(now, buf)
		for {
			if _, _, ok := p.Receive(now); !ok {
				break
			}
		}
	}
}

// Conditions of a pair are those of both directions, which lose different packets.
func TestPair(t *testing.T) {
	p := NewPair(1, Conditions{})
	c := Conditions{Loss: .5}
	p.SetConditions(c)
	var came [2]uint64 // a bit for each packet
	for i, path := range []*Path{p.Up, p.Down} {
		if path.Conditions() != c {
			t.Errorf("direction %d has %+v", i, path.Conditions())
		}
		for n := range 64 {
			path.Send(0, []byte{byte(n)})
		}
		for b, _, ok := path.Receive(0); ok; b, _, ok = path.Receive(0) {
			came[i] |= 1 << b[0]
		}
	}
	if came[0] == came[1] {
		t.Errorf("both directions let the same packets through: %064b", came[0])
	}
}
