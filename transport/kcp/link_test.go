package kcp

import (
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// withTiming shortens the waits.
func withTiming(t endpoint.Timing) Option { return func(o *options) { o.timing = t } }

// quick is a timing short enough for tests, and long enough for a busy machine.
var quick = withTiming(endpoint.Timing{
	Hello: 20 * time.Millisecond, Connect: 2 * time.Second, Keepalive: 50 * time.Millisecond, Silence: 2 * time.Second,
})

// loopback is a net over real sockets. The simulation is on one side, so that the other
// side runs without one.
func loopback(t *testing.T, simulateServer bool) linktest.Net {
	sim := NewSimulation(1, netsim.Conditions{})
	server, client := []Option{quick, WithConditions(sim)}, []Option{quick}
	if !simulateServer {
		server, client = client, server
	}
	l, err := Listen("127.0.0.1:0", server...)
	if err != nil {
		t.Fatal(err)
	}
	return linktest.Net{
		Listener: l,
		Dialer:   func() transport.Dialer { return Dialer(l.Addr(), client...) },
		Nowhere:  Dialer(freePort(t), client...),
		Step:     func() { time.Sleep(5 * time.Millisecond) },
		Steps:    6000, // 30 s and more
		Idle:     500,
		Set:      sim.SetConditions,
	}
}

// boundTo returns a socket at an address, which ends with the test.
func boundTo(t *testing.T, at string) *net.UDPConn {
	addr, err := net.ResolveUDPAddr("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenUDP("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return socket
}

// freePort returns an address where nobody listens.
func freePort(t *testing.T) string {
	s, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.LocalAddr().String()
}

func TestLink(t *testing.T) {
	noLeak(t)
	for _, x := range []struct {
		name           string
		simulateServer bool
	}{{"simulated at the client", false}, {"simulated at the server", true}} {
		t.Run(x.name, func(t *testing.T) {
			linktest.Run(t, func(t *testing.T) linktest.Net {
				t.Parallel() // most of each test is waiting
				return loopback(t, x.simulateServer)
			})
		})
	}
}

// noLeak fails the test if goroutines are left at its end.
func noLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		b := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b, true)])
	})
}

func TestGoroutinesAreIndependentOfPeers(t *testing.T) {
	noLeak(t)
	n := loopback(t, true)
	patient := withTiming(endpoint.Timing{Hello: 20 * time.Millisecond, Connect: 20 * time.Second}) // they are many, and machines are slow
	n.Dialer = func() transport.Dialer { return Dialer(n.Listener.Addr(), patient) }
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	one := runtime.NumGoroutine()
	const clients = 20
	for range clients {
		r.Join(linktest.Offer())
	}
	r.Until("all are in", func() bool { return len(server.Conns) == clients })
	if n := runtime.NumGoroutine() - one; n > 2*clients { // less where those of other tests end meanwhile
		t.Errorf("%d goroutines for %d clients with two each: the server has %d more", n, clients, n-2*clients)
	}
}

