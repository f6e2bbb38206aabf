package kcp

import (
	"bytes"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"

	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A way is a relay of two sockets between one client and the listener. It sees every
// packet and loses, repeats, cuts and delays some.
type way struct {
	rng          *rand.Rand
	outer, inner *net.UDPConn // towards the client, towards the listener
	beside       *net.UDPConn // of nobody
	listener     netip.AddrPort
	client       netip.AddrPort // since its first packet
	came         chan passing
	held, seen   []passing
	calm         bool // all go on as they came
}

// A passing is a packet in the relay.
type passing struct {
	up   bool // from the client
	from netip.AddrPort
	b    []byte
}

const mostSeen = 300 // packets that a way remembers

func newWay(t *testing.T, rng *rand.Rand, listener netip.AddrPort) *way {
	w := &way{rng: rng, listener: listener, came: make(chan passing, 4096)}
	for _, s := range []**net.UDPConn{&w.outer, &w.inner, &w.beside} {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		*s = c
	}
	go w.read(w.outer, true)
	go w.read(w.inner, false)
	return w
}

func (w *way) close() {
	w.outer.Close()
	w.inner.Close()
	w.beside.Close()
}

func (w *way) read(s *net.UDPConn, up bool) {
	b := make([]byte, 2<<10)
	for {
		n, from, err := s.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		w.came <- passing{up, from, bytes.Clone(b[:n])}
	}
}

// pass forwards most of the packets that have arrived.
func (w *way) pass() {
	for {
		select {
		case p := <-w.came:
			if p.up && !w.client.IsValid() {
				w.client = p.from
			}
			if w.seen = append(w.seen, p); len(w.seen) > mostSeen {
				w.seen = append(w.seen[:0], w.seen[1:]...)
			}
			w.handle(p)
			continue
		default:
		}
		break
	}
	w.rng.Shuffle(len(w.held), func(i, j int) { w.held[i], w.held[j] = w.held[j], w.held[i] })
	for len(w.held) > 0 && (w.calm || w.rng.IntN(2) == 0) {
		w.send(w.held[0])
		w.held = w.held[1:]
	}
}

func (w *way) handle(p passing) {
	if w.calm {
		w.send(p)
		return
	}
	switch w.rng.IntN(10) {
	case 0:
	case 1:
		w.held = append(w.held, p)
	case 2:
		w.send(p)
		w.send(p)
	case 3:
		w.send(passing{up: p.up, b: w.cut(p.b)})
		w.send(p)
	case 4: // again, of what was on the way before
		if len(w.seen) > 0 {
			w.send(w.seen[w.rng.IntN(len(w.seen))])
		}
		w.send(p)
	case 5: // from elsewhere, spoiled, before it comes
		b, to := w.spoiled(p)
		w.beside.WriteToUDPAddrPort(b, to)
		w.send(p)
	default:
		w.send(p)
	}
}

// cut returns a packet cut short.
func (w *way) cut(b []byte) []byte { return b[:w.rng.IntN(len(b))] }

func (w *way) send(p passing) {
	if p.up {
		w.inner.WriteToUDPAddrPort(p.b, w.listener)
	} else if w.client.IsValid() {
		w.outer.WriteToUDPAddrPort(p.b, w.client)
	}
}

// spoiled returns a packet, whole or with parts flipped, cut off or added, and its
// destination.
func (w *way) spoiled(p passing) (b []byte, to netip.AddrPort) {
	if to = w.listener; !p.up {
		to = w.client
	}
	b = bytes.Clone(p.b)
	switch w.rng.IntN(4) {
	case 0:
		b = b[:w.rng.IntN(len(b))]
	case 1:
		b = append(b, make([]byte, 1+w.rng.IntN(20))...)
	case 2:
		for range 1 + w.rng.IntN(3) {
			b[w.rng.IntN(len(b))] ^= 1 << w.rng.IntN(8)
		}
	}
	return b, to
}

// forged sends a packet in the client's name, with its connection id, by somebody who has
// not its keys.
func (w *way) forged(k wire.Kind, seq uint64, payload []byte) {
	for _, p := range w.seen {
		if kind, _, _ := wire.Split(p.b[0]); p.up && kind.Sealed() {
			b := append(wire.Begin(nil, k, false, 0, seq), payload...)
			copy(b[1:3], p.b[1:3])
			w.send(passing{up: true, b: append(b, make([]byte, 16)...)})
			return
		}
	}
}
