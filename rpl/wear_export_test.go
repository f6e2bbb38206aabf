package rpl

import (
	"math"
	"reflect"
)

// What a session of months has come to, for tests that begin there.

// AgeMessages has as many reliable messages behind a peer and its proxy as a number
// says, which nothing has been said of yet.
func AgeMessages(a *Authority, c *Proxy, n uint64) {
	l := &a.byID.find(c.me).link
	l.sent, l.arrived, c.applied = n, n, uint32(n)
}

// Messages are how many a peer was sent, and how many of them it has applied.
func (a *Authority) Messages(id Peer) (sent, arrived uint64) {
	l := &a.byID.find(id).link
	return l.sent, l.arrived
}

// AgeSlot has a node that is made now be the last one of its slot.
func (a *Authority) AgeSlot() {
	slot := a.freeSlots[len(a.freeSlots)-1]
	a.nodes[slot].id = makeNode(slot, math.MaxUint32-1)
}

// AgeRows has all rows that nothing has now be some versions old.
func (a *Authority) AgeRows(head uint32) {
	for i := range a.slabs {
		for _, r := range a.slabs[i].free {
			a.rows[r].head = head
		}
	}
}

// Head is the newest version of the one row of a node.
func (a *Authority) Head(n Node) uint32 { return a.rows[a.nodes[n.Slot()].rows[0]].head }

// Layouts are how many sets of items have a number.
func (a *Authority) Layouts() int { return len(a.layouts) }

// Kept is what a core keeps: for each of its lists and maps, by where it is, for how
// many things it has room. Code tables are left out, which differ with what was said.
func Kept(core any) map[string]int {
	k := keeper{kept: map[string]int{}, seen: map[uintptr]bool{}}
	k.walk("", reflect.ValueOf(core))
	return k.kept
}

type keeper struct {
	kept map[string]int
	seen map[uintptr]bool
}

func (k *keeper) walk(at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		switch v.Type() {
		case reflect.TypeFor[*Schema](), reflect.TypeFor[*model](), reflect.TypeFor[*tableSet](), reflect.TypeFor[*learner](), reflect.TypeFor[*fitting]():
			return
		}
		if !v.IsNil() && !k.seen[v.Pointer()] {
			k.seen[v.Pointer()] = true
			k.walk(at, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "modelMsg" {
				k.walk(at+"."+name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		n := v.Len()
		if v.Kind() == reflect.Slice {
			k.kept[at] += v.Cap()
		}
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Map, reflect.Array:
			for i := range n {
				k.walk(at, v.Index(i))
			}
		}
	case reflect.Map:
		k.kept[at] += v.Len()
		for it := v.MapRange(); it.Next(); {
			k.walk(at, it.Value())
		}
	}
}
