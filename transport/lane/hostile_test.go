package lane

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport"
)

// Random tests begin with the same seed on every run.
func TestMain(m *testing.M) { rpltest.Main(m, 30) }

// Whatever the other end sends, in whatever order, a lane keeps to its limits,
// delivers no message longer than MaxMessage, and sends no segment that it would not
// accept itself.
func TestHostileSegments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "garbage"), 1))
		draw := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
		l, now, said := New(NewARQ), time.Duration(0), [][]byte{}
		l.SetLoss([...]float64{0, RepeatAbove, 1}[draw("loss", 3)])
		number := func() uint32 {
			return [...]uint32{uint32(rng.IntN(300)), l.m.(*ARQ).want + uint32(rng.IntN(400)) - 50, -uint32(rng.IntN(300)), rng.Uint32()}[rng.IntN(4)]
		}
		for range 50 + draw("steps", 300) {
			now += RepeatAfter/3 + time.Duration(rng.IntN(40))*time.Millisecond
			switch op := draw("op", 8); op {
			case 0:
				for range 1 + rng.IntN(20) {
					l.Queue(make([]byte, [...]int{0, 1, 100, 5000, transport.MaxMessage, transport.MaxMessage + 1}[rng.IntN(6)]))
				}
			case 1: // what it has said itself, or what it was told, again
				if len(said) > 0 {
					l.Input(now, said[rng.IntN(len(said))])
				}
			default:
				for range 1 + rng.IntN(60) {
					var b []byte
					for range 1 + rng.IntN(20) {
						h := header{cmd: byte(push + rng.IntN(4)), wnd: uint16(rng.Uint32()), ts: number(), sn: number(), una: number()}
						if op > 4 {
							h.cmd, h.sn = push, l.m.(*ARQ).want+uint32(rng.IntN(3)) // a stream that can be read
						}
						if h.cmd == push {
							h.length = uint32(1 + rng.IntN(MaxChunk))
						}
						if len(b)+HeaderSize+int(h.length) > transport.MaxPayload {
							break
						}
						data := make([]byte, h.length) // empty messages,
						if len(data) > 3 && op == 7 {
							copy(data, []byte{0xff, 0xff, byte(rng.IntN(6))}) // or very long ones
						}
						b = append(h.append(b), data...)
					}
					if len(b) > 0 {
						if err := l.Input(now, b); err != nil {
							rt.Fatalf("%v of %x", err, b)
						}
						said = append(said, b)
					}
				}
			}
			for {
				m, err := l.Receive()
				if err != nil {
					return // the connection ends
				}
				if m == nil {
					break
				}
				if len(m) > transport.MaxMessage {
					rt.Fatalf("a message of %d bytes", len(m))
				}
			}
			l.Update(now)
			a := l.m.(*ARQ)
			switch {
			case l.pending.len() > MaxPending:
				rt.Fatalf("%d bytes await packets", l.pending.len())
			case l.queue.len() > transport.MaxQueued || len(l.ends) > transport.MaxQueuedMessages:
				rt.Fatalf("%d messages of %d bytes queued", len(l.ends), l.queue.len())
			case l.in.len() > transport.MaxMessage+5+MaxChunk:
				rt.Fatalf("%d bytes received of one message", l.in.len())
			case len(a.early) > Window || len(a.ready) > Window || len(a.free) > 4*Window || len(a.acks) > MTU/HeaderSize:
				rt.Fatalf("%d early, %d ready, %d free, %d owed", len(a.early), len(a.ready), len(a.free), len(a.acks))
			case l.Waiting() > MaxBehind || len(l.again.waits) > 4*MaxBehind || l.again.copies.len() > 4*MaxWaiting*MTU || len(l.sizes) > MaxFlight:
				rt.Fatalf("%d on their way, %d to be repeated", l.Waiting(), len(l.again.waits))
			}
			for rng.IntN(4) > 0 && l.Pending() > 0 {
				b := l.Take(nil, transport.MaxPayload)
				if len(b) == 0 || Check(b) != nil {
					rt.Fatalf("it says %x", b)
				}
				said = append(said, bytes.Clone(b))
			}
		}
	})
}

// When one segment of a packet is bad, none of its segments is taken, not even those
// before the bad one.
func TestRefusedWhole(t *testing.T) {
	l := New(NewARQ)
	good := append(header{cmd: push, length: 2}.append(nil), 1, 'x')
	for _, bad := range [][]byte{good[:len(good)-1], append(header{cmd: ack, length: 1}.append(nil), 0), {1}} {
		if l.Input(0, append(bytes.Clone(good), bad...)) == nil {
			t.Errorf("%x is taken", bad)
		}
	}
	if m, err := l.Receive(); m != nil || err != nil || l.busy {
		t.Errorf("a lane that has taken nothing heard %q, %v", m, err)
	}
	if err := l.Input(0, good); err != nil {
		t.Error(err)
	}
	if m, err := l.Receive(); string(m) != "x" || err != nil {
		t.Errorf("heard %q, %v", m, err)
	}
}
