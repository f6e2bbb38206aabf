package lane

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

const tick = time.Second / 60

// An exchange moves each end's pending segments to the other end, through one path in
// each direction, and returns the messages that arrived.
type exchange struct {
	now   time.Duration
	ends  [2]*Lane
	paths [2]*netsim.Path
	came  [2][][]byte
}

func newExchange(seed uint64, c netsim.Conditions) *exchange {
	return &exchange{
		ends:  [2]*Lane{New(NewARQ), New(NewARQ)},
		paths: [2]*netsim.Path{netsim.NewPath(2*seed, c), netsim.NewPath(2*seed+1, c)},
	}
}

func (x *exchange) tick(t *testing.T) {
	x.now += tick
	for i, l := range x.ends {
		p := x.paths[1-i]
		for b, _, ok := p.Receive(x.now); ok; b, _, ok = p.Receive(x.now) {
			if err := l.Input(x.now, b); err != nil {
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
			x.came[i] = append(x.came[i], bytes.Clone(m))
		}
		l.Update(x.now)
		for l.Pending() > 0 {
			x.paths[i].Send(x.now, l.Take(nil, transport.MaxPayload))
		}
	}
}

// Whatever the network does, messages arrive whole, in order and once.
func TestOrder(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		x := newExchange(seed, netsim.Conditions{
			Loss: rng.Float64() * .4, Burst: rng.Float64() * 4, Duplicate: rng.Float64() * .3,
			Delay: time.Duration(rng.IntN(100)) * time.Millisecond, Jitter: time.Duration(rng.IntN(100)) * time.Millisecond,
		})
		var sent [2][][]byte
		for i := range 60 {
			for end := range 2 {
				m := fmt.Appendf(nil, "%d ", i)
				if rng.IntN(10) == 0 {
					m = append(m, make([]byte, rng.IntN(8000))...)
				}
				if err := x.ends[end].Queue(m); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				sent[end] = append(sent[end], m)
			}
			x.tick(t)
			if w := x.ends[0].Waiting(); w > MaxBehind {
				t.Fatalf("seed %d: the machine has %d segments", seed, w)
			}
		}
		for range 6000 {
			if len(x.came[0]) == 60 && len(x.came[1]) == 60 && x.ends[0].Waiting()+x.ends[1].Waiting() == 0 {
				break
			}
			x.tick(t)
		}
		for end := range 2 {
			if len(x.came[1-end]) != 60 || x.ends[end].Queued() != 0 {
				t.Fatalf("seed %d: %d of 60 messages came, %d queued", seed, len(x.came[1-end]), x.ends[end].Queued())
			}
			for i := range sent[end] {
				if !bytes.Equal(sent[end][i], x.came[1-end][i]) {
					t.Fatalf("seed %d: message %d is %.20q, sent %.20q", seed, i, x.came[1-end][i], sent[end][i])
				}
			}
		}
	}
}

// Short messages share a segment; an idle lane sends nothing.
func TestBytes(t *testing.T) {
	x := newExchange(1, netsim.Conditions{})
	for range 10 {
		x.ends[0].Queue(make([]byte, 20))
	}
	for range 100 {
		x.tick(t)
	}
	if out := x.ends[0].Out(); out != HeaderSize+10*21 {
		t.Errorf("10 messages of 20 bytes took %d bytes, want %d", out, HeaderSize+10*21)
	}
	if out := x.ends[1].Out(); out != HeaderSize {
		t.Errorf("their receipt took %d bytes, want %d", out, HeaderSize)
	}
}

// Held is the bytes that the lane will still send if nothing is lost, including copies
// with their headers.
func TestHeld(t *testing.T) {
	x := newExchange(1, netsim.Conditions{Delay: 200 * time.Millisecond})
	l := x.ends[0]
	l.SetLoss(RepeatAbove)
	queue := func() {
		if err := l.Queue(make([]byte, 20)); err != nil {
			t.Fatal(err)
		}
	}
	queue()
	if held := l.Held(); held != 21 {
		t.Errorf("%d bytes are held of 21 that were never said", held)
	}
	l.Update(0)
	if held := l.Held(); held != 2*(HeaderSize+21) {
		t.Errorf("%d bytes are held of a segment and its copy, want %d", held, 2*(HeaderSize+21))
	}
	x.tick(t)
	x.tick(t)
	if held := l.Held(); held != 0 || l.Waiting() != 1 {
		t.Errorf("%d bytes are held where all was said twice, and %d segments not acknowledged", held, l.Waiting())
	}
	for range MaxWaiting + 2 { // the machine takes so many, each its own
		queue()
		l.Update(x.now)
		l.Take(nil, transport.MaxPayload)
	}
	if held := l.Held(); held < 3*21 {
		t.Errorf("%d bytes are held where the machine takes no more", held)
	}
}