func TestTakenPort(t *testing.T) {
	noLeak(t)
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Listen(l.Addr())
	if err == nil || !strings.Contains(err.Error(), "the port is taken") || !strings.Contains(err.Error(), l.Addr()) {
		t.Errorf("a taken port: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Listen(linktest.Offer()); err == nil {
		t.Error("a closed listener listens")
	}
	again, err := Listen(l.Addr())
	if err != nil {
		t.Fatalf("the address was not given back: %v", err)
	}
	again.Close()
}

func TestBadAddresses(t *testing.T) {
	noLeak(t)
	for _, a := range []string{"", "7777", "example", "1.2.3.4.5:7", "127.0.0.1:99999", "127.0.0.1:seven"} {
		if l, err := Listen(a); err == nil {
			l.Close()
			t.Errorf("listening on %q works", a)
		} else if !strings.Contains(err.Error(), "; write ") {
			t.Errorf("listening on %q: %q names no remedy", a, err)
		}
		if l, err := Dialer(a).Dial(linktest.Offer()); err == nil {
			l.Close("")
			t.Errorf("dialling %q works", a)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("dialling %q: %q is no sentence", a, err)
		}
	}
	if _, err := Dialer("127.0.0.1:0").Dial(linktest.Offer()); err == nil {
		t.Error("dialling port 0 works")
	}
	if _, err := Dialer(freePort(t)).Dial(transport.Offer{}); err == nil {
		t.Error("an offer without a game is dialled")
	}
}

// The reader continues after errors of the socket.
func TestReaderSurvivesErrors(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server, client := r.Pair()
	k := server.Link.(*link)
	k.socket.SetReadDeadline(time.Now().Add(-time.Second)) // every read fails
	r.Until("reads have failed", func() bool { return k.Counters().ReadErrors > 3 })
	k.socket.SetReadDeadline(time.Time{})
	linktest.Send(client.Conns[0], "are you there?")
	r.Until("it came", func() bool { return len(server.Datagrams) > 0 })
}

// Packets that the socket does not take are lost and counted.
func TestWriteErrors(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server, client := r.Pair()
	k := server.Link.(*link)
	if n := k.Counters().WriteErrors; n != 0 {
		t.Errorf("%d writes have failed", n)
	}
	k.socket.SetWriteDeadline(time.Now().Add(-time.Second)) // every write fails
	for range 3 {
		linktest.Send(server.Conns[0], "lost")
	}
	r.Until("all three have failed", func() bool { // and the path's probes
		k.outbox.mu.Lock()
		defer k.outbox.mu.Unlock()
		return k.Counters().WriteErrors >= 3 && len(k.outbox.filling.packets) == 0
	})
	k.socket.SetWriteDeadline(time.Time{})
	linktest.Send(server.Conns[0], "here")
	r.Until("it came", func() bool { return len(client.Datagrams) > 0 })
	if d := client.Datagrams[0].Body; d != "here" {
		t.Errorf("%q came", d)
	}
}

// An offer out of its limits ends the listener, which releases its port.
func TestListenRefused(t *testing.T) {
	noLeak(t)
	sim := NewSimulation(1, netsim.Conditions{})
	l, err := Listen("127.0.0.1:0", WithConditions(sim))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Listen(transport.Offer{}); err == nil {
		t.Error("an offer without a game is hosted on")
	}
	if _, err := l.Listen(linktest.Offer()); err == nil || !strings.Contains(err.Error(), "call kcp.Listen again") {
		t.Errorf("hosting again: %v", err)
	}
	if len(sim.airs) != 0 {
		t.Errorf("%d endpoints are simulated of a listener that nobody hosts on", len(sim.airs))
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	again, err := Listen(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// A Windows read error that concerns one packet does not make the reader wait.
func TestErrorsOfOnePacket(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.Errno(10040): true, syscall.Errno(10052): true, syscall.Errno(10054): true,
		syscall.ENOBUFS: false, net.ErrClosed: false,
	} {
		whole := &net.OpError{Op: "read", Err: os.NewSyscallError("wsarecvfrom", err)}
		if ofOnePacket(whole) != want {
			t.Errorf("%v: %v", whole, !want)
		}
	}
}

func TestBrokenSocket(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server, _ := r.Pair()
	server.Link.(*link).socket.Close()
	r.Until("the server is told", func() bool { return len(server.Ended) == 1 })
	if !errors.Is(server.Ended[0], transport.ErrSocket) {
		t.Errorf("told %v", server.Ended[0])
	}
	r.Leave(server, "")
	if err := server.Wait(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("freeing it: %v", err)
	}
}

// A game that does nothing for longer than the silence that ends a connection keeps
// its peers, and they keep the game.
func TestStalledGame(t *testing.T) {
	noLeak(t)
	n := loopback(t, false)
	r := linktest.NewRig(t, n)
	server, client := r.Pair()
	for range n.Idle {
		n.Step()
		client.Poll(&client.Recorder)
	}
	server.Poll(&server.Recorder)
	if len(server.Ended)+len(client.Ended) != 0 {
		t.Fatalf("ended: %v, %v", server.Ended, client.Ended)
	}
	linktest.Send(server.Conns[0], "back")
	r.Until("the session goes on", func() bool { return len(client.Datagrams) == 1 })
}

// Packets from strangers make no session, and a client joins in the middle of them.
func TestGarbageFlood(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	stranger, err := net.Dial("udp", r.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	b := make([]byte, transport.MaxPacket)
	for i := range 5000 {
		for j := range b {
			b[j] = byte(i * (j + 7) >> 3)
		}
		b[0] = byte(i)
		stranger.Write(b[:1+i%transport.MaxPacket])
	}
	client := r.Join(linktest.Offer())
	r.Until("the client is in", func() bool { return len(server.Conns) == 1 && len(client.Conns) == 1 })
	if n := server.Link.Counters().Ignored; n == 0 {
		t.Error("no packet was ignored")
	}
}

// The conditions of a running session change, as a game's keys change them.
type fakeSession struct {
	l transport.Listener
	d transport.Dialer
}

func (s *fakeSession) Host(l transport.Listener) { s.l = l }
func (s *fakeSession) Join(d transport.Dialer)   { s.d = d }

func TestStart(t *testing.T) {
	noLeak(t)
	var s fakeSession
	if err := Start(&s, "", ""); err != nil || s.l != nil || s.d != nil {
		t.Errorf("single player: %v, %+v", err, s)
	}
	if err := Start(&s, "127.0.0.1:0", ""); err != nil || s.l == nil || s.d != nil {
		t.Fatalf("hosting: %v, %+v", err, s)
	}
	defer s.l.Close()
	var second fakeSession
	if err := Start(&second, s.l.Addr(), ""); err == nil || second.l != nil {
		t.Errorf("hosting on a taken port: %v", err)
	}
	if err := Start(&second, s.l.Addr(), s.l.Addr()); err != nil || second.d == nil || second.l != nil {
		t.Errorf("joining: %v, %+v", err, second)
	}
	if err := Start(&second, "", "127.0.0.1:77777"); err == nil || !strings.Contains(err.Error(), "1 to 65535") {
		t.Errorf("a port beyond the last: %v", err)
	}
	if err := Start(&second, "", "nonsense"); err == nil {
		t.Error("joining nonsense works")
	}
}

// Who asks to be let in as the listener is closed is turned away, and not left to wait for an answer.
func TestListenerClosedWhileOneAsks(t *testing.T) {
	noLeak(t)
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	link, err := l.Listen(linktest.Offer())
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close("")
	c, err := Dialer(l.JoinString(), WithKey(NewKey())).Dial(linktest.Offer())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close("")
	time.Sleep(100 * time.Millisecond) // the question waits for a Poll that does not come
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	var h ended
	for range 1000 {
		if c.Poll(&h); h.err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !errors.Is(h.err, transport.ErrNotAdmitted) {
		t.Errorf("the client hears %v", h.err)
	}
}

// ended is a Handler of a client's end.
type ended struct{ err error }

func (*ended) Connected(transport.Conn, []byte)                       {}
func (*ended) Datagram(transport.Conn, uint64, time.Duration, []byte) {}
func (*ended) Message(transport.Conn, []byte)                         {}
func (h *ended) Closed(_ transport.Conn, err error)                   { h.err = err }
