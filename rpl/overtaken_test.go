package rpl_test

// Packets that newer ones have overtaken on the way are no sign of damage, and do not say
// what time it is.

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The base of an overtaken packet may have been given up. A client that gets many such
// packets does not ask for everything anew.
func TestOvertakenPacketsAreNotDamaged(t *testing.T) {
	const seed = 7
	w := still(t, rpl.AuthorityConfig{}, 50)
	c := w.net.Clients[0]
	path := netsim.Conditions{Delay: 100 * time.Millisecond, Jitter: 500 * time.Millisecond, Loss: .1}
	c.SetConditions(path, path)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 60 * 60 {
		w.net.Tick(func(rpl.Tick) {
			for _, n := range w.nodes {
				if r.IntN(10) == 0 {
					n.words[4] = r.Int32N(100)
					w.net.A.SetWords(n.item, n.words)
				}
			}
		})
	}
	if n := c.P.Counters(); n.Overtaken < 50 || n.Refused > 0 || n.Resyncs > 0 {
		t.Errorf("seed %d: %d packets were overtaken, and %d could not be read, for which the client asked for everything %d times", seed, n.Overtaken, n.Refused, n.Resyncs)
	}
}

// Nor are overtaken packets about nodes whose items have come and gone several times since.
func TestOvertakenPacketsOfOtherItems(t *testing.T) {
	const seed = 3
	w := newWardrobe(t)
	w.net.OnPacket = nil
	c, err := w.net.Join(3)
	if err != nil {
		t.Fatal(err)
	}
	path := netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 300 * time.Millisecond, Loss: .05}
	c.SetConditions(path, path)
	r := rand.New(rand.NewPCG(seed, 1))
	id := w.node(t, 1)
	for k := range 60 * 60 {
		w.net.Tick(func(rpl.Tick) {
			it, _ := w.net.A.Item(id, 0)
			w.net.A.SetWords(it, []int32{int32(k % 200)})
			if r.IntN(16) > 0 {
				return
			}
			var err error
			if it, ok := w.net.A.Item(id, 1); ok {
				err = w.net.A.RemoveItem(it)
			} else {
				_, err = w.net.A.AddItem(id, w.kinds[3+r.IntN(3)])
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if n := c.P.Counters(); n.Overtaken < 10 || n.Refused > 0 || n.Resyncs > 0 {
		t.Errorf("seed %d: %d packets were overtaken, and %d could not be read, for which the client asked for everything %d times", seed, n.Overtaken, n.Refused, n.Resyncs)
	}
}

// While a client waits for everything anew, the tick of an overtaken packet is not taken
// for the time: all that the client has would seem to be of the future, and would go.
func TestOvertakenPacketIsNotTheTime(t *testing.T) {
	w := newWorld(t, 1, rpl.AuthorityConfig{CheckEvery: -1}, netsim.Conditions{Delay: 30 * time.Millisecond}, 5)
	for _, n := range w.nodes {
		w.net.A.SetWords(n.item, n.words)
	}
	c, err := w.net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	var seq uint64
	var late []byte // the first packet, which has its tick whole
	w.net.OnPacket = func(_ rpl.Peer, n uint64, b []byte) {
		if late == nil {
			seq, late = n, slices.Clone(b)
		}
	}
	for k := range 120 {
		c.Deaf = k < 4
		w.net.Tick(nil)
	}
	c.P.Resync()
	c.P.Receive(seq, w.net.Now, late)
	for range 60 {
		w.net.Tick(nil)
	}
	if c.Log.Left > 0 {
		t.Errorf("%d nodes went, and came again: %+v", c.Log.Left, c.P.Counters())
	}
	if err := w.check(c, nil); err != nil {
		t.Error(err)
	}
}
