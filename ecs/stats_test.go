package ecs_test

// The figures and counters of connections.

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The measured figures of a connection match its network, on both ends.
func TestStats(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for range 20 {
		server.Create(Body)
	}
	server.step = func() {
		for e := range Body.Iter(server.World()) {
			Body.Get(e).Pos.X += float64(server.Tick()*server.Tick()%97) / 8 // unpredictable
		}
	}
	l.steps(900)
	here, there := server.Stats(client.Me()), client.Stats(server.Me())
	for name, s := range map[string]tendon.Stats{"server": here, "client": there} {
		if s.RTT < 80*time.Millisecond || s.RTT > 180*time.Millisecond {
			t.Errorf("%s: a round trip of %v over 40 to 60 ms each way", name, s.RTT)
		}
		if s.Jitter <= 0 || s.Jitter > 40*time.Millisecond {
			t.Errorf("%s: a jitter of %v, of at most 20 ms each way", name, s.Jitter)
		}
		if s.Loss < 0.04 || s.Loss > 0.2 {
			t.Errorf("%s: a loss of %.3f on a way that loses 0.1", name, s.Loss)
		}
		check(t, name+": lost", s.Lost, false)
		check(t, name+": transport", s.Conn.Transport, "mem")
	}
	if here.BytesOut < 1000 || here.BytesIn == 0 || here.BytesOut < here.BytesIn {
		t.Errorf("the server sends %d bytes a second and gets %d", here.BytesOut, here.BytesIn)
	}
	if arrived := float64(there.BytesIn) / float64(here.BytesOut); arrived < 0.7 || arrived > 1.05 {
		t.Errorf("of %d bytes a second %d arrive", here.BytesOut, there.BytesIn)
	}
	check(t, "the authority draws what is", here.ViewDelay, 0)
	check(t, "the client draws what was", there.ViewDelay > 2*time.Second/30, true)
	check(t, "of nobody", server.Stats(77), tendon.Stats{})
	alone := l.machine("alone", tendon.Config{})
	check(t, "alone", alone.Stats(alone.Me()), tendon.Stats{})
}

// A line that loses nothing has no loss on either end from the first packet on, nor on the client through
// a change of levels.
func TestStatsOfAPerfectLine(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	worst := 0.0
	for i := range 400 {
		if i == 200 {
			server.Load("next")
		}
		l.steps(1)
		if worst = max(worst, client.Stats(0).Loss); i < 200 {
			worst = max(worst, server.Stats(client.Me()).Loss)
		}
	}
	check(t, "it is in", client.Me() != 0, true)
	check(t, "the loss", worst, 0.0)
}

// The session counts the packets that its links ignore, over successive links.
func TestCountersOfTheLink(t *testing.T) {
	l := newLab(t, netsim.Conditions{Duplicate: 0.5})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	ball := server.Create(Paint)
	server.step = func() {
		if ball.Valid() {
			Paint.Get(ball).Colour++
		}
	}
	for range 3 {
		l.joined()
		l.steps(60)
		server.Close("again")
		l.listener = l.net.Listener()
		server.Host(l.listener)
		client.Join(l.net.Dialer(l.listener))
	}
	for _, m := range []*machine{server, client} {
		if n := *m.Counter("packet ignored"); n < 40 || n > 200 { // about 130 packets arrive at each end, half of them twice
			t.Errorf("%s: %d packets are ignored", m.name, n)
		}
		check(t, m.name+": dropped", *m.Counter("packet dropped"), 0)
	}
}
