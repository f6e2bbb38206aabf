package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	ageItem struct {
		Pos xy    `rpl:"step=1/8,pos"`
		N   int32 `rpl:""`
	}
	redItem struct {
		N int32 `rpl:"to=red"`
	}
	ownItem struct {
		N int32  `rpl:"to=owner"`
		S string `rpl:"max=40"`
	}
)

// A longSession is a small world in which peers, nodes, items, owners, groups and
// parents come and go.
type longSession struct {
	t     *testing.T
	r     *rand.Rand
	net   *rpltest.Net
	kinds []*rpl.ItemType
	call  *rpl.RPCType
	red   rpl.Audience
	nodes []*longNode
	peer  rpl.Peer
	joins int
	made  int
}

type longNode struct {
	id    rpl.Node
	items []rpl.Item // without the first item
	n     int32
}

func (s *longSession) spawn() {
	spawn := rpl.Spawn{Items: s.kinds[:1], Streaming: rpl.Streaming{Relevance: rpl.Relevance(s.r.IntN(4)), Keep: s.r.IntN(2) == 0}}
	if len(s.net.Clients) > 0 && s.r.IntN(2) == 0 {
		spawn.Owner = s.net.Clients[s.r.IntN(len(s.net.Clients))].Peer
	}
	id, err := s.net.A.Spawn(spawn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.made++
	s.nodes = append(s.nodes, &longNode{id: id})
	s.set(s.nodes[len(s.nodes)-1])
}

func (s *longSession) set(n *longNode) {
	n.n++
	it, _ := s.net.A.Item(n.id, 0)
	s.net.A.Set(it, unsafe.Pointer(&ageItem{Pos: xy{float64(s.r.IntN(900)), float64(s.r.IntN(900))}, N: n.n}))
	for _, it := range n.items {
		if s.net.A.Ordinal(it) == 1 {
			s.net.A.Set(it, unsafe.Pointer(&redItem{N: n.n}))
		}
	}
}

// gone removes nodes from the model that the authority no longer has.
func (s *longSession) gone() {
	s.nodes = slices.DeleteFunc(s.nodes, func(n *longNode) bool { return !s.net.A.Has(n.id) })
}

func (s *longSession) join() {
	s.peer++
	s.joins++
	c, err := s.net.Join(s.peer)
	if err != nil {
		s.t.Fatal(err)
	}
	s.net.A.Observe(c.Peer, [2]float64{float64(s.r.IntN(900)), float64(s.r.IntN(900))})
}

// operate does one random operation.
func (s *longSession) operate() {
	a := s.net.A
	if len(s.nodes) < 4 {
		s.spawn()
		return
	}
	n := s.nodes[s.r.IntN(len(s.nodes))]
	peer := s.net.Clients[s.r.IntN(len(s.net.Clients))].Peer
	switch s.r.IntN(16) {
	case 0, 1, 2:
		if len(s.nodes) < 20 {
			s.spawn()
		}
	case 3, 4:
		a.Remove(n.id)
		s.gone()
	case 5, 6:
		if len(n.items) < 2 {
			if it, err := a.AddItem(n.id, s.kinds[1+len(n.items)]); err == nil {
				n.items = append(n.items, it)
			}
		}
	case 7, 8:
		if k := len(n.items); k > 0 {
			if err := a.RemoveItem(n.items[k-1]); err != nil {
				s.t.Fatal(err)
			}
			n.items = n.items[:k-1]
		}
	case 9:
		a.SetGroup(peer, s.red, s.r.IntN(2) == 0)
	case 10:
		a.SetNodeGroup(n.id, s.red, s.r.IntN(2) == 0)
	case 11:
		a.Give(n.id, peer)
	case 12:
		_ = a.SetParent(n.id, s.nodes[s.r.IntN(len(s.nodes))].id) // an error means that the node would be below itself
	case 13:
		_ = a.SetParent(n.id, 0)
	case 14:
		_ = a.Call(n.id, s.call, make([]byte, 4))
	default:
		s.set(n)
	}
}

// play plays rounds of random operations, in which peers other than the first may join
// and leave, and then compares.
func (s *longSession) play(rounds int) {
	for i := range rounds {
		s.net.Tick(func(rpl.Tick) {
			for range 4 {
				s.operate()
			}
		})
		if s.r.IntN(8) == 0 {
			if k := len(s.net.Clients); k > 1 && (k > 3 || s.r.IntN(2) == 0) {
				s.net.Leave(s.net.Clients[1+s.r.IntN(k-1)])
				s.gone()
			} else {
				s.join()
			}
		}
		if i%50 == 0 {
			s.net.SetConditions(netsim.Conditions{Delay: time.Duration(s.r.IntN(80)) * time.Millisecond, Loss: float64(s.r.IntN(20)) / 100})
		}
		for range s.r.IntN(3) {
			s.net.Tick(nil)
		}
	}
	s.net.SetConditions(netsim.Conditions{})
	for range 5 * 60 {
		s.net.Tick(nil)
	}
	s.compare()
}

// compare checks that every client holds exactly the nodes that the authority has
// streamed in for it, with their current state.
func (s *longSession) compare() {
	for _, c := range s.net.Clients {
		if len(c.Log.Errors) > 0 {
			s.t.Fatal(c.Log.Errors[0])
		}
		held := 0
		for _, n := range s.nodes {
			if !slices.Contains(s.net.A.Holders(n.id, nil), c.Peer) {
				continue
			}
			held++
			r, ok := c.P.Replica(n.id)
			if !ok {
				s.t.Fatalf("peer %d has no %v", c.Peer, n.id)
			}
			it, _ := s.net.A.Item(n.id, 0)
			if got, want := r.Words(0, nil), s.net.A.Words(it, nil); !slices.Equal(got, want) {
				s.t.Errorf("peer %d shows %v as %d, want %d", c.Peer, n.id, got, want)
			}
		}
		if n := len(c.Log.Held) - 1; n != held {
			s.t.Errorf("peer %d has %d nodes, want %d", c.Peer, n, held)
		}
	}
}

// In a session in which hundreds of peers and thousands of nodes come and go under
// loss, all clients show the current state, and authority and proxy keep no more memory
// than in the first third of the session. Memory goes up and down, so the test compares
// the maximum of several looks. The seed is fixed.
func TestLongSessionKeepsNoMore(t *testing.T) {
	const seed = 1
	s := &longSession{t: t, r: rand.New(rand.NewPCG(seed, 1)), peer: 1}
	schema := rpl.NewSchema("long")
	s.red = schema.Group("red")
	s.kinds = []*rpl.ItemType{
		schema.Item("age", reflect.TypeFor[ageItem](), nil), schema.Item("red", reflect.TypeFor[redItem](), nil),
		schema.Item("own", reflect.TypeFor[ownItem](), nil),
	}
	s.call = schema.RPC("call", reflect.TypeFor[uint32](), rpl.Broadcast, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: schema, Hz: 60, Interest: rpl.Grid{Enter: 400, Exit: 440}}, seed, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	s.net = net
	s.join()
	const rounds, looks = 8000, 12
	first, then := s.most(rounds, looks/3), s.most(2*rounds, looks-looks/3)
	const words = "proxy.held.rows.slabs.blocks.words"
	if then[words] == 0 {
		t.Errorf("there is no %s: what is looked at has other names", words)
	}
	for at, n := range then {
		few := 256 // one row more, with its versions, takes about 50
		if at == words {
			few = 64 << 10 // blocks are allocated whole, and the length of their rows depends on loss
		}
		if before := first[at]; n > 2*before+few {
			t.Errorf("seed %d: %s has room for %d, in the first third of the session it had for %d", seed, at, n, before)
		}
	}
	t.Logf("seed %d: %d peers, %d nodes, %d ticks", seed, s.joins, s.made, net.TickNumber())
}

// most returns the largest sizes that the authority and the first peer's proxy have in
// several looks at the running session.
func (s *longSession) most(rounds, looks int) map[string]int {
	most := map[string]int{}
	for range looks {
		s.play(rounds / 3 / looks)
		for len(s.net.Clients) < 4 { // always look with the largest number of clients
			s.join()
		}
		for _, c := range s.net.Clients {
			c.Log.Calls = nil
		}
		for who, core := range map[string]any{"authority": s.net.A, "proxy": s.net.Clients[0].P} {
			for at, n := range rpl.Kept(core) {
				most[who+at] = max(most[who+at], n)
			}
		}
	}
	return most
}
