package kcp

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Conditions apply in both directions, from the moment at which they are set.
func TestConditionsWhilePlaying(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server, client := r.Pair()
	r.Set(netsim.Conditions{Loss: 1})
	for range 20 {
		linktest.Send(server.Conns[0], "lost")
		linktest.Send(client.Conns[0], "lost")
		r.Turn()
	}
	const delay = 60 * time.Millisecond
	r.Set(netsim.Conditions{Delay: delay})
	from, to := client.Now(), server.Now()
	linktest.Send(server.Conns[0], "late")
	linktest.Send(client.Conns[0], "late")
	r.Until("they came", func() bool { return len(client.Datagrams) > 0 && len(server.Datagrams) > 0 })
	if d := client.Datagrams[0]; d.Body != "late" || d.At < from+delay {
		t.Errorf("%q came %v after it was sent; the delay is %v", d.Body, d.At-from, delay)
	}
	if d := server.Datagrams[0]; d.Body != "late" || d.At < to+delay {
		t.Errorf("%q came %v after it was sent; the delay is %v", d.Body, d.At-to, delay)
	}
	r.Set(netsim.Conditions{})
	linktest.Send(server.Conns[0], "now")
	r.Until("that came too", func() bool { return len(client.Datagrams) > 1 })
}

// A simulation's first conditions apply from the beginning; MaxSize is compared with a
// packet's own length.
func TestFirstConditions(t *testing.T) {
	noLeak(t)
	c := netsim.Conditions{Delay: 30 * time.Millisecond}
	sim := NewSimulation(1, c)
	if got := sim.Conditions(); got != c {
		t.Errorf("the conditions are %+v, not %+v", got, c)
	}
	n := loopback(t, false)
	n.Dialer = func() transport.Dialer { return Dialer(n.Listener.Addr(), quick, WithConditions(sim)) }
	r := linktest.NewRig(t, n)
	server, client := r.Pair()
	c.MaxSize = transport.MaxPacket - 100
	sim.SetConditions(c)
	const most = transport.MaxPayload - 100
	sent := server.Now()
	for _, size := range []int{most + 1, most} { // one more than the path carries: it is lost, or goes in parts
		client.Conns[0].Next()
		client.Conns[0].Datagram(make([]byte, size))
	}
	came := func() bool {
		return slices.ContainsFunc(server.Datagrams, func(d linktest.Datagram) bool { return len(d.Body) == most })
	}
	r.Until("the one that fits has come", came)
	for _, d := range server.Datagrams {
		if d.At < sent+c.Delay {
			t.Errorf("%d bytes came %v after they were sent; the delay is %v", len(d.Body), d.At-sent, c.Delay)
		}
	}
	r.Hang(client, "")
	if len(sim.airs) != 0 {
		t.Errorf("%d endpoints are simulated after the last has closed", len(sim.airs))
	}
}

// A simulated network carries packets to and from link-local addresses, which hold on one
// interface each.
func TestSimulatedZones(t *testing.T) {
	s := NewSimulation(1, netsim.Conditions{})
	a := s.attach(nil)
	for _, want := range []string{"[fe80::1%eth0]:7", "[fe80::1%eth1]:7", "[fd00::1]:7", "[fe80::2%eth0]:8", "127.0.0.1:7"} {
		a.put(a.paths.Up, 0, endpoint.Path{Remote: netip.MustParseAddrPort(want)}, []byte("body"))
		b, _, _ := a.paths.Up.Receive(0)
		if got, body := a.split(b); got.Remote.String() != want || string(body) != "body" {
			t.Errorf("%q for %v, not for %s", body, got, want)
		}
	}
	if len(a.zones) != 3 {
		t.Errorf("zones %q", a.zones)
	}
}

// Conditions out of range panic when they are set, even if no link uses them yet.
func TestConditionsOutOfRange(t *testing.T) {
	bad, sim := netsim.Conditions{Loss: 2}, NewSimulation(1, netsim.Conditions{})
	for name, f := range map[string]func(){
		"NewSimulation": func() { NewSimulation(1, bad) },
		"SetConditions": func() { sim.SetConditions(bad) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes a loss of 2", name)
				}
			}()
			f()
		}()
	}
	if got := sim.Conditions(); got != (netsim.Conditions{}) {
		t.Errorf("the conditions are %+v", got)
	}
}

// Each endpoint has its own random values, in each direction.
func TestSimulatedLuck(t *testing.T) {
	sim := NewSimulation(1, netsim.Conditions{Loss: 0.5, Delay: time.Hour})
	seen := map[uint64]bool{}
	for range 2 {
		a := sim.attach(&link{start: time.Now()})
		for _, p := range []*netsim.Path{a.paths.Up, a.paths.Down} {
			var lost uint64
			for range 64 {
				before := p.InFlight()
				a.put(p, 0, endpoint.Path{}, []byte("x"))
				lost = lost<<1 | uint64(1+before-p.InFlight())
			}
			if seen[lost] {
				t.Errorf("two ways lose the same packets, %064b", lost)
			}
			seen[lost] = true
		}
	}
}

// The simulation waits for the packets under way in either direction, and no longer
// than they take.
func TestSimulationWaits(t *testing.T) {
	const delay = time.Hour
	sim := NewSimulation(1, netsim.Conditions{Delay: delay})
	addr := endpoint.Path{Remote: netip.MustParseAddrPort("127.0.0.1:1")}
	for name, put := range map[string]func(a *air, now time.Duration){
		"up":   func(a *air, now time.Duration) { a.put(a.paths.Up, now, addr, nil) },
		"down": func(a *air, now time.Duration) { a.put(a.paths.Down, now, addr, nil) },
		"both, down first": func(a *air, now time.Duration) {
			a.put(a.paths.Down, now, addr, nil)
			a.put(a.paths.Up, now+delay, addr, nil)
		},
	} {
		a := sim.attach(&link{start: time.Now().Add(-2 * delay)})
		if _, ok := a.deliver(a.l.Now()); ok {
			t.Errorf("%s: something is under way at first", name)
		}
		now := a.l.Now()
		put(a, now)
		if wait, ok := a.deliver(now); !ok || wait > delay {
			t.Errorf("%s: it waits for %v, %v; the delay is %v", name, wait, ok, delay)
		}
	}
}
