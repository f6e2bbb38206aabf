package rpl_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// still makes a world in which nothing changes, with one client that holds all nodes.
func still(t *testing.T, c rpl.AuthorityConfig, nodes int) *world {
	w := newWorld(t, 1, c, netsim.Conditions{Delay: 30 * time.Millisecond}, nodes)
	for _, th := range w.nodes {
		w.net.A.SetWords(th.item, th.words)
	}
	if _, err := w.net.Join(2); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		w.net.Tick(nil)
	}
	return w
}

// A checksum finds a version that differs at the client, and one keyframe repairs it.
func TestChecksumMends(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: 100 * time.Millisecond}, 5)
	c := w.net.Clients[0]
	rpl.FaultsOf(c.P).Corrupt(w.nodes[2].id, 0, 5)
	if w.check(c, nil) == nil {
		t.Fatal("nothing was corrupted")
	}
	before := w.net.A.Counters()
	for range 120 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
	}
	if n := c.P.Counters().Mismatches; n == 0 || n > 2 {
		t.Errorf("%d mismatches", n)
	}
	if after := w.net.A.Counters(); after.Keyframes != before.Keyframes+1 || after.Records != before.Records+1 {
		t.Errorf("before %+v\nafter  %+v: want one keyframe", before, after)
	}
}

// What has been answered is asked for no more, by a client that has something to send in every
// tick, too, as one with commands has.
func TestAnsweredRequestsEnd(t *testing.T) {
	type point struct {
		X, Y int32 `rpl:""`
	}
	s := rpl.NewSchema("busy")
	it := s.Item("point", reflect.TypeFor[point](), nil)
	hint := s.RPC("hint", reflect.TypeFor[uint8](), rpl.ToServer, rpl.Unreliable)
	hint.FromAnyone = true
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: 100 * time.Millisecond}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		net.Tick(nil)
	}
	id := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{it}})
	play := func(seconds int) rpl.Counters {
		for range seconds * 60 {
			if err := c.P.Call(rpl.SessionNode, hint, []byte{1}); err != nil {
				t.Fatal(err)
			}
			net.Tick(nil)
		}
		return net.A.Counters()
	}
	play(1)
	rpl.FaultsOf(c.P).Corrupt(id, 0, 0)
	before := play(2)
	if n := c.P.Counters().Mismatches; n != 1 || before.Keyframes == 0 {
		t.Fatalf("%d mismatches, %d keyframes", n, before.Keyframes)
	}
	if after := play(5); after.Records != before.Records || after.Arrivals != before.Arrivals {
		t.Errorf("%d records and %d arrivals since", after.Records-before.Records, after.Arrivals-before.Arrivals)
	}
}

// Checksums also cover the node itself: its owner, parent, name and id, and whether the
// client has it. One new arrival repairs a difference.
func TestNodesAreChecked(t *testing.T) {
	for name, fool := range map[string]func(c *rpl.Proxy, root, child rpl.Node){
		"owner":   func(c *rpl.Proxy, root, child rpl.Node) { rpl.FaultsOf(c).Give(child, 7) },
		"parent":  func(c *rpl.Proxy, root, child rpl.Node) { rpl.FaultsOf(c).Uproot(child) },
		"name":    func(c *rpl.Proxy, root, child rpl.Node) { r, _ := c.Replica(child); r.Name = "another" },
		"lacked":  func(c *rpl.Proxy, root, child rpl.Node) { rpl.FaultsOf(c).Lose(child) },
		"mistook": func(c *rpl.Proxy, root, child rpl.Node) { rpl.FaultsOf(c).Mistake(child, child+1<<40) },
	} {
		t.Run(name, func(t *testing.T) {
			w := still(t, rpl.AuthorityConfig{CheckEvery: 100 * time.Millisecond}, 3)
			c, root, child := w.net.Clients[0], w.nodes[0].id, w.nodes[1].id
			if err := w.net.A.SetParent(child, root); err != nil {
				t.Fatal(err)
			}
			w.net.A.Give(child, 2)
			for range 120 {
				w.net.Tick(nil)
			}
			right := func() error {
				if r, ok := c.P.Replica(child); !ok || r.Owner != 2 || r.Parent != root || r.Name != "" {
					return fmt.Errorf("%v is %+v", child, r)
				}
				return w.check(c, nil)
			}
			if err := right(); err != nil || c.P.Counters().Mismatches > 0 {
				t.Fatalf("before: %v, %+v", err, c.P.Counters())
			}
			before := w.net.A.Counters()
			c.Log.Fooled = true
			fool(c.P, root, child)
			for range 120 {
				w.net.Tick(nil)
			}
			if err := right(); err != nil {
				t.Fatalf("%v: %+v", err, c.P.Counters())
			}
			if n := c.P.Counters().Mismatches; n == 0 || n > 2 {
				t.Errorf("%d mismatches", n)
			}
			if n := w.net.A.Counters().Arrivals - before.Arrivals; n != 1 {
				t.Errorf("%d arrivals", n)
			}
		})
	}
}

