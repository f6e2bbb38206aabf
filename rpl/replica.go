package rpl

import (
	"slices"
	"unsafe"
)

// A Replica is a node held by a proxy core. The adapter reads it; Entity is
// the adapter's own.
type Replica struct {
	// Where its state is, in one line of a cache: a game asks for it in every frame.
	proxy  *Proxy
	layout *nodeLayout
	rows   rowRun
	until  Tick // it is gone since
	gone   bool
	fresh  bool // arrived in this Apply
	told   bool // the adapter knows of it
	relaid bool // it had other items before

	ID     Node
	Entity any
	Prefab *PrefabType // nil: made from its items alone
	Args   []byte      // of the prefab
	Name   string      // of a load-time node
	Items  []*ItemType // by ordinal; nil where one was removed; many replicas share it
	Parent Node        // 0: a root, or a parent that has not been here; see Adrift
	Owner  Peer

	handle  uint32
	gen     uint8
	waits   bool     // among the proxy's orphans
	kids    uint16   // how many have it for up
	old     rowRun   // before the last change of items, for late packets
	first   Tick     // of the first arrival applied
	laid    Tick     // of the first with these items
	wasLaid Tick     // of the first with those before
	born    Tick     // of the newest arrival applied
	meta    Tick     // of the newest owner and parent applied
	parent  uint32   // the parent's handle, noHandle for none
	up      *Replica // the parent that the adapter was told of, also once that has gone
}

// Adrift is whether the parent has gone before the node's own change of parent came:
// what it hangs under is not known, and Parent is what it was (protocol rule 20).
func (r *Replica) Adrift() bool { return r.up != nil && r.up.gone }

// Words is an item's state at the newest tick received, in the order of
// ItemType.Words, appended to dst; nil if there is no such item. What drifts is
// advanced here, where somebody asks: most of a world is not looked at as often
// as packets come. After Gone the state stands still, until the Apply is over.
func (r *Replica) Words(ordinal int, dst []int32) []int32 {
	return r.appendWords(ordinal, dst, r.now())
}

// Confirmed is an item's state as it was last received, not advanced, appended
// to dst, and the tick that it is of; nil if there is no such item.
func (r *Replica) Confirmed(ordinal int, dst []int32) ([]int32, Tick) {
	if dst = r.appendWords(ordinal, dst, 0); dst == nil {
		return nil, 0
	}
	return dst, r.Tick(ordinal)
}

func (r *Replica) now() Tick {
	if r.gone {
		return r.until
	}
	return r.proxy.newest
}

// appendWords appends an item's state at a tick, or as it was received if that
// was later.
func (r *Replica) appendWords(ordinal int, dst []int32, tick Tick) []int32 {
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
func (r *Replica) item(ordinal int) *ItemType {
	if ordinal < 0 || ordinal >= len(r.layout.types) {
		return nil
	}
	return r.layout.types[ordinal]
}

// fill sets an item's words and, where vars is not nil, its values of variable
// length.
func (r *Replica) fill(ordinal int, words []int32, vars []any, tick Tick) {
	s, l := &r.proxy.rows, r.layout
	for k, of := range l.ords[:r.rows.n] {
		if of != ordinal {
			continue
		}
		i, t := r.rows.first+uint32(k), l.rows[k]
		t.show(words, s.at(i, tick))
		if vars == nil {
			continue
		}
		values := s.values(i)
		for k, f := range t.fromV {
			if values == nil {
				vars[f] = t.vars[k].Type.Default()
			} else {
				vars[f] = values[k]
			}
		}
	}
}

// Tick is the newest tick at which the item's state was received.
func (r *Replica) Tick(ordinal int) Tick {
	t, s := Tick(0), &r.proxy.rows
	for k, of := range r.layout.ords[:r.rows.n] {
		if of == ordinal {
			t = max(t, s.rows[r.rows.first+uint32(k)].tick)
		}
	}
	return t
}

// Inject writes an item's replicated fields into the component at p, in place, as they
// are at the newest tick received. The component is of type t; where the node's item is
// another one by now, or none, nothing is written, and ok is false.
func (c *Proxy) Inject(r *Replica, ordinal int, t *ItemType, p unsafe.Pointer) (ok bool) {
	if t == nil || r.item(ordinal) != t {
		return false
	}
	words, vars := c.scratch[:len(t.Words)], c.scratchVars[:len(t.Vars)]
	r.fill(ordinal, words, vars, r.now())
	if was := c.written(r, ordinal, t); was == nil {
		t.lay.inject(p, words, vars, nil, c.cfg.Refs)
	} else {
		t.lay.inject(p, words, vars, was, c.cfg.Refs)
		copy(was, vars)
	}
	return true
}

// References appends to dst the nodes that an item refers to at the newest tick received,
// held here or not: one for each reference that is not null.
func (c *Proxy) References(r *Replica, ordinal int, dst []Node) []Node {
	t := r.item(ordinal)
	if t == nil || !t.HasRefs {
		return dst
	}
	words, vars := c.scratch[:len(t.Words)], c.scratchVars[:len(t.Vars)]
	r.fill(ordinal, words, vars, r.now())
	return t.lay.nodes(words, vars, dst)
}
