//go:build !race

package kcp

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
)

// A datagram from one game to the other, over two sockets, allocates nothing.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	n := loopback(t, false)
	n.Dialer = func() transport.Dialer { return Dialer(n.Listener.Addr(), quick) } // no simulation
	r := linktest.NewRig(t, n)
	server, client := r.Pair()
	b := make([]byte, 300)
	count := &linktest.Counter{}
	step := func() {
		for _, s := range []*linktest.Side{server, client} {
			s.Conns[0].Next()
			s.Conns[0].Datagram(b)
			s.Conns[0].Flush()
		}
		want := count.Datagrams + 2
		for i := 0; count.Datagrams < want && i < 10_000; i++ {
			time.Sleep(50 * time.Microsecond) // the readers run
			server.Poll(count)
			client.Poll(count)
		}
	}
	for range 500 {
		step()
	}
	// A packet that the loopback loses would cost a long wait, not an allocation.
	if a := testing.AllocsPerRun(1000, step); a != 0 {
		t.Errorf("%v allocations for a datagram each way", a)
	}
	if count.Datagrams < 2000 {
		t.Errorf("only %d datagrams came", count.Datagrams)
	}
}
