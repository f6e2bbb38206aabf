package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// traveller has two rows, each with a value of variable length.
type traveller struct {
	Pos   xy     `rpl:"step=1/8,pos,predict=Vel"`
	Vel   xy     `rpl:"step=1/8"`
	HP    uint8  `rpl:""`
	Note  string `rpl:"max=20"`
	Purse int32  `rpl:"to=owner"`
	Word  string `rpl:"to=owner,max=20"`
}

func (tr *traveller) wander(r *rand.Rand, tick rpl.Tick) {
	tr.Vel.X, tr.Vel.Y = float64(r.IntN(81)-40), float64(r.IntN(81)-40)
	tr.Pos.X, tr.Pos.Y = tr.Pos.X+float64(r.IntN(9)-4)/8, tr.Pos.Y+float64(r.IntN(9)-4)/8
	if r.IntN(20) == 0 {
		tr.Note, tr.HP = fmt.Sprint("at ", tick), uint8(r.IntN(100))
		tr.Purse, tr.Word = tr.Purse+int32(r.IntN(5)), fmt.Sprint("since ", tick)
	}
}

// A row that waits for its turn longer than it keeps versions is still sent as a delta,
// under loss and while nodes come and go, and its baseline can be checked.
func TestLongWaitsKeepTheirBases(t *testing.T) {
	t.Parallel()
	const nodes, peer, seed = 400, rpl.Peer(2), 11
	s := rpl.NewSchema("travels")
	typ := s.Item("traveller", reflect.TypeFor[traveller](), nil)
	c := rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: 6_000, CheckEvery: 50 * time.Millisecond}
	net, err := rpltest.New(c, seed, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	type one struct {
		id rpl.Node
		it rpl.Item
		traveller
	}
	all := make([]*one, nodes)
	spawn := func(i int) {
		spawn := rpl.Spawn{Items: []*rpl.ItemType{typ}}
		if i%3 == 0 {
			spawn.Owner = peer
		}
		id, err := net.A.Spawn(spawn)
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		all[i] = &one{id: id, it: it, traveller: traveller{Pos: xy{float64(8 * i), float64(-4 * i)}, Purse: int32(i)}}
	}
	for i := range all {
		spawn(i)
	}
	client, err := net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	still := false
	play := func(ticks int) {
		for range ticks {
			net.Tick(func(tick rpl.Tick) {
				for _, o := range all {
					if still {
						o.Vel = xy{}
					} else {
						o.wander(r, tick)
					}
					net.A.Set(o.it, unsafe.Pointer(&o.traveller))
				}
			})
			if !still && net.TickNumber()%120 == 0 {
				i := r.IntN(nodes)
				net.A.Remove(all[i].id)
				spawn(i)
			}
		}
	}
	play(1800)
	before, replies := net.A.Counters(), client.P.Counters()
	play(1200)
	after := net.A.Counters()
	told, keys := after.Records-before.Records-(after.Starved-before.Starved), after.Keyframes-before.Keyframes
	t.Logf("seed %d: %d rows told, each every %d ticks, %d by keyframes; %d checks", seed,
		told, 1200*nodes*4/3/told, keys, after.Checks-before.Checks)
	if waits := 1200 * nodes * 4 / 3 / told; waits < 48 {
		t.Errorf("all are told every %d ticks: nothing waits much longer than versions are remembered", waits)
	}
	if keys > told/10 {
		t.Errorf("%d of %d updates were keyframes", keys, told)
	}
	if n := client.P.Counters(); n.Refused > 0 || n.Mismatches > 0 || n.Checks == replies.Checks {
		t.Errorf("the client's counts are %+v", n)
	}

	still = true
	play(2400)
	for i, o := range all {
		rep, ok := client.P.Replica(o.id)
		if !ok {
			t.Fatalf("%v has not come", o.id)
		}
		var got traveller
		client.P.Inject(rep, 0, typ, unsafe.Pointer(&got))
		want := o.traveller
		if i%3 != 0 {
			want.Purse, want.Word = 0, ""
		}
		if got != want {
			t.Errorf("%v is %+v, want %+v", o.id, got, want)
		}
	}
}

// short has fewer words than a traveller.
type short struct {
	N int16 `rpl:""`
}

// The baselines kept for a peer are freed with their node and with the node's items.
// The handle can then name a node with other rows, and the memory is used again.
func TestBasesGoWithTheirNodes(t *testing.T) {
	const nodes, peer, seed = 200, rpl.Peer(2), 5
	s := rpl.NewSchema("travels")
	long, brief := s.Item("traveller", reflect.TypeFor[traveller](), nil), s.Item("short", reflect.TypeFor[short](), nil)
	c := rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: 5_000, CheckEvery: 50 * time.Millisecond}
	net, err := rpltest.New(c, seed, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	type one struct {
		id    rpl.Node
		it    rpl.Item
		brief bool
		traveller
		short
	}
	at := func(o *one) unsafe.Pointer {
		if o.brief {
			return unsafe.Pointer(&o.short)
		}
		return unsafe.Pointer(&o.traveller)
	}
	typ := func(o *one) *rpl.ItemType {
		if o.brief {
			return brief
		}
		return long
	}
	spawn := func(o *one) {
		if o.id, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ(o)}}); err != nil {
			t.Fatal(err)
		}
		o.it, _ = net.A.Item(o.id, 0)
	}
	turn := func(o *one) { // changes a node into one of the other kind
		old := o.it
		*o = one{id: o.id, brief: !o.brief}
		if o.it, err = net.A.AddItem(o.id, typ(o)); err != nil {
			t.Fatal(err)
		}
		if err := net.A.RemoveItem(old); err != nil {
			t.Fatal(err)
		}
	}
	r, all := rand.New(rand.NewPCG(seed, 1)), make([]one, nodes)
	play := func(ticks int, still bool) {
		for range ticks {
			net.Tick(func(tick rpl.Tick) {
				for i := range all {
					o := &all[i]
					switch o.Vel = (xy{}); {
					case still:
					case o.brief:
						o.N++
					default:
						o.wander(r, tick)
					}
					net.A.Set(o.it, at(o))
				}
			})
		}
	}
	room := 0
	for round := range 5 {
		for i := range all {
			net.A.Remove(all[i].id)
			all[i] = one{brief: (i+round)%2 == 0}
			spawn(&all[i])
		}
		play(200, false)
		for i := 0; i < nodes; i += 5 {
			turn(&all[i])
		}
		play(200, false)
		if now := rpl.Kept(net.A)[".sender.All.bases.All"]; round <= 1 {
			room = now
		} else if now > 2*room {
			t.Errorf("seed %d: after %d rounds there is room for %d bases, for %d after two", seed, round+1, now, room)
		}
	}
	if room < nodes {
		t.Errorf("seed %d: room for %d bases of %d nodes: nothing waits", seed, room, nodes)
	}
	play(1200, true)
	if n := client.P.Counters(); n.Refused > 0 || n.Mismatches > 0 || n.Checks == 0 {
		t.Errorf("seed %d: the client's counts are %+v", seed, n)
	}
	for i := range all {
		o := &all[i]
		rep, ok := client.P.Replica(o.id)
		if !ok {
			t.Fatalf("seed %d: %v has not come", seed, o.id)
		}
		got := one{id: o.id, it: o.it, brief: o.brief}
		client.P.Inject(rep, net.A.Ordinal(o.it), typ(o), at(&got))
		if o.Purse, o.Word = 0, ""; got != *o {
			t.Errorf("seed %d: it is %+v, want %+v", seed, got, *o)
		}
	}
}
