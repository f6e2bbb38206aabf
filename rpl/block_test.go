package rpl_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A diaryItem can be longer than a packet, and Text is for its owner alone.
type diaryItem struct {
	Title []byte `rpl:"max=4000"`
	Text  []byte `rpl:"to=owner,max=4000"`
}

// When a peer loses the right to a block that waits for its full lane, the block is not
// sent, and the state that the peer may still see is sent again.
func TestBlocksOfLostRights(t *testing.T) {
	const owner, other = 2, 3
	for name, c := range map[string]struct {
		arrives   bool // the block is the node's arrival
		relevance rpl.Relevance
		lose      func(a *rpl.Authority, n rpl.Node)
		stays     bool // the former owner still holds the node
	}{
		"an arrival, given away": {true, rpl.Always, func(a *rpl.Authority, n rpl.Node) { a.Give(n, other) }, true},
		"an update, given away":  {false, rpl.Always, func(a *rpl.Authority, n rpl.Node) { a.Give(n, other) }, true},
		"an arrival, gone":       {true, rpl.OwnerOnly, func(a *rpl.Authority, n rpl.Node) { a.Give(n, other) }, false},
		"an update, gone":        {false, rpl.OwnerOnly, func(a *rpl.Authority, n rpl.Node) { a.Give(n, other) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := rpl.NewSchema("diary")
			diary := s.Item("diary", reflect.TypeFor[diaryItem](), nil)
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
			if err != nil {
				t.Fatal(err)
			}
			reader, err := net.Join(owner)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := net.Join(other); err != nil {
				t.Fatal(err)
			}
			said := diaryItem{Title: noise(1, 2000), Text: noise(2, 2000)}
			var node rpl.Node
			spawn := func() {
				id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{diary}, Owner: owner, Streaming: rpl.Streaming{Relevance: c.relevance}})
				if err != nil {
					t.Fatal(err)
				}
				node = id
			}
			write := func() {
				it, _ := net.A.Item(node, 0)
				net.A.Set(it, unsafe.Pointer(&said))
			}
			ticks := func(n int) {
				for range n {
					net.Tick(nil)
				}
			}
			ticks(10)
			if !c.arrives {
				spawn()
				ticks(10)
			}
			leaked := false
			net.OnDatagram = func(to rpl.Peer, b []byte) {
				leaked = leaked || to == owner && holds(b, said.Text[:64])
			}
			reader.Clogged = true
			if c.arrives {
				spawn()
			}
			write()
			ticks(5)
			if b := net.A.Backlog(owner); b.Ready == 0 || b.Blocks == 0 {
				t.Fatalf("no block waits: %+v", b)
			}
			c.lose(net.A, node)
			ticks(5)
			reader.Clogged = false
			ticks(20)
			if leaked {
				t.Error("its former owner was sent what it may not see any more")
			}
			var got diaryItem
			r, here := reader.P.Replica(node)
			if here {
				reader.P.Inject(r, 0, diary, unsafe.Pointer(&got))
			}
			if here != c.stays || here && !bytes.Equal(got.Title, said.Title) || len(got.Text) > 0 {
				t.Errorf("it is here: %v, with a title of %d bytes and a text of %d", here, len(got.Title), len(got.Text))
			}
			if b := net.A.Backlog(owner); b.Ready+b.Blocks > 0 {
				t.Errorf("still to be told: %+v", b)
			}
			if len(reader.Log.Errors) > 0 {
				t.Error(reader.Log.Errors[0])
			}
		})
	}
}

// A change that is too long for a packet goes once, where packets are lost too: the reliable lane repeats what
// is lost of it. Copies of it, as of short changes, would each be all of it once more.
func TestLongChangesAreNotCopied(t *testing.T) {
	s := rpl.NewSchema("diary")
	diary := s.Item("diary", reflect.TypeFor[diaryItem](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 75 * time.Millisecond, Loss: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	node, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{diary}, Streaming: rpl.Streaming{Relevance: rpl.Always}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(node, 0)
	ticks := func(n int) {
		for range n {
			net.Tick(nil)
		}
	}
	ticks(300)
	before, said := net.A.Counters().Blocks, diaryItem{}
	const changes = 10
	for i := range changes {
		said.Title = noise(uint64(i+1), 3000)
		net.A.Set(it, unsafe.Pointer(&said))
		ticks(120)
		var got diaryItem
		if r, here := reader.P.Replica(node); here {
			reader.P.Inject(r, 0, diary, unsafe.Pointer(&got))
		}
		if !bytes.Equal(got.Title, said.Title) {
			t.Errorf("change %d is not there after two seconds", i)
		}
	}
	if blocks := net.A.Counters().Blocks - before; blocks > changes {
		t.Errorf("%d changes left in %d blocks", changes, blocks)
	}
}

// holds reports whether a message contains some bytes, beginning at any bit.
func holds(message, some []byte) bool {
	for shift := range 8 {
		var b []byte
		for i := range len(message) - 1 {
			b = append(b, message[i]>>shift|byte(uint16(message[i+1])<<(8-shift)))
		}
		if bytes.Contains(b, some) {
			return true
		}
	}
	return false
}
