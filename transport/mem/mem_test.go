package mem

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/netsim"
)

const frame = time.Second / 60

func net(n *Network) linktest.Net {
	l := n.Listener()
	return linktest.Net{
		Listener: l,
		Dialer:   func() transport.Dialer { return n.Dialer(l) },
		Nowhere:  n.Dialer(n.Listener()),
		Step:     func() { n.Advance(frame) },
		Steps:    1800, // 30 s
		Idle:     900,
		Set:      n.SetConditions,
	}
}

func TestLink(t *testing.T) {
	for _, c := range []struct {
		name string
		netsim.Conditions
	}{
		{"perfect", netsim.Conditions{}},
		{"usual", netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 5 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			linktest.Run(t, func(t *testing.T) linktest.Net { return net(NewNetwork(1, c.Conditions)) })
		})
	}
}

// The handshake and a session's whole life work under loss, for many seeds.
func TestLifeUnderLoss(t *testing.T) {
	for seed := range uint64(50) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := linktest.NewRig(t, net(NewNetwork(seed, netsim.Conditions{
				Loss: .2, Burst: 3, Delay: 30 * time.Millisecond, Jitter: 30 * time.Millisecond, Duplicate: .2,
			})))
			server, client := r.Pair()
			for i := range 40 {
				client.Conns[0].Reliable(fmt.Append(nil, i))
			}
			r.Until("all messages came", func() bool {
				client.Conns[0].Flush()
				server.Conns[0].Flush()
				return len(server.Messages) == 40
			})
			for i, m := range server.Messages {
				if m != fmt.Sprint(i) {
					t.Fatalf("message %d is %s", i, m)
				}
			}
			if len(server.Conns) != 1 {
				t.Errorf("a client that repeats its question has %d connections", len(server.Conns))
			}
			server.Conns[0].Close("done")
			r.Until("both have ended", func() bool { return len(server.Ended) == 1 && len(client.Ended) == 1 })
		})
	}
}

// The same seed gives the same session, byte for byte.
func TestDeterministic(t *testing.T) {
	play := func(seed uint64) string {
		r := linktest.NewRig(t, net(NewNetwork(seed, netsim.Conditions{Loss: .1, Delay: 20 * time.Millisecond, Jitter: 9 * time.Millisecond})))
		server, client := r.Pair()
		for i := range 200 {
			linktest.Send(server.Conns[0], "state %d", i)
			server.Conns[0].Reliable(fmt.Append(nil, i))
			client.Conns[0].Flush()
			r.Turn()
		}
		return fmt.Sprint(server.Conns[0].Stats(), client.Conns[0].Stats(), client.Messages, len(client.Datagrams), client.Datagrams[len(client.Datagrams)-1].At)
	}
	if a, b := play(5), play(5); a != b {
		t.Errorf("two sessions with seed 5 differ:\n%s\n%s", a, b)
	}
	if play(5) == play(6) {
		t.Error("seeds 5 and 6 give the same session")
	}
}

// A game that stalls for longer than the timeout does not lose its peers, and the
// peers do not lose the game.
func TestStalledGame(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond})
	r := linktest.NewRig(t, net(n))
	server, client := r.Pair()
	for range 20 * 60 {
		n.Advance(frame)
		client.Poll(&client.Recorder)
	}
	server.Poll(&server.Recorder)
	if len(server.Ended)+len(client.Ended) != 0 {
		t.Fatalf("after a stall of 20 s: %v, %v", server.Ended, client.Ended)
	}
	linktest.Send(server.Conns[0], "back")
	r.Until("the session goes on", func() bool { return len(client.Datagrams) == 1 })
}

