package linktest

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// probes is how many packets an endpoint may send in these tests to find out what the path
// carries.
const probes = 6

// Run runs every test of the suite, each on its own net.
func Run(t *testing.T, makeNet func(t *testing.T) Net) {
	for _, x := range []struct {
		name string
		run  func(r *Rig)
	}{
		{"Connect", connect},
		{"RefuseGame", refuseGame},
		{"RefuseSchema", refuseSchema},
		{"Full", full},
		{"NoAnswer", noAnswer},
		{"BadOffer", badOffer},
		{"Datagrams", datagrams},
		{"BothLanesInOnePacket", bothLanes},
		{"AbandonedPacket", abandoned},
		{"Reliable", reliable},
		{"ReliableLimits", reliableLimits},
		{"LaneBytes", laneBytes},
		{"ReplyInsideHandler", replyInside},
		{"Kick", kick},
		{"Leave", leave},
		{"ServerEnds", serverEnds},
		{"ListenerCloses", listenerCloses},
		{"ListenerClosesMeanwhile", listenerClosesMeanwhile},
		{"Silence", silence},
		{"Idle", idle},
		{"TwoClients", twoClients},
		{"Again", again},
	} {
		t.Run(x.name, func(t *testing.T) { x.run(NewRig(t, makeNet(t))) })
	}
}

func connect(r *Rig) {
	server := r.Host(Offer())
	o := Offer()
	o.Hello = []byte("Ada, blue")
	client := r.Join(o)
	r.Until("both are connected", func() bool { return len(server.Conns) == 1 && len(client.Conns) == 1 })
	if server.Hellos[0] != "Ada, blue" || client.Hellos[0] != "" {
		r.Errorf("the server was told %q, the client %q", server.Hellos, client.Hellos)
	}
	s, c := server.Conns[0].Stats(), client.Conns[0].Stats()
	if s.Local == "" || s.Remote != c.Local || s.Local == c.Local || s.Transport != c.Transport {
		r.Errorf("addresses: server %q to %q, client %q to %q", s.Local, s.Remote, c.Local, c.Remote)
	}
	if _, err := r.Listener.Listen(Offer()); err == nil {
		r.Error("one address, two links")
	}
}

func (r *Rig) refused(client *Side, want error, words ...string) {
	r.Helper()
	r.Until("the client is refused", func() bool { return len(client.Ended) == 1 })
	err := client.Ended[0]
	if !errors.Is(err, want) {
		r.Fatalf("refused with %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			r.Errorf("%q does not say %q", err, w)
		}
	}
	if len(client.Conns) != 0 {
		r.Error("the client was told that it is connected")
	}
}

func refuseGame(r *Rig) {
	server := r.Host(Offer())
	o := Offer()
	o.Game = "another"
	r.refused(r.Join(o), transport.ErrGame, `"linktest"`, `"another"`)
	if len(server.Conns)+len(server.Ended) != 0 {
		r.Error("the server was told of a client that it refused")
	}
}

func refuseSchema(r *Rig) {
	host := Offer()
	host.Digest = bytes.Repeat([]byte("d"), transport.MaxDigest)
	r.Host(host)
	o := Offer()
	o.Schema = 43
	o.Explain = func(digest []byte) string {
		return fmt.Sprintf("component health, field Max (%d bytes)", len(digest))
	}
	r.refused(r.Join(o), transport.ErrSchema, "component health, field Max (1000 bytes)")
}

func full(r *Rig) {
	o := Offer()
	o.MaxPeers = 1
	server := r.Host(o)
	first := r.Join(Offer())
	r.Until("the first is in", func() bool { return len(server.Conns) == 1 })
	r.refused(r.Join(Offer()), transport.ErrFull)
	first.Conns[0].Close("makes room")
	r.Until("the first has left", func() bool { return len(server.Ended) == 1 })
	third := r.Join(Offer())
	r.Until("another is in", func() bool { return len(third.Conns) == 1 && len(server.Conns) == 2 })
}

func noAnswer(r *Rig) {
	client := r.dial(r.Nowhere, Offer())
	r.refused(client, transport.ErrNoAnswer)
}

