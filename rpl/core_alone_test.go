package rpl_test

import (
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A plain is a component outside any ECS.
type plain struct {
	X, Y float32 `rpl:"step=1/16,pos"`
	Name string  `rpl:"max=20"`
	note string
}

// pipe is a Sink that keeps what is sent. An authority and a proxy need no more of a
// transport.
type pipe struct {
	seq       uint64
	datagrams [][]byte
	seqs      []uint64
	messages  [][]byte
}

func (w *pipe) Next() (uint64, int) { w.seq++; return w.seq, rpl.PacketRoom }

func (w *pipe) Datagram(b []byte) {
	w.datagrams, w.seqs = append(w.datagrams, slices.Clone(b)), append(w.seqs, w.seq)
}

func (w *pipe) Reliable(b []byte) error {
	w.messages = append(w.messages, slices.Clone(b))
	return nil
}

// store is a game without an ECS, which keeps its components by node.
type store struct {
	proxy *rpl.Proxy
	item  *rpl.ItemType
	held  map[rpl.Node]*plain
}

func (s *store) Arrived(r *rpl.Replica) {
	p := &plain{note: "local"}
	s.proxy.Inject(r, 0, s.item, unsafe.Pointer(p))
	s.held[r.ID] = p
}
func (s *store) Loaded(*rpl.Replica)                          {}
func (s *store) ItemAdded(*rpl.Replica, int)                  {}
func (s *store) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) {}
func (s *store) Owned(*rpl.Replica, rpl.Peer)                 {}
func (s *store) Reparenting(*rpl.Replica)                     {}
func (s *store) Parented(*rpl.Replica, rpl.Node)              {}
func (s *store) Run(rpl.Call)                                 {}
func (s *store) Gone(r *rpl.Replica, _ rpl.Tick, _ bool)      { delete(s.held, r.ID) }
func (s *store) Advanced(r *rpl.Replica, ord int, t rpl.Tick) { s.Changed(r, ord, t) }

func (s *store) Changed(r *rpl.Replica, ord int, _ rpl.Tick) {
	if p := s.held[r.ID]; p != nil {
		s.proxy.Inject(r, ord, s.item, unsafe.Pointer(p))
	}
}

// An authority and a proxy stay equal without an ECS, a transport, a clock and
// goroutines.
func TestCoreAlone(t *testing.T) {
	schema := rpl.NewSchema("alone")
	item := schema.Item("plain", reflect.TypeFor[plain](), nil)
	auth, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: schema, Hz: 30})
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := rpl.NewProxy(rpl.ProxyConfig{Schema: schema, Hz: 30}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := auth.Connect(2); err != nil {
		t.Fatal(err)
	}
	there := &store{proxy: proxy, item: item, held: map[rpl.Node]*plain{}}
	here := map[rpl.Node]*plain{}
	items := map[rpl.Node]rpl.Item{}
	var down, up pipe
	for tick := rpl.Tick(1); tick <= 60; tick++ {
		now := time.Duration(tick) * time.Second / 30
		for i, b := range up.datagrams {
			if err := auth.Receive(2, up.seqs[i], now, b); err != nil {
				t.Fatal(err)
			}
		}
		up.datagrams, up.seqs = nil, nil
		auth.Step(tick)
		if tick%10 == 1 && tick < 40 {
			n, err := auth.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
			if err != nil {
				t.Fatal(err)
			}
			here[n] = &plain{X: float32(tick), Name: "made"}
			items[n], _ = auth.Item(n, 0)
		}
		for n, p := range here {
			switch {
			case tick == 45:
				auth.Remove(n)
				delete(here, n)
			case tick < 50:
				p.Y += 0.5
				p.Name = "moved"
			}
			if tick == 45 {
				break // only one node
			}
		}
		for n, p := range here {
			auth.Set(items[n], unsafe.Pointer(p))
		}
		auth.Stream(now)
		auth.Schedule(now)
		auth.Encode(2, now, &down)
		for i, b := range down.datagrams {
			proxy.Receive(down.seqs[i], now, b)
		}
		for _, b := range down.messages {
			proxy.ReceiveMessage(b)
		}
		down.datagrams, down.seqs, down.messages = nil, nil, nil
		proxy.Apply(now, there)
		proxy.Send(now, &up)
		if proxy.Newest() < tick {
			continue // nothing has arrived, so predicted values go on
		}
		for n, p := range here { // without loss and delay a change arrives in the same tick
			got := there.held[n]
			if got == nil {
				continue // the node has not arrived yet
			}
			if got.X != p.X || got.Y != p.Y || got.Name != p.Name || got.note != "local" {
				t.Fatalf("tick %d: %v is %+v there, %+v here", tick, n, *got, *p)
			}
		}
	}
	delete(there.held, rpl.SessionNode)
	if len(there.held) != len(here) || len(here) != 3 {
		t.Fatalf("%d nodes there, %d here, want 3", len(there.held), len(here))
	}
	for n := range here {
		if there.held[n] == nil {
			t.Errorf("%v is not there", n)
		}
	}
}
