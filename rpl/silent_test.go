package rpl_test

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A silent peer costs four small packets a second and no memory, and gets the full rate
// again one round trip after its next ack.
func TestSilentPeer(t *testing.T) {
	w := newWorld(t, 1, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 40 * time.Millisecond}, 60)
	for p := range 2 {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.net.Clients[1]
	play := func(n int) {
		for range n {
			w.net.Tick(func(rpl.Tick) { w.step(t) })
		}
	}
	play(60)
	joined := w.net.A.PeerStats(c.Peer)
	play(60)
	full := w.net.A.PeerStats(c.Peer).Bytes - joined.Bytes
	c.Silent = true
	play(90) // after a second the peer is frozen
	frozen := w.net.A.PeerStats(c.Peer)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	play(600)
	runtime.GC()
	runtime.ReadMemStats(&after)
	silent := w.net.A.PeerStats(c.Peer)
	if n := silent.Packets - frozen.Packets; n < 20 || n > 50 {
		t.Errorf("%d packets in ten silent seconds, want 4 a second", n)
	}
	if n := silent.Bytes - frozen.Bytes; n > 50*60 {
		t.Errorf("%d bytes in ten silent seconds", n)
	}
	if after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("the heap grew by %d bytes for a silent peer", after.HeapAlloc-before.HeapAlloc)
	}
	c.Silent = false
	// At most the time between two probes until the first ack, then a round trip and
	// two ticks.
	play(15 + 5 + 2)
	from := w.net.A.PeerStats(c.Peer).Bytes
	play(60)
	if n := w.net.A.PeerStats(c.Peer).Bytes - from; n < full*9/10 {
		t.Errorf("%d bytes in the second after, %d a second before", n, full)
	}
	for _, th := range w.nodes {
		th.words[2], th.words[3] = 0, 0
		w.net.A.SetWords(th.item, th.words)
	}
	if err := converge(w, func() error { return w.check(c, nil) }); err != nil {
		t.Fatal(err)
	}
}

// A proxy answers a reliable message within a tick, even if no datagram came with it,
// because the rows of a block, and whatever waits for a call, go on only when the
// authority has the ack.
func TestMessagesAreAnsweredAtOnce(t *testing.T) {
	s := rpl.NewSchema("answer")
	call := s.RPC("call", reflect.TypeFor[uint32](), rpl.Broadcast, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	ups := 0
	net.OnUp = func(rpl.Peer, []byte) { ups++ }
	for packets := -1; packets != net.Packets || len(c.Log.Held) == 0; {
		packets = net.Packets
		for range 2 * 3 { // the first packet is followed by two within three sends
			net.Tick(nil)
		}
	}
	if err := net.A.Call(rpl.SessionNode, call, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	packets := net.Packets
	for ups = 0; len(c.Log.Calls) == 0; {
		net.Tick(nil)
	}
	if net.Packets != packets || ups != 1 {
		t.Errorf("%d answers to a call, and %d packets came with it", ups, net.Packets-packets)
	}
}