// Checksums find a node whose items the client has wrong, and the client gets the right
// ones.
func TestItemsAreChecked(t *testing.T) {
	type point struct {
		X, Y int32 `rpl:""`
	}
	s := rpl.NewSchema("dress")
	types := []*rpl.ItemType{s.Item("diary", reflect.TypeFor[diaryItem](), nil), s.Item("point", reflect.TypeFor[point](), nil)}
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: 100 * time.Millisecond}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	var nodes [2]rpl.Node
	for i, it := range types {
		if nodes[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{it}}); err != nil {
			t.Fatal(err)
		}
	}
	ticks := func(n int) {
		for range n {
			net.Tick(nil)
		}
	}
	ticks(60)
	for i, n := range nodes {
		rpl.FaultsOf(c.P).Dress(n, nodes[1-i])
		ticks(180)
		if r, ok := c.P.Replica(n); !ok || len(r.Items) != 1 || r.Items[0] != types[i] {
			t.Errorf("%v is here: %v, %+v", n, ok, c.P.Counters())
		}
	}
	if len(c.Log.Errors) > 0 {
		t.Error(c.Log.Errors[0])
	}
}

// With CheckEvery off no check is sent; Check and CheckAll still send checks at once.
func TestCheckOnRequest(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 30)
	c := w.net.Clients[0]
	for _, th := range w.nodes {
		rpl.FaultsOf(c.P).Corrupt(th.id, 0, 5)
	}
	for range 120 {
		w.net.Tick(nil)
	}
	if n := w.net.A.Counters(); n.Checks != 0 || w.check(c, nil) == nil {
		t.Fatalf("checked though turned off: %+v", n)
	}
	w.net.A.Check(w.nodes[3].id)
	for range 60 {
		w.net.Tick(nil)
	}
	if n := w.net.A.Counters().Checks; n != 2 {
		t.Fatalf("%d checks of one row and its node", n)
	}
	w.net.A.CheckAll()
	for range 180 {
		w.net.Tick(nil)
	}
	if err := w.check(c, nil); err != nil {
		t.Fatal(err)
	}
}

// A fault that keeps coming back is repaired at most once in three seconds.
func TestChecksumsMendSlowly(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: 20 * time.Millisecond}, 1)
	c := w.net.Clients[0]
	before := w.net.A.Counters().Keyframes
	for range 300 { // five seconds
		rpl.FaultsOf(c.P).Corrupt(w.nodes[0].id, 0, 5)
		w.net.Tick(nil)
	}
	if n := w.net.A.Counters().Keyframes - before; n == 0 || n > 2 {
		t.Errorf("%d keyframes in five seconds", n)
	}
}

// A fault is repaired also when the check or its answer was lost.
func TestLostChecksAreRepeated(t *testing.T) {
	for name, cut := range map[string]func(c *rpltest.Client, off bool){
		"check":  func(c *rpltest.Client, off bool) { c.Deaf = off },
		"answer": func(c *rpltest.Client, off bool) { c.Mute = off },
	} {
		t.Run(name, func(t *testing.T) {
			w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 3)
			c := w.net.Clients[0]
			rpl.FaultsOf(c.P).Corrupt(w.nodes[1].id, 0, 5)
			w.net.A.Check(w.nodes[1].id)
			cut(c, true)
			for range 12 {
				w.net.Tick(nil)
			}
			if w.check(c, nil) == nil {
				t.Fatal("nothing was cut off")
			}
			cut(c, false)
			for range 120 {
				w.net.Tick(nil)
			}
			if err := w.check(c, nil); err != nil {
				t.Fatalf("%v: %+v %+v", err, c.P.Counters(), w.net.A.Counters())
			}
		})
	}
}

// A send without a packet computes no checksum, because that may run a game's own
// codec.
func TestChecksCodeWhatIsSent(t *testing.T) {
	type stamp struct{ n uint32 }
	type note struct {
		At stamp `rpl:""`
	}
	coded := uint64(0)
	s := rpl.NewSchema("coded")
	rpl.Register(s, rpl.Codec[stamp, stamp]{
		Name:    "stamp",
		Extract: func(v *stamp) stamp { return *v },
		Inject:  func(v *stamp, s stamp) { *v = s },
		Encode:  func(w *bits.Writer, s stamp) { coded++; w.Write(uint64(s.n), 32) },
		Decode:  func(r *bits.Reader) (stamp, error) { return stamp{uint32(r.Read(32))}, nil },
	})
	item := s.Item("note", reflect.TypeFor[note](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: 50 * time.Millisecond}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}}); err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		net.Tick(nil)
	}
	before, checks := coded, c.P.Counters().Checks
	for range 300 {
		net.Tick(nil)
	}
	if n, made := c.P.Counters().Checks-checks, coded-before; n == 0 || made > 2*n+2 {
		t.Errorf("values were coded %d times for %d checks, want once at each end", made, n)
	}
}

// Requested checks wait while the budget is spent, and are sent later.
func TestChecksAreOfTheBudget(t *testing.T) {
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60, Budget: 8 << 10, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	const nodes = 10
	var node rpl.Node
	for range nodes {
		if node, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.body}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		net.Tick(nil)
	}
	if err := net.A.Call(node, sch.call, make([]byte, rpl.MaxReliableArgs)); err != nil {
		t.Fatal(err)
	}
	net.Tick(nil) // puts the bucket some 2 KiB in debt, which takes a quarter of a second to pay
	net.A.CheckAll()
	for range 6 {
		net.Tick(nil)
	}
	if n := net.A.Counters().Checks; n != 0 {
		t.Errorf("%d checks left while there was nothing to pay them with", n)
	}
	for range 60 {
		net.Tick(nil)
	}
	if n := net.A.Counters().Checks; n != 2*nodes+1 {
		t.Errorf("%d checks, want %d of rows, and of as many nodes and the session's", n, nodes)
	}
}
