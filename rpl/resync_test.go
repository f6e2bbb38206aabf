package rpl_test

import (
	"bytes"
	"log/slog"
	"math/bits"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Protocol rule 11: a proxy whose state was damaged is repaired by a resync.

// When packets name a node that the proxy does not have, the proxy applies their other
// records, reports the node as refused, and gets its arrival again.
func TestMissingNodeIsSentAgain(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 5)
	c, lost := w.net.Clients[0], w.nodes[2]
	other, ok := c.P.Replica(w.nodes[3].id)
	if !ok {
		t.Fatal("a node is not here")
	}
	rpl.FaultsOf(c.P).Lose(lost.id)
	for range 120 {
		w.net.Tick(func(tick rpl.Tick) {
			for _, th := range w.nodes {
				th.words[4] = int32(tick % 100)
				w.net.A.SetWords(th.item, th.words)
			}
		})
	}
	for range 30 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
	}
	if r, _ := c.P.Replica(w.nodes[3].id); r != other {
		t.Error("another node has come anew")
	}
	n, a := c.P.Counters(), w.net.A.Counters()
	if n.Refused == 0 || n.Refused > 20 || a.Resyncs != 0 || n.Arrivals != 7 { // 5 nodes, the session's node, and the one that was lost
		t.Errorf("%+v %+v", n, a)
	}
}

// garble damages datagrams to a client, while a node changes at each tick, until the
// client has refused n of them.
func (w *world) garble(c *rpltest.Client, n uint64) {
	c.OnDown = func(_ uint64, b []byte) { clear(b[1:]); b[0] |= 3 } // names code tables that the client does not have
	for before := c.P.Counters().Refused; c.P.Counters().Refused < before+n; {
		w.net.Tick(func(tick rpl.Tick) {
			w.nodes[0].words[4] = int32(tick % 100)
			w.net.A.SetWords(w.nodes[0].item, w.nodes[0].words)
		})
	}
	c.OnDown = nil
}

// After three unreadable packets in a row a proxy asks for a resync, which repairs
// values, owners and missing nodes and removes nodes that should not be there. Nodes
// that were there are kept.
func TestResync(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 6)
	c := w.net.Clients[0]
	kept, _ := c.P.Replica(w.nodes[1].id)
	rpl.FaultsOf(c.P).Corrupt(w.nodes[1].id, 0, 4)
	rpl.FaultsOf(c.P).Give(w.nodes[2].id, 2)
	rpl.FaultsOf(c.P).Lose(w.nodes[3].id)
	c.Log.Fooled = true
	rpl.FaultsOf(c.P).Haunt(w.nodes[1].id, w.nodes[4].id, 40) // on the handle of a true node
	rpl.FaultsOf(c.P).Haunt(w.nodes[1].id, 1<<32|999, 41)
	for range 60 {
		w.net.Tick(nil)
	}
	if n := c.P.Counters(); n.Resyncs+n.Refused != 0 || w.check(c, nil) == nil {
		t.Fatalf("nothing is wrong, or it was found out: %+v", n)
	}
	w.garble(c, 3)
	for range 60 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
	}
	if r, _ := c.P.Replica(w.nodes[1].id); r != kept {
		t.Error("a node that was here has come anew")
	}
	if r, _ := c.P.Replica(w.nodes[2].id); r.Owner != 0 {
		t.Errorf("it is still %d's", r.Owner)
	}
	if n, a := c.P.Counters().Resyncs, w.net.A.Counters().Resyncs; n != 1 || a != 1 {
		t.Errorf("asked %d times, answered %d", n, a)
	}
}

// A resync repairs a proxy that holds a node under the id of another, whichever of the
// two arrives first.
func TestResyncOfMistakenNodes(t *testing.T) {
	for i, k := range map[int]int{1: 2, 2: 1} {
		w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 4)
		c, one, other := w.net.Clients[0], w.nodes[i].id, w.nodes[k].id
		c.Log.Fooled = true
		rpl.FaultsOf(c.P).Lose(one)
		rpl.FaultsOf(c.P).Mistake(other, one)
		c.P.Resync()
		for range 120 {
			w.net.Tick(nil)
		}
		if err := w.check(c, nil); err != nil {
			t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
		}
	}
}

// A proxy whose tick is far ahead drops everything when the tick is set right, also
// what the resync has sent so far, and a second resync sends that again: here a block
// that arrives without the packets before it.
func TestResyncOfAWrongTime(t *testing.T) {
	s := rpl.NewSchema("diary")
	diary := s.Item("diary", reflect.TypeFor[diaryItem](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	node, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{diary}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(node, 0)
	said := diaryItem{Title: noise(1, 2000)}
	net.A.Set(it, unsafe.Pointer(&said))
	ticks := func(n int) {
		for range n {
			net.Tick(nil)
		}
	}
	ticks(60)
	if _, here := c.P.Replica(node); !here {
		t.Fatal("it is not here")
	}
	rpl.FaultsOf(c.P).Hasten(1 << 20)
	c.Log.Fooled = true
	blocks := net.A.Counters().Blocks
	c.OnDown = func(_ uint64, b []byte) { clear(b[1:]); b[0] |= 3 } // names code tables that the client does not have
	for net.A.Counters().Blocks == blocks {
		if net.Tick(nil); net.Now > time.Minute {
			t.Fatalf("no block: %+v %+v", c.P.Counters(), net.A.Counters())
		}
	}
	ticks(10)
	c.OnDown = nil
	ticks(300)
	var got diaryItem
	r, here := c.P.Replica(node)
	if here {
		c.P.Inject(r, 0, diary, unsafe.Pointer(&got))
	}
	if !bytes.Equal(got.Title, said.Title) {
		t.Errorf("it is here: %v, with a title of %d bytes: %+v %+v", here, len(got.Title), c.P.Counters(), net.A.Counters())
	}
	if n := net.A.Counters().Resyncs; n != 2 {
		t.Errorf("told all anew %d times", n)
	}
	if node, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{diary}}); err != nil {
		t.Fatal(err)
	}
	ticks(60)
	if _, here := c.P.Replica(node); !here {
		t.Errorf("another is not here: %+v %+v", c.P.Counters(), net.A.Counters())
	}
	if len(c.Log.Errors) > 0 {
		t.Error(c.Log.Errors[0])
	}
}

