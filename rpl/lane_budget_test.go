package rpl_test

// Reliable calls and state where the budget pays for less than there is to say.

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where there is more state than the budget pays for, a reliable call leaves soon all the same, however
// long it is, and so does the node that was called last, hidden and shown again: its removal waits for the
// call. The state goes on meanwhile.
func TestCallsLeaveInAnOverload(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3} {
		for _, loss := range []float64{0, 0.05} {
			for _, size := range []int{20, 150, 300, 1000, 3000} {
				t.Run(fmt.Sprintf("seed %d, loss %.2f, %d bytes", seed, loss, size), func(t *testing.T) {
					t.Parallel()
					callsInAnOverload(t, seed, loss, size)
				})
			}
		}
	}
}

// Reliable calls in every step do not hold the state back for ever, nor does it them: each has half of the
// budget, whatever a call costs.
func TestCallsAndStateShareTheBudget(t *testing.T) {
	t.Parallel()
	const steps = 1200
	for _, loss := range []float64{0, 0.05} {
		for _, size := range []int{5, 20, 60, 150, 1000} {
			t.Run(fmt.Sprintf("loss %.2f, %d bytes", loss, size), func(t *testing.T) {
				t.Parallel()
				w := newOverload(t, 1, loss, size)
				before, given := w.net.A.PeerStats(2).Bytes, w.given
				for range steps {
					if err := w.net.A.Call(w.nodes[0], w.call, w.args); err != nil {
						t.Fatal(err)
					}
					w.step()
				}
				state, calls := int(w.net.A.PeerStats(2).Bytes-before)*60/steps, (w.given-given)*60/steps
				t.Logf("seed 1: %d bytes a second of state, the oldest %d ticks old, and %d of calls", state, w.oldest, calls)
				if least := overloadBudget / 4; state < least || calls < least || state+calls > overloadBudget*21/20 {
					t.Errorf("seed 1: %d bytes a second of state and %d of calls, of %d", state, calls, overloadBudget)
				}
				if w.oldest > 120 {
					t.Errorf("seed 1: the oldest state was %d ticks old", w.oldest)
				}
			})
		}
	}
}

// overloadBudget is what an overload's peer may be sent, in bytes a second.
const overloadBudget = 6000

// An overload is a peer that is to be sent far more state than its budget pays for, and calls.
type overload struct {
	net    *rpltest.Net
	c      *rpltest.Client
	r      *rand.Rand
	call   *rpl.RPCType
	args   []byte
	nodes  []rpl.Node
	items  []rpl.Item
	tick   int
	given  int // bytes that the lane has sent
	last   int // … by the step before
	oldest int // age of the oldest state that the peer had of all nodes but the first, in ticks
}

func newOverload(t *testing.T, seed uint64, loss float64, size int) *overload {
	s := rpl.NewSchema("overload")
	type text struct {
		Text string `rpl:"max=4000"`
	}
	w := &overload{r: rand.New(rand.NewPCG(seed, 5))}
	w.call = s.RPC("call", reflect.TypeFor[text](), rpl.Broadcast, rpl.Reliable)
	body := s.Build("body").Int("a", 0, 1<<20).Int("b", 0, 1<<20).Int("when", 0, 1<<20).Done()
	var err error
	w.net, err = rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: overloadBudget}, seed, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: loss})
	if err != nil {
		t.Fatal(err)
	}
	if w.c, err = w.net.Join(2); err != nil {
		t.Fatal(err)
	}
	copies := 1
	if loss > 0 {
		copies = 2
	}
	w.net.OnMessage = func(_ rpl.Peer, b []byte) { w.given += copies*len(b) + 70 }
	for range 40 {
		n, err := w.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{body}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := w.net.A.Item(n, 0)
		w.nodes, w.items = append(w.nodes, n), append(w.items, it)
	}
	if w.args, err = w.call.Args.Append(nil, unsafe.Pointer(&text{strings.Repeat("x", size)}), nil); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		w.step()
	}
	w.oldest = 0
	return w
}

func (w *overload) step() {
	w.net.Tick(func(rpl.Tick) {
		for _, it := range w.items {
			w.net.A.SetWords(it, []int32{w.r.Int32N(1 << 20), w.r.Int32N(1 << 20), int32(w.tick)})
		}
	})
	w.net.A.Charge(2, w.given-w.last, 0)
	w.last = w.given
	w.tick++
	for _, n := range w.nodes[1:] {
		if x, ok := w.c.P.Replica(n); ok {
			w.oldest = max(w.oldest, w.tick-int(x.Words(0, nil)[2]))
		}
	}
}

func callsInAnOverload(t *testing.T, seed uint64, loss float64, size int) {
	const bucket, every, ticks = overloadBudget / 4, 240, 1920
	w := newOverload(t, seed, loss, size)
	// What a call costs, saved up from half of the budget, what a bucket holds beyond that, and the way.
	most := 60*(min(2*(size+90), bucket)*2+bucket)/overloadBudget + 20
	called, hidden, gone, late, back := 0, 0, false, 0, 0
	w.c.Log.OnRun = func(rpl.Call) { late, called = max(late, w.tick-called), 0 }
	for i := range ticks {
		var err error
		switch i % every {
		case 0:
			if called > 0 {
				t.Fatalf("seed %d: a call of tick %d has not come in tick %d", seed, called, w.tick)
			}
			called = w.tick
			err = w.net.A.Call(w.nodes[0], w.call, w.args)
		case 1:
			hidden, gone = w.tick, false
			err = w.net.A.SetShowing(2, w.nodes[0], rpl.Hidden)
		case 10:
			err = w.net.A.SetShowing(2, w.nodes[0], rpl.ByRule)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.step()
		if _, here := w.c.P.Replica(w.nodes[0]); !here {
			gone = true
		} else if gone && hidden > 0 {
			back, hidden = max(back, w.tick-hidden), 0
		}
	}
	t.Logf("seed %d: calls of %d bytes ran %d ticks later at most; who was hidden then was back %d ticks later; the oldest state was %d ticks old", seed, size, late, back, w.oldest)
	if late > most || called > 0 {
		t.Errorf("seed %d: calls of %d bytes ran %d ticks later, not %d at most", seed, size, late, most)
	}
	if back > most+60 || hidden > 0 {
		t.Errorf("seed %d: who was hidden after a call was back %d ticks later, not %d at most", seed, back, most+60)
	}
	if w.oldest > 180 {
		t.Errorf("seed %d: the oldest state was %d ticks old", seed, w.oldest)
	}
}
