package kcp

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A listener tells its version to a client of another version, whose HELLO may have any
// layout from its twelfth byte on.
func TestClientOfAnotherVersion(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	addr, err := net.ResolveUDPAddr("udp", r.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	s := newStranger(t, 1)
	hello := append(wire.HelloMessage{Attempt: 0x55}.Append(nil)[:11], s.garbage(wire.MinInit-11)...)
	hello[1]++
	var told wire.RefuseMessage
	r.Until("it is answered", func() bool {
		s.WriteToUDP(hello, addr)
		s.SetReadDeadline(time.Now().Add(time.Millisecond))
		b := make([]byte, transport.MaxPacket)
		n, _, err := s.ReadFromUDP(b)
		if err == nil {
			told, err = wire.ParseRefuse(b[:n])
		}
		return err == nil
	})
	if told.Version != wire.Version || told.Attempt != 0x55 {
		t.Errorf("it is told %+v", told)
	}
	if h := server.Link.(*link).e.Held(); h.Open+h.HalfOpen != 0 || len(server.Conns) != 0 {
		t.Errorf("%+v is kept of it", h)
	}
}

// A client's error says that the listener speaks another version, and which.
func TestListenerOfAnotherVersion(t *testing.T) {
	noLeak(t)
	s := newStranger(t, 1)
	n := loopback(t, false)
	n.Dialer = func() transport.Dialer { return Dialer(s.LocalAddr().String(), quick) }
	r := linktest.NewRig(t, n)
	client := r.Join(linktest.Offer())
	r.Until("the client is refused", func() bool {
		s.SetReadDeadline(time.Now().Add(time.Millisecond))
		b := make([]byte, 2*transport.MaxPacket)
		if n, from, err := s.ReadFromUDP(b); err == nil {
			m, err := wire.ParseHello(b[:n])
			if err != nil {
				t.Fatal(err)
			}
			s.WriteToUDP(wire.RefuseMessage{Version: wire.Version + 1, Attempt: m.Attempt}.Append(nil), from)
		}
		return len(client.Ended) > 0
	})
	if err := client.Ended[0]; !errors.Is(err, transport.ErrVersion) || !strings.Contains(err.Error(), fmt.Sprint("version ", wire.Version+1)) || len(client.Ended)+len(client.Conns) != 1 {
		t.Errorf("it is told %v", client.Ended)
	}
}
