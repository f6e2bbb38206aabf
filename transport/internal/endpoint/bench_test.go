package endpoint

import (
	"net/netip"
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
	s, pack := joined(b)
	s.cfg.Send = func(netip.AddrPort, []byte) {}
	c := s.conns[0]
	out := make([]byte, 200)
	in := pack(wire.Datagram, 1, out...)
	b.ReportAllocs()
	for seq := uint64(2); b.Loop(); seq++ {
		c.Next()
		c.Datagram(out)
		for i := range 8 {
			in[5+i] = byte(seq >> (8 * i))
		}
		s.Arrive(0, clientAddr, in)
		s.Poll(ignoring{})
	}
}