// Held does not depend on what the other end sends.
func TestHeldWhileBothTalk(t *testing.T) {
	x := newExchange(1, netsim.Conditions{})
	for range 5 {
		for end, n := range []int{1, 4} {
			for range n {
				if err := x.ends[end].Queue(make([]byte, MaxChunk)); err != nil {
					t.Fatal(err)
				}
			}
			x.tick(t)
		}
	}
	for range 60 {
		x.tick(t)
	}
	for end, n := range []int{5, 20} {
		if held := x.ends[end].Held(); held != 0 || len(x.came[1-end]) != n {
			t.Errorf("%d bytes are held, and %d of %d messages have come", held, len(x.came[1-end]), n)
		}
	}
}

// A message counts as queued until the machine has got all of it.
func TestQueued(t *testing.T) {
	l := New(NewARQ)
	for range 20 {
		if err := l.Queue(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	l.Update(0)
	const framed = 1002
	if got, want := l.Queued(), 20-MaxWaiting*MaxChunk/framed; got != want {
		t.Errorf("%d messages are queued behind %d chunks, want %d", got, MaxWaiting, want)
	}
}

func TestLimits(t *testing.T) {
	l := New(NewARQ)
	if err := l.Queue(make([]byte, transport.MaxMessage+1)); !errors.Is(err, transport.ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	n := 0
	var err error
	for ; err == nil && n < 1<<20; n++ {
		err = l.Queue(nil)
	}
	if !errors.Is(err, transport.ErrBacklog) || n-1 != transport.MaxQueuedMessages {
		t.Errorf("after %d empty messages: %v", n-1, err)
	}
}

// The queue's limit is exact to the byte: the length prefixes count too.
func TestQueueIsBounded(t *testing.T) {
	for _, size := range []int{60, 1000, transport.MaxMessage} {
		l, n := New(NewARQ), 0
		for l.Queue(make([]byte, size)) == nil {
			n++
		}
		framed := size + len(binary.AppendUvarint(nil, uint64(size)))
		if want := min(transport.MaxQueued/framed, transport.MaxQueuedMessages); n != want || l.queue.len() > transport.MaxQueued {
			t.Errorf("%d messages of %d bytes wait, want %d; %d bytes in all", n, size, want, l.queue.len())
		}
		rest := transport.MaxQueued - l.queue.len()
		if err := l.Queue(make([]byte, rest)); err == nil {
			t.Errorf("%d bytes wait", l.queue.len())
		}
		if size > 60 { // else so many are too many
			for l.queue.len() < transport.MaxQueued { // a length of one byte, or of three
				left := transport.MaxQueued - l.queue.len()
				if err := l.Queue(make([]byte, min(left-1, 100))); err != nil {
					t.Fatalf("%d bytes are free: %v", left, err)
				}
			}
		}
	}
}

// Take moves as many whole segments as fit, never a part of one.
func TestTake(t *testing.T) {
	l := New(NewARQ)
	l.Queue(make([]byte, 3000))
	l.Update(0)
	all := l.Pending()
	if got := l.Take(nil, HeaderSize+MaxChunk-1); len(got) != 0 {
		t.Errorf("%d bytes taken where no segment fits", len(got))
	}
	if l.Fit(-5) != 0 {
		t.Error("something fits in less than nothing")
	}
	first := l.Take(nil, HeaderSize+MaxChunk)
	if len(first) != HeaderSize+MaxChunk || Check(first) != nil || l.Pending() != all-len(first) {
		t.Errorf("%d bytes taken, %d of %d left", len(first), l.Pending(), all)
	}
}

// Pending segments that nobody takes do not grow without bound.
func TestPendingIsBounded(t *testing.T) {
	a, b := New(NewARQ), New(NewARQ)
	a.Queue([]byte("x"))
	a.Update(0)
	push := a.Take(nil, transport.MaxPayload)
	for range 200_000 {
		b.Input(0, push)
	}
	if b.Pending() > MaxPending {
		t.Errorf("%d bytes pending", b.Pending())
	}
}

func TestBrokenFraming(t *testing.T) {
	for _, stream := range [][]byte{
		binary.AppendUvarint(nil, transport.MaxMessage+1),
		{0xff, 0xff, 0xff, 0xff, 0xff},
		{0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
	} {
		l := New(NewARQ)
		b := header{cmd: push, length: uint32(len(stream))}.append(nil)
		if err := l.Input(0, append(b, stream...)); err != nil {
			t.Fatal(err)
		}
		if m, err := l.Receive(); !errors.Is(err, transport.ErrTooLong) {
			t.Errorf("%x is %q, %v", stream, m, err)
		}
	}
}

func TestCheck(t *testing.T) {
	good := append(header{cmd: push, length: 3}.append(nil), "abc"...)
	if err := Check(append(bytes.Clone(good), good...)); err != nil {
		t.Error(err)
	}
	for n := 1; n < len(good); n++ {
		if Check(good[:n]) == nil {
			t.Errorf("a segment cut at %d is accepted", n)
		}
	}
	for _, x := range []struct {
		at int
		to byte
	}{{0, 2}, {3, 1}, {4, 80}, {4, 85}, {5, 1}, {22, 1}} {
		b := bytes.Clone(good)
		b[x.at] = x.to
		if Check(b) == nil {
			t.Errorf("byte %d changed to %d is accepted", x.at, x.to)
		}
	}
	for n := MaxChunk; n <= MaxChunk+1; n++ {
		if err := Check(append(header{cmd: push, length: uint32(n)}.append(nil), make([]byte, n)...)); (err == nil) != (n == MaxChunk) {
			t.Errorf("a segment with %d bytes: %v", n, err)
		}
	}
	for cmd := range 256 { // without data, which 81 must have
		if err := Check(header{cmd: uint8(cmd)}.append(nil)); (err == nil) != (82 <= cmd && cmd <= 84) {
			t.Errorf("command %d: %v", cmd, err)
		}
	}
	if Check(append(header{cmd: ack, length: 3}.append(nil), "abc"...)) == nil {
		t.Error("an acknowledgement with data is accepted")
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	x := newExchange(1, netsim.Conditions{Delay: 20 * time.Millisecond})
	buf := make([]byte, 0, transport.MaxPacket)
	m := make([]byte, 100)
	step := func() {
		x.now += tick
		x.ends[0].Queue(m)
		for i, l := range x.ends {
			p := x.paths[1-i]
			for b, _, ok := p.Receive(x.now); ok; b, _, ok = p.Receive(x.now) {
				l.Input(x.now, b)
			}
			for b, _ := l.Receive(); b != nil; b, _ = l.Receive() {
			}
			l.Update(x.now)
			for l.Pending() > 0 {
				x.paths[i].Send(x.now, l.Take(buf, transport.MaxPayload))
			}
		}
	}
	for range 500 {
		step()
	}
	if n := testing.AllocsPerRun(500, step); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// Repeating new segments once removes the delay of the slowest messages and costs
// nothing but bytes.
func TestRepeat(t *testing.T) {
	play := func(loss float64) (slowest time.Duration, bytes uint64) {
		var late []time.Duration
		for seed := range uint64(10) {
			x := newExchange(seed, netsim.Conditions{Loss: .05, Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond})
			x.ends[0].SetLoss(loss)
			var sent []time.Duration
			for i := range 2000 {
				if i%8 == 0 && i < 1900 {
					sent = append(sent, x.now)
					x.ends[0].Queue(make([]byte, 40))
				}
				before := len(x.came[1])
				x.tick(t)
				for n := before; n < len(x.came[1]); n++ {
					late = append(late, x.now-sent[n])
				}
			}
			if len(x.came[1]) != len(sent) {
				t.Fatalf("seed %d: %d of %d messages came", seed, len(x.came[1]), len(sent))
			}
			bytes += x.ends[0].Out() + x.ends[1].Out()
		}
		slices.Sort(late)
		return late[len(late)*99/100], bytes
	}
	plain, plainBytes := play(0)
	twice, twiceBytes := play(.05)
	t.Logf("p99 %v with %d bytes, repeated %v with %d", plain, plainBytes, twice, twiceBytes)
	if twice > 120*time.Millisecond || plain < 2*twice {
		t.Errorf("p99 %v, repeated %v", plain, twice)
	}
	if twiceBytes > 2*plainBytes {
		t.Errorf("%d bytes, repeated %d", plainBytes, twiceBytes)
	}
}

func FuzzLane(f *testing.F) {
	l := New(NewARQ)
	l.Queue([]byte("hello"))
	l.Update(0)
	hello := l.Take(nil, transport.MaxPayload)
	f.Add(hello)
	f.Add(append(header{cmd: ack}.append(nil), hello...))
	f.Add(append(header{cmd: push, sn: 1, length: 2}.append(nil), 1, 'x'))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := New(NewARQ)
		l.Queue([]byte("something of our own"))
		l.Update(0)
		for i := range 3 {
			l.Input(time.Duration(i)*tick, b)
			for {
				if m, err := l.Receive(); m == nil || err != nil {
					break
				}
			}
			l.Update(time.Duration(i) * tick)
			for l.Pending() > 0 {
				if Check(l.Take(nil, transport.MaxPayload)) != nil {
					t.Fatal("the lane says what it would not accept")
				}
			}
		}
	})
}
