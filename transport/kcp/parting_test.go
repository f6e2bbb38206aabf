package kcp

// The end of a link: it says goodbye beside the game.

import (
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Close does not wait for a peer whose line is dead, whichever end it is: when it returns, the
// goodbyes are still being said, and the others hear the reason, although packets are lost. Wait
// returns when the port is free, and no goroutine is left.
func TestCloseDoesNotWait(t *testing.T) {
	noLeak(t)
	n := loopback(t, true)
	n.Listener.Close()
	const seed = 5
	t.Logf("seed %d", seed)
	dead, poor := NewSimulation(seed, netsim.Conditions{}), NewSimulation(seed, lossy(.3))
	l, err := Listen("127.0.0.1:0", quick)
	if err != nil {
		t.Fatal(err)
	}
	n.Listener = l
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	join := func(sim *Simulation) *linktest.Side {
		in := len(server.Conns)
		r.Dialer = func() transport.Dialer { return Dialer(l.Addr(), quick, WithConditions(sim)) }
		c := r.Join(linktest.Offer())
		r.Until("it is in", func() bool { return len(c.Conns) == 1 && len(server.Conns) == in+1 })
		return c
	}
	first, second, other := join(dead), join(dead), join(poor)
	dead.SetConditions(lossy(1))

	r.Leave(first, "goes elsewhere")
	if !first.Link.(*link).e.Lingers() {
		t.Error("the client's Close has waited until its goodbyes were said")
	}
	r.Leave(server, "the room is over")
	if !server.Link.(*link).e.Lingers() {
		t.Error("the server's Close has waited until its goodbyes were said")
	}
	server.Close("once more")
	r.Until("the other hears it", func() bool { return len(other.Ended) == 1 })
	if why := other.Ended[0].Error(); !strings.Contains(why, "the room is over") {
		t.Errorf("the other hears %q", why)
	}
	if len(second.Ended) != 0 {
		t.Errorf("the one with the dead line hears %v", second.Ended)
	}
	for _, s := range []*linktest.Side{first, server, server} {
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
		if s.Link.(*link).e.Lingers() {
			t.Error("Wait has returned before the goodbyes were said")
		}
	}
	boundTo(t, l.Addr()) // it is free
}

// Who hosts again at once on the port of a session that has just been closed gets it, although a
// peer of that session does not answer.
func TestSamePortAgain(t *testing.T) {
	noLeak(t)
	sim := NewSimulation(6, netsim.Conditions{})
	n := loopback(t, false)
	addr := n.Listener.Addr()
	n.Dialer = func() transport.Dialer { return Dialer(addr, quick, WithConditions(sim)) }
	r := linktest.NewRig(t, n)
	server, _ := r.Pair()
	sim.SetConditions(lossy(1))
	r.Leave(server, "over")
	if !server.Link.(*link).e.Lingers() {
		t.Error("nothing is to be waited for")
	}
	again, err := Listen(addr, quick)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Listener.Close(); err != nil { // it was closed with its link
		t.Error(err)
	}
}

// A client that goes from one server to another that has the same key, as from a lobby to a room,
// shows the user's key there, too, while its goodbye to the first is still being said.
func TestIdentityOfWhoGoesOn(t *testing.T) {
	noLeak(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	key, sim := NewKey(), NewSimulation(7, netsim.Conditions{})
	var ids []transport.Identity
	for range 2 {
		n := loopback(t, false)
		n.Listener.Close()
		l, err := Listen("127.0.0.1:0", quick, WithKey(key))
		if err != nil {
			t.Fatal(err)
		}
		n.Listener = l
		n.Dialer = func() transport.Dialer { return Dialer(l.JoinString(), quick, WithConditions(sim)) }
		r := linktest.NewRig(t, n)
		server, client := r.Pair()
		ids = append(ids, server.Conns[0].Identity())
		sim.SetConditions(lossy(1))
		sim = NewSimulation(8, netsim.Conditions{})
		r.Leave(client, "goes on")
		if !client.Link.(*link).e.Lingers() {
			t.Error("its goodbye is said")
		}
	}
	if ids[0] != ids[1] {
		t.Errorf("it is %s, and then %s", ids[0], ids[1])
	}
}

// drain returns when all that was put has been written, whatever the writer does just then.
func TestDrain(t *testing.T) {
	put, written := 0, 0
	o := newOutbox(func(b *batch) int { written += len(b.packets); return 0 }, func(int) {})
	o.drain() // of nothing
	for n := range 200 {
		for range n % 5 {
			o.put(endpoint.Path{}, []byte{1})
		}
		if n%3 == 0 {
			o.flush()
		}
		put += n % 5
		if o.drain(); written != put {
			t.Fatalf("round %d: %d of %d are written", n, written, put)
		}
	}
	o.close()
	o.drain()
}
