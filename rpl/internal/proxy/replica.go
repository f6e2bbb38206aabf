package proxy

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Replica is a node that a proxy core holds. The adapter reads its exported fields;
// Entity alone is the adapter's to set.
type Replica struct {
	// Where its state is, in one cache line: a game asks for it in every frame.
	proxy    *Proxy
	layout   *wire.NodeLayout
	rows     rowRun
	until    ids.Tick // the tick of its removal, once it is gone
	gone     bool
	fresh    bool  // arrived in this Apply
	reported bool  // the adapter knows of it
	Reason   uint8 // why the game has removed it, once it is Gone; 0: it gave no reason (Authority.RemoveFor)

	ID     ids.Node
	Entity any
	Prefab *schema.PrefabType // nil: made from its items alone
	Args   []byte             // of the prefab
	Name   string             // of a load-time node
	Items  []*schema.ItemType // by ordinal, nil where one was removed; shared by many replicas, so read only
	Parent ids.Node           // 0: a root, or the parent is not known yet; see Orphaned
	Owner  ids.Peer
	Leapt  ids.Tick // the newest tick at which it is known to have leapt (Authority.Leap); 0: none

	handle        uint32
	gen           uint8
	marks         uint8    // markWaits, markPredicted
	kids          uint16   // number of replicas whose parent it is
	old           rowRun   // the rows before the last change of items, for late packets
	first         ids.Tick // tick of the first arrival applied
	laid          ids.Tick // tick of the first arrival with the present items
	wasLaid       ids.Tick // tick of the first arrival with the items before (old), 0 if it had no others
	born          ids.Tick // tick of the newest arrival applied
	ownershipTick ids.Tick // tick of the newest owner and parent applied
	parent        uint32   // the parent's handle, NoHandle for none
	above         *Replica // the parent that was reported to the adapter, even after that has gone
}

const (
	markWaits     = 1 << iota // it is among the proxy's orphans
	markPredicted             // see SetPredicted
)

func (r *Replica) mark(m uint8, on bool) {
	if r.marks &^= m; on {
		r.marks |= m
	}
}

// SetPredicted says whether the adapter predicts the node, and so looks at its state where all of it
// has come (Complete): then what counts is counted on although packets are missing.
func (r *Replica) SetPredicted(on bool) { r.mark(markPredicted, on) }

// Orphaned is whether the node's parent is not known, so that its place, which is relative to
// the parent, is not known either (protocol rules 18 and 20): the parent has gone before the
// node's own change of parent came, and Parent is still the old one; or the parent that the
// node was given has not come, or still stands below the node by what has come, and Parent
// is 0.
func (r *Replica) Orphaned() bool { return r.left() || r.above == nil && r.parent != wire.NoHandle }

// Known is whether the authority is known to know that this peer has the node. Before that it
// tells of the node by chance; from then on, to who predicts its own nodes (SetPredicting), in
// every packet whatever the peer may not have.
func (r *Replica) Known() bool {
	e := &r.proxy.held.handles[r.handle]
	return e.rep == r && r.proxy.in.history.base >= e.sure
}

// left is whether the parent has gone before the node's own change of parent came.
func (r *Replica) left() bool { return r.above != nil && r.above.gone }

// Gone is whether the node has been removed. The reports of that Apply still tell what it was in the end.
func (r *Replica) Gone() bool { return r.gone }

// Words appends an item's state at the newest tick received to dst, in the order of
// ItemType.Words; it returns nil if there is no such item. Predicted state is advanced
// here, on request: most of a world is read less often than packets come. A replica that
// is Gone keeps its last state until that Apply is over.
func (r *Replica) Words(ordinal int, dst []int32) []int32 {
	return r.appendWords(ordinal, dst, r.now())
}

// WordsAt is Words at another tick, or as the state was received if that is later.
func (r *Replica) WordsAt(ordinal int, t ids.Tick, dst []int32) []int32 {
	return r.appendWords(ordinal, dst, t)
}

// Confirmed appends an item's state as it was last received, not advanced, to dst, and
// returns the tick of that state too; nil if there is no such item.
func (r *Replica) Confirmed(ordinal int, dst []int32) ([]int32, ids.Tick) {
	if dst = r.appendWords(ordinal, dst, 0); dst == nil {
		return nil, 0
	}
	return dst, r.Tick(ordinal)
}

// now is the tick to which the node's state is advanced.
func (r *Replica) now() ids.Tick {
	if r.gone {
		return r.until
	}
	return r.proxy.held.newest
}

// appendWords appends an item's state at a tick, or as it was received if that is
// later.
func (r *Replica) appendWords(ordinal int, dst []int32, tick ids.Tick) []int32 {
	t := r.item(ordinal)
	if t == nil {
		return nil
	}
	at, n := len(dst), len(t.Words)
	dst = slices.Grow(dst, n)[:at+n]
	r.fill(ordinal, dst[at:], nil, tick)
	return dst
}