func badOffer(r *Rig) {
	for _, o := range []transport.Offer{
		{},
		{Game: strings.Repeat("g", transport.MaxGame+1)},
		{Game: "g", Hello: make([]byte, transport.MaxHello+1)},
		{Game: "g", Digest: make([]byte, transport.MaxDigest+1)},
		{Game: "g", MaxPeers: transport.MaxPeers + 1},
	} {
		if _, err := r.Dialer().Dial(o); err == nil {
			r.Errorf("an offer is accepted: game of %d bytes, hello of %d, digest of %d, %d peers", len(o.Game), len(o.Hello), len(o.Digest), o.MaxPeers)
		}
	}
	if _, err := r.Listener.Listen(transport.Offer{}); err == nil {
		r.Error("an offer without a game is hosted on")
	}
}

func datagrams(r *Rig) {
	server, client := r.Pair()
	sent := map[uint64]string{}
	for i := range 20 {
		sent[Send(client.Conns[0], "up %d", i)] = fmt.Sprintf("up %d", i)
		Send(server.Conns[0], "down %d", i)
		r.Turn()
	}
	r.Until("all came", func() bool { return len(server.Datagrams) == 20 && len(client.Datagrams) == 20 })
	for _, d := range server.Datagrams {
		if sent[d.Seq] != d.Body {
			r.Errorf("packet %d has %q, sent %q", d.Seq, d.Body, sent[d.Seq])
		}
		if d.Conn != server.Conns[0] || d.At < 0 || d.At > server.Now() {
			r.Errorf("packet %d of %v came at %v; it is %v", d.Seq, d.Conn, d.At, server.Now())
		}
	}
	// The longest that a packet carries, and none at all.
	_, room := server.Conns[0].Next()
	if room != transport.MaxPayload {
		r.Errorf("room %d, want %d", room, transport.MaxPayload)
	}
	server.Conns[0].Datagram(bytes.Repeat([]byte("x"), room))
	Send(server.Conns[0], "")
	r.Until("the longest and the empty came", func() bool { return len(client.Datagrams) == 22 })
	// Keepalives and probes of the path may be under way at any moment.
	r.Until("all that was sent is counted as come", func() bool {
		in, out := client.Conns[0].Stats(), server.Conns[0].Stats()
		return in.BytesIn > 0 && in.BytesIn == out.BytesOut && in.PacketsIn == out.PacketsOut
	})
}

func bothLanes(r *Rig) {
	server, client := r.Pair()
	c := server.Conns[0]
	before := c.Stats().PacketsOut
	if err := c.Reliable([]byte("message")); err != nil {
		r.Fatal(err)
	}
	r.Turn() // the machine may emit every 10 ms
	r.Turn()
	_, room := c.Next()
	if room >= transport.MaxPayload || room < transport.MinRoom {
		r.Errorf("room %d beside a message", room)
	}
	c.Datagram(bytes.Repeat([]byte("x"), room))
	r.Until("both came", func() bool { return len(client.Messages) == 1 && len(client.Datagrams) == 1 })
	if n := c.Stats().PacketsOut - before; n > 3+probes {
		r.Errorf("%d packets for both lanes", n) // one, and keepalives where time runs by itself
	}
	// A long message leaves at least MinRoom beside it.
	if err := c.Reliable(make([]byte, 20_000)); err != nil {
		r.Fatal(err)
	}
	r.Until("the long message came", func() bool {
		if _, room := c.Next(); room < transport.MinRoom {
			r.Fatalf("room %d, at least %d is promised", room, transport.MinRoom)
		}
		c.Flush()
		client.Conns[0].Flush()
		return len(client.Messages) == 2
	})
}

// A packet that was opened and got no datagram is not sent; the segments of the
// reliable lane go with the next packet.
func abandoned(r *Rig) {
	server, client := r.Pair()
	c := server.Conns[0]
	c.Reliable([]byte("message"))
	r.Turn()
	r.Turn()
	first, _ := c.Next()
	second, _ := c.Next()
	if second <= first {
		r.Errorf("numbers %d, %d", first, second)
	}
	c.Datagram([]byte("datagram"))
	r.Until("both came", func() bool { return len(client.Messages) == 1 && len(client.Datagrams) == 1 })
	if client.Datagrams[0].Seq != second {
		r.Errorf("number %d, sent as %d", client.Datagrams[0].Seq, second)
	}
}