// Two unreadable packets do not cause a resync, and a peer that asks again and again is
// answered once in three seconds.
func TestResyncsAreFew(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 30)
	c := w.net.Clients[0]
	w.garble(c, 2)
	for range 60 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil || c.P.Counters().Resyncs != 0 {
		t.Fatalf("%v, %+v", err, c.P.Counters())
	}
	before, began := w.net.A.Counters(), w.net.Now
	for w.net.Now-began < 10*time.Second {
		c.P.Resync()
		w.net.Tick(nil)
	}
	after := w.net.A.Counters()
	if n := after.Resyncs - before.Resyncs; n < 2 || n > 4 || after.Arrivals-before.Arrivals-(after.Repeats-before.Repeats) > n*31 {
		t.Errorf("%d answers in ten seconds, with %d arrivals", n, after.Arrivals-before.Arrivals)
	}
}

// A peer that asks for resyncs for a long time does not fill the logs: both ends log
// only the first, second, fourth, eighth … time.
func TestResyncsAreSeldomLogged(t *testing.T) {
	var log bytes.Buffer
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1, Log: slog.New(slog.NewTextHandler(&log, nil))}, 3)
	c, began := w.net.Clients[0], w.net.Now
	for w.net.Now-began < 2*time.Minute {
		c.P.Resync()
		w.net.Tick(nil)
	}
	for _, end := range []struct {
		says string
		n    uint64
	}{{"a peer cannot read", w.net.A.Counters().Resyncs}, {"all is asked for anew", c.P.Counters().Resyncs}} {
		if lines := strings.Count(log.String(), end.says); end.n < 30 || lines != bits.Len64(end.n) {
			t.Errorf("%d times, %d lines of %q", end.n, lines, end.says)
		}
	}
}

// A resync completes under loss and stays within the budget.
func TestResyncOnABadNetwork(t *testing.T) {
	for name, budget := range map[string]int{"free": 0, "thin": 6000} {
		t.Run(name, func(t *testing.T) {
			w := still(t, rpl.AuthorityConfig{CheckEvery: -1, Budget: budget}, 300)
			c := w.net.Clients[0]
			for range 300 {
				w.net.Tick(nil)
			}
			bad := netsim.Conditions{Delay: 30 * time.Millisecond}
			bad.Loss = 0.3
			c.SetConditions(bad, bad)
			for _, th := range w.nodes {
				rpl.FaultsOf(c.P).Corrupt(th.id, 0, 5)
			}
			c.P.Resync()
			payload, began := w.net.Payload, w.net.Now
			for range 600 {
				w.net.Tick(nil)
			}
			if err := w.check(c, nil); err != nil {
				t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
			}
			if n := w.net.A.Counters().Resyncs; n != 1 {
				t.Errorf("answered %d times", n)
			}
			if got, most := float64(w.net.Payload-payload), float64(budget)*((w.net.Now-began).Seconds()+0.25)+1200; budget > 0 && got > most {
				t.Errorf("%.0f bytes, %.0f are paid for", got, most)
			}
		})
	}
}

// A peer that asks for a resync during a resync gets a second one, because the state
// that was sent before may be wrong.
func TestResyncWhileAnswered(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1, Budget: 6000}, 300)
	c := w.net.Clients[0]
	for range 300 {
		w.net.Tick(nil)
	}
	c.P.Resync()
	for range 600 {
		if w.net.Tick(nil); w.net.A.Counters().Resyncs == 1 {
			break
		}
	}
	for range 20 {
		w.net.Tick(nil)
	}
	for _, th := range w.nodes {
		rpl.FaultsOf(c.P).Corrupt(th.id, 0, 5)
	}
	c.P.Resync()
	for range 600 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
	}
	if n := w.net.A.Counters().Resyncs; n != 2 {
		t.Errorf("answered %d times", n)
	}
}

// A resync that becomes unreadable, because the proxy's state that it builds upon was
// damaged, is begun again.
func TestAnswerThatCannotBeRead(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1, Budget: 6000}, 300)
	c := w.net.Clients[0]
	for range 300 {
		w.net.Tick(nil)
	}
	for _, th := range w.nodes {
		rpl.FaultsOf(c.P).Corrupt(th.id, 0, 5)
	}
	c.P.Resync()
	for range 20 {
		w.net.Tick(nil)
	}
	rpl.FaultsOf(c.P).Misdate(4096)
	for range 900 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
	}
	if n := w.net.A.Counters().Resyncs; n != 2 {
		t.Errorf("answered %d times", n)
	}
}
