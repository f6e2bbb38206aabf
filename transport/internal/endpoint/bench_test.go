package endpoint

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

type ignoring struct{}

func (ignoring) Connected(transport.Conn, []byte)                       {}
func (ignoring) Datagram(transport.Conn, uint64, time.Duration, []byte) {}
func (ignoring) Message(transport.Conn, []byte)                         {}
func (ignoring) Closed(transport.Conn, error)                           {}

// BenchmarkDatagram measures a datagram of 200 bytes from Next to the socket, and from
// the socket to the game, without the socket itself.
func BenchmarkDatagram(b *testing.B) {
	s, r := connected(b)
	s.cfg.Send = func(Path, []byte) {}
	c := s.conns[0]
	out := make([]byte, 200)
	var in [1024][]byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(in) == 0 {
			b.StopTimer()
			for j := range in {
				in[j] = r.Say(wire.Datagram, out...)
			}
			b.StartTimer()
		}
		c.Next()
		c.Datagram(out)
		s.Arrive(0, Path{Remote: serverAddr}, in[i%len(in)])
		s.Poll(ignoring{})
	}
}

// BenchmarkQuestion is a listener's answer to a HELLO: what each packet of a flood of them
// costs beside the socket.
func BenchmarkQuestion(b *testing.B) {
	s := listening(b)
	s.cfg.Send = func(Path, []byte) {}
	hello := client(1).Hello()
	b.ReportAllocs()
	for b.Loop() {
		s.Arrive(0, Path{Remote: clientAddr}, hello)
	}
}

// BenchmarkAdmit is the game's part of one handshake: a step pays this for each client that
// is let in. The worker does the rest.
func BenchmarkAdmit(b *testing.B) {
	s := listening(b)
	s.cfg.Listener.Wake = func() {} // the worker runs below
	var inits [100][]byte
	for i := range inits {
		c := client(uint64(i))
		s.Arrive(0, Path{Remote: clientAddr}, c.Hello())
		inits[i] = c.Answer(s.last())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		for _, c := range s.Endpoint.conns { // the one before
			s.evict(c)
		}
		clear(s.gate.buckets[:])
		s.Arrive(0, Path{Remote: clientAddr}, inits[i%len(inits)])
		s.Work()
		b.StartTimer()
		s.Poll(ignoring{})
	}
	if s.Held().HalfOpen != 1 {
		b.Fatalf("%+v", s.Held())
	}
}