// Arrivals are stamped with the time at which they were due, not with the time of
// the Poll. A packet that is due at the very instant of a step has arrived.
func TestArrivalTimes(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{})
	l := n.Listener()
	d := n.Dialer(l)
	r := linktest.NewRig(t, linktest.Net{Listener: l, Dialer: func() transport.Dialer { return d }, Step: func() { n.Advance(frame) }, Steps: 100})
	server, client := r.Pair()
	d.SetConditions(netsim.Conditions{Delay: 10 * time.Millisecond}, netsim.Conditions{})
	start := n.Now()
	linktest.Send(client.Conns[0], "x")
	n.Advance(10 * time.Millisecond)
	server.Poll(&server.Recorder)
	if len(server.Datagrams) != 1 || server.Datagrams[0].At != start+10*time.Millisecond {
		t.Fatalf("at %v: %v", n.Now(), server.Datagrams)
	}
	linktest.Send(client.Conns[0], "y")
	n.Advance(time.Second)
	server.Poll(&server.Recorder)
	if len(server.Datagrams) != 2 || server.Datagrams[1].At != start+20*time.Millisecond {
		t.Fatalf("at %v: %v", n.Now(), server.Datagrams)
	}
}

func TestConditionsPerClient(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{})
	l := n.Listener()
	var dialers []*Dialer
	r := linktest.NewRig(t, linktest.Net{
		Listener: l, Step: func() { n.Advance(frame) }, Steps: 1000,
		Dialer: func() transport.Dialer {
			dialers = append(dialers, n.Dialer(l))
			return dialers[len(dialers)-1]
		},
	})
	server, a := r.Pair()
	b := r.Join(linktest.Offer())
	r.Until("both are in", func() bool { return len(server.Conns) == 2 && len(b.Conns) == 1 })
	dialers[0].SetConditions(netsim.Conditions{}, netsim.Conditions{Loss: 1})
	for range 50 {
		linktest.Send(server.Conns[0], "x")
		linktest.Send(server.Conns[1], "x")
		r.Turn()
	}
	if len(a.Datagrams) != 0 || len(b.Datagrams) != 50 {
		t.Errorf("%d came through a cut path, %d through a whole one", len(a.Datagrams), len(b.Datagrams))
	}
	if _, down := dialers[0].Counters(); down.Lost < 50 {
		t.Errorf("%d lost", down.Lost)
	}
}

// Conditions also apply to clients that dial after they were set: the network's, and a
// dialer's own for each of its Dials.
func TestConditionsOfLaterClients(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{})
	r := linktest.NewRig(t, net(n))
	d := n.Dialer(r.Listener.(*Listener))
	if up, down := d.Counters(); up != (netsim.Counters{}) || down != up {
		t.Errorf("counted before anybody has dialled: %+v, %+v", up, down)
	}
	joined := func() {}
	delays := func(up, down time.Duration) {
		t.Helper()
		server := r.Server
		before := len(server.Conns)
		client := r.Join(linktest.Offer())
		r.Until("it is in", func() bool { return len(server.Conns) > before && len(client.Conns) == 1 })
		joined()
		from := n.Now()
		linktest.Send(client.Conns[0], "up")
		linktest.Send(server.Conns[before], "down")
		came := len(server.Datagrams)
		r.Until("both came", func() bool { return len(server.Datagrams) > came && len(client.Datagrams) > 0 })
		if got, back := server.Datagrams[came].At-from, client.Datagrams[0].At-from; got != up || back != down {
			t.Errorf("it takes %v up and %v down, want %v and %v", got, back, up, down)
		}
	}
	r.Host(linktest.Offer())
	n.SetConditions(netsim.Conditions{Delay: 40 * time.Millisecond})
	delays(40*time.Millisecond, 40*time.Millisecond)
	d.SetConditions(netsim.Conditions{Delay: 10 * time.Millisecond}, netsim.Conditions{Delay: 20 * time.Millisecond})
	r.Dialer = func() transport.Dialer { return d }
	for range 2 {
		delays(10*time.Millisecond, 20*time.Millisecond)
	}
	joined = func() { n.SetConditions(netsim.Conditions{Delay: 30 * time.Millisecond}) }
	delays(10*time.Millisecond, 20*time.Millisecond)
}

