package main

// Memory: what a node, an item of a peer and a peer's records take of the server's heap.

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type memoryUse struct {
	Item            float64 `json:"item_bytes"`              // of each item and peer, once all is acked
	Node            float64 `json:"node_bytes"`              // of each node, beside its entity and its props
	Record          float64 `json:"record_bytes"`            // of each peer, beside its items: at rest
	RecordAfterJoin float64 `json:"record_bytes_after_join"` // the same a minute after it has joined and many nodes have gone
}

const (
	memPeers  = 8
	manyPeers = 64 // with few nodes: what else the heap does in the meantime, some 6 KB, is divided by them
	manyNodes = 10_000
	fewNodes  = 64
	minute    = 60 * hz
)

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// coreHeap is the heap of the replication core with so many nodes and peers after a
// minute, and, if emptied, a minute after all nodes have gone. Its peers have no
// transport, whose memory would be counted too.
func coreHeap(nodes, peers int, emptied bool, seed uint64) (float64, error) {
	s := rpl.NewSchema("memory")
	item := s.Item("body", reflect.TypeFor[body](), bodyTags(false))
	if err := s.Freeze(hz); err != nil {
		return 0, err
	}
	before := heap()
	n, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: hz, SendHz: hz}, seed, netsim.Conditions{Delay: oneWay})
	if err != nil {
		return 0, err
	}
	made := make([]rpl.Node, nodes)
	for i := range made {
		if made[i], err = n.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}}); err != nil {
			return 0, err
		}
		it, _ := n.A.Item(made[i], 0)
		b := body{}
		b.Pos.X, b.Pos.Y = float64(i%100), float64(i/100)
		n.A.Set(it, unsafe.Pointer(&b))
	}
	for p := range peers {
		if _, err := n.Join(rpl.Peer(p + 2)); err != nil {
			return 0, err
		}
	}
	for range minute {
		n.Tick(nil)
	}
	for _, x := range n.Clients {
		if len(x.Log.Held) < nodes {
			return 0, fmt.Errorf("a client has %d of %d nodes after a minute", len(x.Log.Held), nodes)
		}
	}
	if emptied {
		for _, id := range made {
			n.A.Remove(id)
		}
		for range minute {
			n.Tick(nil)
		}
	}
	n.Clients = nil
	after := heap()
	runtime.KeepAlive(n)
	runtime.KeepAlive(made)
	return after - before, nil
}

// memory takes differences of differences: what every peer and every node takes otherwise
// drops out.
func memory(seed uint64) (any, error) {
	var few, many, emptied [2]float64
	for i := range 2 {
		peers := 1 + i*memPeers
		var err error
		if few[i], err = coreHeap(fewNodes, 1+i*manyPeers, false, seed); err != nil {
			return nil, err
		}
		if many[i], err = coreHeap(manyNodes, peers, false, seed); err != nil {
			return nil, err
		}
		if emptied[i], err = coreHeap(manyNodes, peers, true, seed); err != nil {
			return nil, err
		}
	}
	ofFew, ofMany := (few[1]-few[0])/manyPeers, (many[1]-many[0])/memPeers
	use := memoryUse{Item: (ofMany - ofFew) / (manyNodes - fewNodes)}
	use.Record = ofFew - use.Item*fewNodes
	use.RecordAfterJoin = (emptied[1] - emptied[0]) / memPeers
	var err error
	use.Node, err = nodeBytes(seed)
	return use, err
}

// nodeBytes is what a node takes of a session without peers, beside what the same entity
// takes in a world without a session.
func nodeBytes(seed uint64) (float64, error) {
	p := newProtocol(true)
	before := heap()
	w := donburi.NewWorld()
	for range manyNodes {
		w.Create(p.body)
	}
	plain := heap() - before
	runtime.KeepAlive(w)
	w = nil
	before = heap()
	l, err := newLab(scene{nodes: manyNodes, explicit: true, seed: seed})
	if err != nil {
		return 0, err
	}
	l.step()
	after := heap() - before
	l.close()
	return (after - plain) / manyNodes, nil
}
