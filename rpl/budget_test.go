package rpl_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Charge counts everything that a peer's reliable lane has sent against the budget, and
// a lane that has stalled is given at most as much as the bucket holds.
func TestLaneIsCharged(t *testing.T) {
	const budget, bucket, size = 8000, 2000, 100
	s := rpl.NewSchema("lane")
	type blob struct {
		Text string `rpl:"max=200"`
	}
	call := s.RPC("call", reflect.TypeFor[blob](), rpl.Broadcast, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: budget}, 1, netsim.Conditions{Delay: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	n, err := net.A.Spawn(rpl.Spawn{})
	if err != nil {
		t.Fatal(err)
	}
	given, held := 0, 0 // bytes of messages: all so far, and those still in the lane
	net.OnMessage = func(_ rpl.Peer, b []byte) { given, held = given+len(b), held+len(b) }
	args, err := call.Args.Append(nil, unsafe.Pointer(&blob{strings.Repeat("x", size)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	play := func(ticks int, lane func()) (messages int) {
		before := given
		for range ticks {
			if err := net.A.Call(n, call, args); err != nil {
				t.Fatal(err)
			}
			net.Tick(nil)
			lane()
		}
		return given - before
	}
	free := func() { net.A.Charge(2, held, 0); held = 0 }
	play(30, free)
	if got := play(60, free); got < budget*2/5 || got > 60*(size+20) {
		t.Errorf("%d bytes of calls in a second of %d", got, budget)
	}
	net.A.Charge(2, budget, 0) // the lane has repeated that many bytes
	if got := play(40, free); got > 2*size {
		t.Errorf("%d bytes of calls in the 2/3 s in which a debt of one is paid", got)
	}
	if got := play(60, free); got < budget/3 {
		t.Errorf("%d bytes of calls in the second after", got)
	}
	play(120, func() { net.A.Charge(2, 0, held) }) // the lane sends nothing
	if held > bucket {
		t.Errorf("a lane that has stalled was given %d bytes, with a bucket of %d", held, bucket)
	}
	net.A.Charge(3, 1<<30, 0) // a peer that is not connected
}