// item is the type of an item, nil if there is none.
func (r *Replica) item(ordinal int) *schema.ItemType {
	if ordinal < 0 || ordinal >= len(r.layout.Types) {
		return nil
	}
	return r.layout.Types[ordinal]
}

// fill writes an item's state at a tick into words and, if vars is not nil, its values
// of variable length into vars.
func (r *Replica) fill(ordinal int, words []int32, vars []any, tick ids.Tick) {
	s, l := &r.proxy.held.rows, r.layout
	for k, of := range l.Ords[:r.rows.n] {
		if of != ordinal {
			continue
		}
		i, t := r.rows.first+uint32(k), l.Rows[k]
		t.Show(words, s.at(i, tick))
		if vars == nil {
			continue
		}
		values := s.values(i)
		for k, f := range t.FromV {
			if values == nil {
				vars[f] = t.Vars[k].Type.Default()
			} else {
				vars[f] = values[k]
			}
		}
	}
}

// Vars appends an item's values of variable length to dst, in the order of ItemType.Vars, as they
// were last received; it returns nil if there is no such item.
func (r *Replica) Vars(ordinal int, dst []any) []any {
	t := r.item(ordinal)
	if t == nil {
		return nil
	}
	at, n := len(dst), len(t.Vars)
	dst = slices.Grow(dst, n)[:at+n]
	r.fill(ordinal, r.proxy.held.scratch[:len(t.Words)], dst[at:], r.now())
	return dst
}

// Has reports whether the client has what an audience sees of an item, and not the values of a
// new component in its place.
func (r *Replica) Has(ordinal int, audience ids.Audience) bool {
	for k, of := range r.layout.Ords[:r.rows.n] {
		if of == ordinal && r.layout.Rows[k].Audience == audience {
			return r.proxy.held.rows.rows[r.rows.first+uint32(k)].flags&replicaVisible != 0
		}
	}
	return false
}

// IsMoving reports whether an item's state moves on by itself until more of it comes.
func (r *Replica) IsMoving(ordinal int) bool {
	for k, of := range r.layout.Ords[:r.rows.n] {
		if of == ordinal && r.proxy.held.rows.moves(r.rows.first+uint32(k)) {
			return true
		}
	}
	return false
}

// Tick is the newest tick of which the item's state was received.
func (r *Replica) Tick(ordinal int) ids.Tick {
	t, s := ids.Tick(0), &r.proxy.held.rows
	for k, of := range r.layout.Ords[:r.rows.n] {
		if of == ordinal {
			t = max(t, s.rows[r.rows.first+uint32(k)].tick)
		}
	}
	return t
}

// PartTick is the newest tick of which what an audience sees of an item's state was received; 0 if the
// client does not have that.
func (r *Replica) PartTick(ordinal int, audience ids.Audience) ids.Tick {
	for k, of := range r.layout.Ords[:r.rows.n] {
		if of == ordinal && r.layout.Rows[k].Audience == audience {
			if row := &r.proxy.held.rows.rows[r.rows.first+uint32(k)]; row.flags&replicaVisible != 0 {
				return row.tick
			}
		}
	}
	return 0
}

// Inject writes an item's replicated fields, as they are at the newest tick received,
// into the component at p, in place. t is the component's type; if the node's item is of
// another type by now, or is gone, Inject writes nothing and ok is false.
func (c *Proxy) Inject(r *Replica, ordinal int, t *schema.ItemType, p unsafe.Pointer) (ok bool) {
	if t == nil || r.item(ordinal) != t {
		return false
	}
	words, vars := c.held.scratch[:len(t.Words)], c.held.scratchVars[:len(t.Vars)]
	r.fill(ordinal, words, vars, r.now())
	if was := c.held.written(r, ordinal, t); was == nil {
		t.Layout.Inject(p, words, vars, nil, c.cfg.Refs)
	} else {
		t.Layout.Inject(p, words, vars, was, c.cfg.Refs)
		copy(was, vars)
	}
	return true
}

// Repoint changes references in the component at p, and nothing else of it; fn is given the
// node that was told for each, as of the newest tick received.
func (c *Proxy) Repoint(r *Replica, ordinal int, t *schema.ItemType, p unsafe.Pointer, fn schema.Repoint) {
	if t == nil || !t.HasRefs || r.item(ordinal) != t {
		return
	}
	words, vars := c.held.scratch[:len(t.Words)], c.held.scratchVars[:len(t.Vars)]
	r.fill(ordinal, words, vars, r.now())
	t.Repoint(p, words, vars, fn)
}

// References appends to dst the nodes that an item refers to at the newest tick received,
// one for each reference that is not null, whether that node is held here or not.
func (c *Proxy) References(r *Replica, ordinal int, dst []ids.Node) []ids.Node {
	t := r.item(ordinal)
	if t == nil || !t.HasRefs {
		return dst
	}
	words, vars := c.held.scratch[:len(t.Words)], c.held.scratchVars[:len(t.Vars)]
	r.fill(ordinal, words, vars, r.now())
	return t.Layout.Nodes(words, vars, dst)
}
