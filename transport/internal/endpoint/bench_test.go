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
