//go:build !race

package kcp

import (
	"bytes"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An idle connection costs at most 6 KiB, of which a lane on which nothing is under way has next
// to nothing.
func TestIdlePeerMemory(t *testing.T) {
	const peers, limit = 1000, 6 << 10
	var now time.Duration
	config := endpoint.Config{Transport: "kcp", Now: func() time.Duration { return now }, Random: random, Machine: lane.NewARQ}
	path := netsim.NewPath(1, netsim.Conditions{}) // to the one client that is being connected
	config.Send = func(_ endpoint.Path, b []byte) { path.Send(now, b) }
	server, err := endpoint.Listen(config, linktest.Offer())
	if err != nil {
		t.Fatal(err)
	}
	var told linktest.Recorder
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	at := netip.MustParseAddr("10.0.0.1")
	for i := range peers {
		from := netip.AddrPortFrom(at, uint16(1000+i))
		up := config
		up.Send = func(_ endpoint.Path, b []byte) { server.Arrive(now, endpoint.Path{Remote: from}, b) }
		client, err := endpoint.Dial(up, linktest.Offer(), from)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for b, _, ok := path.Receive(now); ok; b, _, ok = path.Receive(now) {
				client.Arrive(now, endpoint.Path{Remote: from}, bytes.Clone(b))
			}
			client.Poll(&linktest.Recorder{})
			server.Poll(&told)
			now += 10 * time.Millisecond
		}
	}
	each := (used() - before) / peers
	t.Logf("%d bytes a peer", each)
	if len(told.Conns) != peers || peers > transport.MaxPeers {
		t.Fatalf("%d of %d peers are in", len(told.Conns), peers)
	}
	if each > limit {
		t.Errorf("an idle peer takes %d bytes, at most %d", each, limit)
	}
	runtime.KeepAlive(server)
}
