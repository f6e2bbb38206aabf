package kcp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// A witness is one end of the honest session. It checks that what it receives is what
// the other end sent, whole, in order and once.
type witness struct {
	rt        *rapid.T
	name      string
	link      transport.Link
	conn      transport.Conn // nil until it is in
	other     *witness
	in        int // sessions that it was told of
	sent, got int // messages
	datagrams map[uint64]bool
}

const honest = "the honest one"

func (w *witness) message(n int) []byte {
	m := fmt.Appendf(nil, "%d from the %s ", n, w.name)
	return append(m, bytes.Repeat([]byte{byte(n)}, n*n*37%2500)...)
}

func (w *witness) datagram(seq uint64) []byte { return fmt.Appendf(nil, "%d from the %s", seq, w.name) }

func (w *witness) speak() {
	if w.conn == nil {
		return
	}
	if err := w.conn.Reliable(w.message(w.sent)); err != nil {
		w.rt.Fatalf("message %d: %v", w.sent, err)
	}
	w.sent++
	w.state()
}

// state is the rest of a send.
func (w *witness) state() {
	if w.conn != nil {
		seq, _ := w.conn.Next()
		w.conn.Datagram(w.datagram(seq))
		w.conn.Flush()
	}
}

func (w *witness) Connected(c transport.Conn, hello []byte) {
	if w.in++; w.conn == nil && (hello == nil || string(hello) == honest) {
		w.conn = c
	}
}

func (w *witness) Datagram(c transport.Conn, seq uint64, _ time.Duration, b []byte) {
	if c != w.conn {
		return
	}
	if want := w.other.datagram(seq); w.datagrams[seq] || !bytes.Equal(b, want) {
		w.rt.Fatalf("datagram %d is %q, want %q; told before: %v", seq, b, want, w.datagrams[seq])
	}
	w.datagrams[seq] = true
}

func (w *witness) Message(c transport.Conn, b []byte) {
	if c != w.conn {
		return
	}
	if want := w.other.message(w.got); !bytes.Equal(b, want) {
		w.rt.Fatalf("message %d is %.60q of %d bytes, want %.60q of %d", w.got, b, len(b), want, len(want))
	}
	w.got++
}

func (w *witness) Closed(c transport.Conn, err error) {
	if c == w.conn {
		w.rt.Fatalf("the honest session ends: %v", err)
	}
}

// bounds fails the test if an endpoint keeps more than its limits.
func (w *witness) bounds(conns int) {
	h := w.link.(*link).e.Held()
	if h.Open+h.HalfOpen > conns || h.HalfOpen > transport.MaxUnjoined || h.IDs > conns+h.Leaving+h.Left || h.Questions > conns ||
		h.Inbox > transport.MaxInbox || h.Pending > lane.MaxPending || h.Messages > transport.MaxQueuedMessages {
		w.rt.Fatalf("%+v held, of %d connections", h, conns)
	}
}

// Over real sockets, the session of a client is undisturbed although its packets are
// lost, repeated, cut and reordered, and although strangers send copies of them, whole
// or spoiled, garbage, endless joins and a member's lies. The listener keeps to its
// limits and counts what it drops.
func TestOnTheWay(t *testing.T) {
	noLeak(t)
	rapid.Check(t, func(rt *rapid.T) {
		const places = 8
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "way"), 1))
		o := linktest.Offer()
		o.MaxPeers = places
		asks := withTiming(endpoint.Timing{Hello: 20 * time.Millisecond})
		l, err := Listen("127.0.0.1:0", asks)
		if err != nil {
			rt.Fatal(err)
		}
		defer l.Close()
		server, client := &witness{rt: rt, name: "server", datagrams: map[uint64]bool{}}, &witness{rt: rt, name: "client", datagrams: map[uint64]bool{}}
		server.other, client.other = client, server
		if server.link, err = l.Listen(o); err != nil {
			rt.Fatal(err)
		}
		way := newWay(t, rng, netip.MustParseAddrPort(l.Addr()))
		defer way.close()
		o = linktest.Offer()
		o.Hello = []byte(honest)
		if client.link, err = Dialer(way.outer.LocalAddr().String(), asks).Dial(o); err != nil {
			rt.Fatal(err)
		}
		defer client.link.Close("over")
		addr := net.UDPAddrFromAddrPort(way.listener)
		turn := func() {
			time.Sleep(time.Millisecond) // the readers run
			way.pass()
			for _, w := range []*witness{server, client} {
				w.link.Poll(w)
			}
			server.bounds(places)
			client.bounds(1)
		}
		until := func(what string, so func() bool) {
			for range 6000 {
				if so() {
					return
				}
				turn()
				server.state()
				client.state()
			}
			rt.Fatalf("never: %s; server %d of %d, client %d of %d", what, server.got, client.sent, client.got, server.sent)
		}
		until("both are in", func() bool { return server.conn != nil && client.conn != nil })
		member, stranger := newStranger(t, rng.Uint64()), newStranger(t, rng.Uint64())
		until("the member is in", func() bool {
			if member.asks(addr) {
				member.say(addr, wire.Keepalive, nil)
			}
			return server.in == 2
		})
		for range rapid.IntRange(20, 60).Draw(rt, "turns") {
			server.speak()
			client.speak()
			act := rapid.IntRange(0, 6).Draw(rt, "act")
			for range rapid.IntRange(1, 40).Draw(rt, "packets") {
				switch act {
				case 0, 1: // from elsewhere
					b, to := way.spoiled(way.seen[rng.IntN(len(way.seen))])
					stranger.WriteToUDPAddrPort(b, to)
				case 2: // again, from where it came
					way.send(way.seen[rng.IntN(len(way.seen))])
				case 3: // in the client's name
					way.forged(wire.Kind(8+rng.IntN(6)), uint64(rng.IntN(500)), stranger.garbage(rng.IntN(100)))
				case 4: // joins without end
					stranger.WriteToUDP(stranger.client().Hello(), addr)
				case 5:
					stranger.act(addr, true)
					stranger.act(net.UDPAddrFromAddrPort(way.client), false)
				default: // a member's packets, with numbers that are wrong
					member.raw.Seq = uint64(rng.IntN(3000))
					member.act(addr, true)
				}
			}
			turn()
		}
		way.calm = true
		until("all that was said has come", func() bool { return server.got == client.sent && client.got == server.sent })
		if e := server.link; e.Counters().Ignored == 0 {
			rt.Error("no packet was ignored")
		}
	})
}