func replyInside(r *Rig) {
	server, client := r.Pair()
	server.OnMessage = func(c transport.Conn, m []byte) { c.Reliable(append([]byte("re: "), m...)) }
	client.Conns[0].Reliable([]byte("a"))
	client.Conns[0].Reliable([]byte("b"))
	r.Until("both answers came", func() bool {
		server.Conns[0].Flush()
		client.Conns[0].Flush()
		return len(client.Messages) == 2
	})
	if client.Messages[0] != "re: a" || client.Messages[1] != "re: b" {
		r.Errorf("answers %q", client.Messages)
	}
	// After a Close inside a handler, the rest of the same packet is not delivered.
	server.OnMessage = func(c transport.Conn, m []byte) { c.Close("enough") }
	client.Conns[0].Reliable([]byte("c"))
	client.Conns[0].Reliable([]byte("d"))
	r.Until("the client was kicked", func() bool {
		client.Conns[0].Flush()
		return len(client.Ended) == 1 && len(server.Ended) == 1
	})
	if n := len(server.Messages); n != 3 {
		r.Errorf("%d messages, want 3: nothing follows Close", n)
	}
}

func (r *Rig) ended(s *Side, want error, reason string) {
	r.Helper()
	r.Until("it has ended", func() bool { return len(s.Ended) == 1 })
	if err := s.Ended[0]; !errors.Is(err, want) || !strings.Contains(err.Error(), reason) {
		r.Errorf("ended with %v, want %v with %q", err, want, reason)
	}
}

func kick(r *Rig) {
	server, client := r.Pair()
	server.Conns[0].Close("too fast")
	r.ended(client, transport.ErrKicked, "too fast")
	r.ended(server, transport.ErrClosed, "too fast")
	if err := server.Conns[0].Reliable([]byte("late")); !errors.Is(err, transport.ErrClosed) {
		r.Errorf("a message on a closed connection: %v", err)
	}
	Send(server.Conns[0], "late") // does nothing
	server.Conns[0].Close("twice")
	for range 10 {
		r.Turn()
	}
	if len(server.Ended) != 1 || len(client.Ended) != 1 {
		r.Errorf("told of the end %d and %d times", len(server.Ended), len(client.Ended))
	}
}

func leave(r *Rig) {
	server, client := r.Pair()
	r.Hang(client, "dinner")
	r.ended(server, transport.ErrClosed, "dinner")
}

func serverEnds(r *Rig) {
	server, client := r.Pair()
	second := r.Join(Offer())
	r.Until("the second is in", func() bool { return len(server.Conns) == 2 })
	r.Hang(server, "the server restarts")
	r.ended(client, transport.ErrClosed, "the server restarts")
	r.ended(second, transport.ErrClosed, "the server restarts")
}

// When a listener is closed under its link, both ends are told and the link's Err says
// it, also for a link without connections.
func listenerCloses(r *Rig) {
	server, client := r.Pair()
	second := r.Join(Offer())
	r.Until("the second is in", func() bool { return len(server.Conns) == 2 })
	if err := server.Err(); err != nil {
		r.Errorf("a link in use has ended: %v", err)
	}
	for range 2 {
		if err := r.Listener.Close(); err != nil {
			r.Error(err)
		}
	}
	const why = "the listener was closed"
	if err := server.Err(); !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), why) {
		r.Errorf("the link says %v", err)
	}
	if err := server.Conns[0].Reliable(nil); !errors.Is(err, transport.ErrClosed) {
		r.Errorf("a message on it: %v", err)
	}
	r.ended(client, transport.ErrClosed, why)
	r.ended(second, transport.ErrClosed, why)
	for range 10 {
		r.Turn()
	}
	if n := len(server.Ended); n != 2 || !errors.Is(server.Ended[0], transport.ErrClosed) || !strings.Contains(server.Ended[1].Error(), why) {
		r.Errorf("of two connections it was told %v", server.Ended)
	}
	r.Hang(server, "late")
	if err := server.Err(); err != nil {
		r.Errorf("a link that its owner has closed says %v", err)
	}
}

