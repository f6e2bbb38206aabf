package kcp

// What a session over real sockets lives through.

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A nat stands between clients and a listener. Each client has a socket of its own towards
// the listener, which can be changed.
type nat struct {
	*testing.T
	inside  *net.UDPConn
	client  atomic.Value // netip.AddrPort
	server  netip.AddrPort
	outside atomic.Pointer[net.UDPConn]
	copies  atomic.Pointer[net.UDPConn] // if set, the client's packets leave here first
}

func newNAT(t *testing.T, server string) *nat {
	n := &nat{T: t, server: netip.MustParseAddrPort(server), inside: socketOn(t, "127.0.0.1")}
	n.move("127.0.0.1")
	go func() {
		b := make([]byte, 2<<10)
		for {
			size, from, err := n.inside.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			n.client.Store(from)
			if c := n.copies.Load(); c != nil {
				c.WriteToUDPAddrPort(b[:size], n.server)
			}
			n.outside.Load().WriteToUDPAddrPort(b[:size], n.server)
		}
	}()
	return n
}

func socketOn(t *testing.T, ip string) *net.UDPConn {
	s, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(ip)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// move gives the client another address outside. What the server sends to the old one is
// lost from then on.
func (n *nat) move(ip string) {
	s := socketOn(n.T, ip)
	if old := n.outside.Swap(s); old != nil {
		old.Close()
	}
	go func() {
		b := make([]byte, 2<<10)
		for {
			size, _, err := s.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			n.inside.WriteToUDPAddrPort(b[:size], n.client.Load().(netip.AddrPort))
		}
	}()
}

// A client's port and then its address change in mid-session: nothing ends, nothing is lost
// of the reliable lane, and the server goes on sending to where the client is.
func TestAddressChanges(t *testing.T) {
	n := loopback(t, false)
	gate := newNAT(t, n.Listener.Addr())
	n.Dialer = func() transport.Dialer { return Dialer(gate.inside.LocalAddr().String(), quick) }
	r := linktest.NewRig(t, n)
	server, client := r.Pair()
	up, down := client.Conns[0], server.Conns[0]
	for i, ip := range []string{"127.0.0.1", "127.0.0.3", "127.0.0.1"} {
		gate.move(ip)
		if up.Reliable([]byte("up")) != nil || down.Reliable([]byte("down")) != nil {
			t.Fatal("a message is refused")
		}
		datagrams := len(client.Datagrams)
		r.Until("both have heard each other", func() bool {
			for _, c := range []transport.Conn{up, down} {
				c.Flush()
			}
			Send(down)
			Send(up)
			return len(server.Messages) == i+1 && len(client.Messages) == i+1 && len(client.Datagrams) > datagrams+3
		})
		if got, want := down.Stats().Remote, gate.outside.Load().LocalAddr().String(); got != want {
			t.Errorf("move %d: the server sends to %s, the client is at %s", i, got, want)
		}
	}
	if len(server.Ended)+len(client.Ended) != 0 {
		t.Errorf("ended: %v, %v", server.Ended, client.Ended)
	}
}

// Send sends one datagram.
func Send(c transport.Conn) { linktest.Send(c, "state") }

// Packets of a client that come first from another address, and then from its own, do not
// move the session; the other address gets little.
func TestCopiesDoNotMove(t *testing.T) {
	n := loopback(t, false)
	gate := newNAT(t, n.Listener.Addr())
	n.Dialer = func() transport.Dialer { return Dialer(gate.inside.LocalAddr().String(), quick) }
	r := linktest.NewRig(t, n)
	server, client := r.Pair()
	foe := socketOn(t, "127.0.0.9")
	gate.copies.Store(foe)
	before := server.Conns[0].Stats()
	for range 100 {
		Send(client.Conns[0])
		Send(server.Conns[0])
		r.Turn()
	}
	gate.copies.Store(nil)
	got, b := 0, make([]byte, 2<<10)
	for foe.SetReadDeadline(time.Now().Add(50*time.Millisecond)) == nil {
		size, _, err := foe.ReadFromUDPAddrPort(b)
		if err != nil {
			break
		}
		got += size
	}
	s := server.Conns[0].Stats()
	if in := int(s.BytesIn - before.BytesIn); s.Remote != before.Remote || got > transport.PathFactor*in || len(server.Ended) != 0 {
		t.Errorf("the server sends to %s; who copies got %d bytes for %d", s.Remote, got, in)
	}
	if len(client.Datagrams) < 50 {
		t.Errorf("the client got %d datagrams of 100", len(client.Datagrams))
	}
}

// A server that was killed and started anew with its key says so to its clients at once.
func TestServerIsStartedAnew(t *testing.T) {
	n := loopback(t, false)
	_, client, _ := startAnew(t, n, (*Listener).JoinString, func() {})
	if !errors.Is(client.Ended[0], transport.ErrReset) {
		t.Errorf("told %v", client.Ended)
	}
}

// So it does if the client's address changes meanwhile, and the client joins again from where
// it is.
func TestServerIsStartedAnewElsewhere(t *testing.T) {
	n := loopback(t, false)
	gate := newNAT(t, n.Listener.Addr())
	r, client, server := startAnew(t, n, func(*Listener) string { return gate.inside.LocalAddr().String() }, func() { gate.move("127.0.0.3") })
	if !errors.Is(client.Ended[0], transport.ErrReset) {
		t.Fatalf("told %v", client.Ended)
	}
	again := r.Join(linktest.Offer())
	r.Until("it is in again", func() bool { return len(again.Conns) == 1 && len(server.Conns) == 1 })
	if got, want := server.Conns[0].Stats().Remote, gate.outside.Load().LocalAddr().String(); got != want {
		t.Errorf("the server sends to %s, the client is at %s", got, want)
	}
}

// startAnew joins a server, kills it, and hosts on another one at its address and with its
// key. It returns once the client has been told of an end.
func startAnew(t *testing.T, n linktest.Net, join func(*Listener) string, meanwhile func()) (r *linktest.Rig, client, again *linktest.Side) {
	t.Helper()
	key, addr := NewKey(), n.Listener.Addr()
	listen := func() {
		t.Helper()
		l, err := Listen(addr, quick, WithKey(key))
		if err != nil {
			t.Fatal(err)
		}
		n.Listener = l
	}
	n.Listener.Close()
	listen()
	n.Dialer = func() transport.Dialer { return Dialer(join(n.Listener.(*Listener)), quick) }
	r = linktest.NewRig(t, n)
	server, client := r.Pair()
	killed := server.Link.(*link)
	killed.once.Do(func() { // as the system does, without a word
		close(killed.done)
		killed.socket.Close()
		killed.all.Wait()
		close(killed.freed)
	})
	meanwhile()
	listen()
	r.Listener = n.Listener
	again = r.Host(linktest.Offer())
	r.Until("the client is told", func() bool { Send(client.Conns[0]); return len(client.Ended) > 0 })
	return r, client, again
}

// Of a name's addresses one may be dead.
func TestOneOfTwoAddressesIsDead(t *testing.T) {
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	_, port, _ := net.SplitHostPort(r.Listener.Addr())
	for i, ips := range [][]netip.Addr{{netip.MustParseAddr("127.0.0.77"), thisMachine}, {thisMachine, netip.IPv6Loopback()}, {netip.IPv6Loopback(), thisMachine}} {
		d := Dialer("game.invalid:"+port, quick).(*dialer)
		d.lookUp = func(context.Context, string, string) ([]netip.Addr, error) { return ips, nil }
		r.Dialer = func() transport.Dialer { return d }
		client := r.Join(linktest.Offer())
		r.Until("it is in", func() bool { return len(client.Conns) == 1 && len(server.Conns) == i+1 })
	}
}

// Goodbyes arrive although one packet in five is lost: that all copies of one of these eight are
// lost, 0.2 to the power of transport.CloseCopies, happens once in two thousand runs.
func TestGoodbyesArrive(t *testing.T) {
	n := loopback(t, true)
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	const clients = 8
	var sides []*linktest.Side
	for range clients {
		sides = append(sides, r.Join(linktest.Offer()))
	}
	r.Until("all are in", func() bool { return len(server.Conns) == clients })
	n.Set(lossy(.2))
	for _, s := range sides {
		r.Leave(s, "bye")
	}
	r.Until("all goodbyes have come", func() bool { return len(server.Ended) == clients })
	for _, err := range server.Ended {
		if !errors.Is(err, transport.ErrClosed) {
			t.Errorf("told %v", err)
		}
	}
}

func lossy(share float64) netsim.Conditions { return netsim.Conditions{Loss: share} }
