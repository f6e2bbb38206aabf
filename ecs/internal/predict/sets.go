package predict

// sets: which components a predicted node had after each of the last ticks. Rules add and remove them, too, and
// what they do is right or wrong as what they write is. An item was there after a tick whose state is kept.

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// An Extra is a component that a rule of this machine has added, and of which the server has not told.
type Extra struct {
	Item
	Entity uint64

	newest rpl.Tick // after which it was there
}

// A Set is which components a node has and had.
type Set struct {
	Extras []*Extra
	Refit  bool // the server has given it an item, or taken one away, that was not so predicted for that tick

	kept   [Ticks]rpl.Tick // of which it is known
	newest rpl.Tick        // of them
	looks  []unsafe.Pointer
	local  []place // what is there by no rule, and is no item: not looked at
}

type place struct {
	of     *rpl.ItemType
	entity uint64
}

// Keeps notes that the state after a tick has been kept, whole.
func (s *Set) Keeps(t rpl.Tick) { s.kept[t%Ticks], s.newest = t, t }

// Kept reports whether it is known which components were there after a tick.
func (s *Set) Kept(t rpl.Tick) bool { return t > 0 && s.kept[t%Ticks] == t }

// Had reports whether an item was there after a tick, and whether that is known.
func (s *Set) Had(k *Item, t rpl.Tick) (had, known bool) {
	return k.At(t) != nil, s.Kept(t) && (t >= k.since || k.At(t) != nil)
}

// Of is the type of what is kept.
func (k *Item) Of() *rpl.ItemType { return k.of }

// Lack notes that an item was not there after a tick.
func (k *Item) Lack(t rpl.Tick) {
	if k.Ticks[t%Ticks] == t {
		k.Ticks[t%Ticks] = 0
	}
}

// Last is the newest state up to a tick, or else any; nil if none is kept.
func (k *Item) Last(t rpl.Tick) (kept unsafe.Pointer) {
	best := rpl.Tick(0)
	for i, of := range k.Ticks {
		if of > 0 && (kept == nil || of <= t && (of > best || best > t)) {
			best, kept = of, k.Ring[i]
		}
	}
	return kept
}

// Add adds an extra.
func (s *Set) Add(of *rpl.ItemType, entity uint64) {
	s.Extras = append(s.Extras, &Extra{Item: Item{of: of}, Entity: entity, newest: s.newest + 1})
}

// Has notes that an extra was there after a tick.
func (x *Extra) Has(t rpl.Tick) { x.newest = max(x.newest, t) }

// Prune forgets the extras that no correction goes back to any more.
func (s *Set) Prune(t rpl.Tick) {
	s.Extras = slices.DeleteFunc(s.Extras, func(x *Extra) bool { return x.newest+Ticks < t })
}

// IsExtra reports whether a component of an entity is an extra.
func (s *Set) IsExtra(of *rpl.ItemType, entity uint64) bool { return s.extra(of, entity) >= 0 }

func (s *Set) extra(of *rpl.ItemType, entity uint64) int {
	return slices.IndexFunc(s.Extras, func(x *Extra) bool { return x.of == of && x.Entity == entity })
}

// Adopt makes an extra the item at an ordinal, with all that is kept of it, and reports whether there was one.
func (p *Node) Adopt(ord int, of *rpl.ItemType, entity uint64) bool {
	i := p.extra(of, entity)
	if i < 0 {
		return false
	}
	*p.Item(ord, of) = p.Extras[i].Item
	p.Extras = slices.Delete(p.Extras, i, i+1)
	return true
}

// Expel makes the item at an ordinal an extra.
func (p *Node) Expel(ord int, entity uint64) {
	p.Extras = append(p.Extras, &Extra{Item: p.Items[ord], Entity: entity, newest: p.newest})
	p.Items[ord] = Item{}
}

// Looks reports whether an entity has not the same components, as a pointer says, as it had at the last look. The
// entities of a node come in order, and End after them.
func (s *Set) Looks(i int, at unsafe.Pointer) (differs bool) {
	if i < len(s.looks) && s.looks[i] == at {
		return false
	}
	for len(s.looks) <= i {
		s.looks = append(s.looks, nil)
	}
	s.looks[i] = at
	return true
}

// End: see Looks.
func (s *Set) End(entities int) (differs bool) {
	differs, s.looks = len(s.looks) > entities, s.looks[:entities]
	return differs
}

// HasLooks reports whether there was a look at the node.
func (s *Set) HasLooks() bool { return len(s.looks) > 0 }

// NoLocal forgets what is there by no rule, Local notes it, and IsLocal asks.
func (s *Set) NoLocal() { s.local = s.local[:0] }

// Local: see NoLocal.
func (s *Set) Local(of *rpl.ItemType, entity uint64) { s.local = append(s.local, place{of, entity}) }

// IsLocal: see NoLocal.
func (s *Set) IsLocal(of *rpl.ItemType, entity uint64) bool {
	return slices.Contains(s.local, place{of, entity})
}