// When the listener is closed on another goroutine while clients join and the game
// polls, the Handler gets Closed exactly once for each Conn that was Connected.
func listenerClosesMeanwhile(r *Rig) {
	server := r.Host(Offer())
	clients := []*Side{r.Join(Offer()), r.Join(Offer()), r.Join(Offer())}
	r.Until("one is in", func() bool { return len(server.Conns) > 0 })
	closed := make(chan error)
	go func() { closed <- r.Listener.Close() }()
	for done := false; !done; {
		clients = append(clients, r.Join(Offer()))
		r.Turn()
		for _, c := range server.Conns {
			Send(c, "state")
			c.Reliable([]byte("message"))
			c.Flush()
		}
		select {
		case err := <-closed:
			if done = true; err != nil {
				r.Error(err)
			}
		default:
			runtime.Gosched() // in a browser there is one thread
		}
	}
	in := 0
	r.Until("each client is told", func() bool {
		in = 0
		for _, c := range clients {
			if len(c.Ended) == 0 {
				return false
			}
			in += len(c.Conns)
		}
		return true
	})
	if len(server.Conns) == 0 || len(server.Ended) != len(server.Conns) || in < len(server.Conns) {
		r.Errorf("%d connections, %d ends; %d clients were let in", len(server.Conns), len(server.Ended), in)
	}
	if err := server.Err(); !errors.Is(err, transport.ErrClosed) {
		r.Errorf("the link says %v", err)
	}
}

func silence(r *Rig) {
	server, client := r.Pair()
	r.Set(netsim.Conditions{Loss: 1})
	r.ended(server, transport.ErrTimeout, "")
	r.ended(client, transport.ErrTimeout, "")
}

// idle: nobody sends, and no connection is lost.
func idle(r *Rig) {
	server, client := r.Pair()
	for range r.Idle {
		r.Turn()
	}
	if len(server.Ended)+len(client.Ended) != 0 {
		r.Errorf("ended: %v, %v", server.Ended, client.Ended)
	}
}

func twoClients(r *Rig) {
	server := r.Host(Offer())
	var clients [2]*Side
	for i := range clients {
		o := Offer()
		o.Hello = []byte{'0' + byte(i)}
		clients[i] = r.Join(o)
	}
	r.Until("both are in", func() bool {
		return len(server.Conns) == 2 && len(clients[0].Conns) == 1 && len(clients[1].Conns) == 1
	})
	for i, c := range server.Conns {
		Send(c, "for %s", server.Hellos[i])
		c.Reliable([]byte("message for " + server.Hellos[i]))
	}
	r.Until("each has its own", func() bool {
		for _, c := range server.Conns {
			c.Flush()
		}
		return len(clients[0].Messages) == 1 && len(clients[1].Messages) == 1 && len(clients[0].Datagrams) == 1 && len(clients[1].Datagrams) == 1
	})
	for i, c := range clients {
		if c.Datagrams[0].Body != fmt.Sprintf("for %d", i) || c.Messages[0] != fmt.Sprintf("message for %d", i) {
			r.Errorf("client %d got %q, %q", i, c.Datagrams[0].Body, c.Messages[0])
		}
	}
	r.Hang(clients[0], "")
	r.ended(server, transport.ErrClosed, "")
	Send(server.Conns[0], "to one of them")
	Send(server.Conns[1], "to one of them")
	r.Until("the other is still there", func() bool { return len(clients[1].Datagrams)+len(clients[0].Datagrams) >= 3 })
}

// again: a client that has left can join again.
func again(r *Rig) {
	server, client := r.Pair()
	r.Hang(client, "")
	r.Until("it has left", func() bool { return len(server.Ended) == 1 })
	back := r.Join(Offer())
	r.Until("it is back", func() bool { return len(back.Conns) == 1 && len(server.Conns) == 2 })
}