// A packet to a client that the network has forgotten is lost.
func TestSendToTheForgotten(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{})
	r := linktest.NewRig(t, net(n))
	server, client := r.Pair()
	r.Hang(client, "")
	n.Advance(frame)
	linktest.Send(server.Conns[0], "late")
	r.Until("the server is told", func() bool { return len(server.Ended) == 1 })
}

// Conditions out of range, and listeners that no packet reaches, panic when they are
// given, not when they are used.
func TestConditionsOutOfRange(t *testing.T) {
	bad, n := netsim.Conditions{Loss: 2}, NewNetwork(1, netsim.Conditions{})
	for name, f := range map[string]func(){
		"NewNetwork":                  func() { NewNetwork(1, bad) },
		"Network.SetConditions":       func() { n.SetConditions(bad) },
		"a Dialer to nothing":         func() { n.Dialer(nil) },
		"a Dialer to another network": func() { n.Dialer(NewNetwork(1, netsim.Conditions{}).Listener()) },
		"a Dialer, down":              func() { n.Dialer(n.Listener()).SetConditions(netsim.Conditions{}, bad) },
		"a Dialer, up":                func() { n.Dialer(n.Listener()).SetConditions(bad, netsim.Conditions{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			f()
		}()
	}
}

// A network keeps no memory of listeners and clients that have been closed.
func TestListenersAreForgotten(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{})
	for i := range 20 {
		if i%2 == 0 { // one that nobody hosts on
			n.Listener().Close()
		}
		l := n.Listener()
		link, err := l.Listen(linktest.Offer())
		if err != nil {
			t.Fatal(err)
		}
		client, err := n.Dialer(l).Dial(linktest.Offer())
		if err != nil {
			t.Fatal(err)
		}
		n.Advance(frame)
		if i%3 < 2 {
			link.Close("over")
		}
		if i%3 > 0 {
			l.Close()
		}
		client.Close("over")
		n.Advance(transport.AskAgain + frame) // somebody has just been asked to come again
		if len(n.listeners)+len(n.wires)+len(n.byClient) != 0 {
			t.Fatalf("%d listeners, %d wires, %d addresses kept", len(n.listeners), len(n.wires), len(n.byClient))
		}
	}
}

// Very many clients all have different addresses.
func TestAddressesDiffer(t *testing.T) {
	n, seen := NewNetwork(1, netsim.Conditions{}), map[netip.AddrPort]bool{}
	for i := range 70_000 {
		a := n.address()
		if seen[a] {
			t.Fatalf("address %d is %s again", i, a)
		}
		seen[a] = true
	}
}

func TestListenTwice(t *testing.T) {
	l := NewNetwork(1, netsim.Conditions{}).Listener()
	if _, err := l.Listen(linktest.Offer()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Listen(linktest.Offer()); err == nil {
		t.Error("one address, two links")
	}
	closed := NewNetwork(1, netsim.Conditions{}).Listener()
	for range 2 {
		if err := closed.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := closed.Listen(linktest.Offer()); err == nil {
		t.Error("a closed listener listens")
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	n := NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond})
	r := linktest.NewRig(t, net(n))
	server, client := r.Pair()
	b := make([]byte, 300)
	count := &linktest.Counter{}
	step := func() {
		for _, s := range []*linktest.Side{server, client} {
			s.Conns[0].Next()
			s.Conns[0].Datagram(b)
			s.Conns[0].Flush()
		}
		n.Advance(frame)
		server.Poll(count)
		client.Poll(count)
	}
	for range 200 {
		step()
	}
	if a := testing.AllocsPerRun(500, step); a != 0 {
		t.Errorf("%v allocations a tick", a)
	}
	if count.Datagrams < 1000 {
		t.Errorf("only %d datagrams came", count.Datagrams)
	}
}
