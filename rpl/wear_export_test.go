package rpl

import (
	"math"
	"reflect"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Helpers that give a session the counters of one that has run for months.

// AgeMessages sets the number of reliable messages that a peer was sent and its proxy
// has applied. No packet has reported them yet.
func AgeMessages(a *Authority, c *proxy.Proxy, n uint64) {
	p := a.sender.ByID.Find(FaultsOf(c).Me())
	p.RPC.Ready.Sent, p.Link.Arrived = n, n
	FaultsOf(c).SetApplied(uint32(n))
}

// Messages returns how many reliable messages a peer was sent, and how many of them it
// is known to have applied.
func (a *Authority) Messages(id ids.Peer) (sent, arrived uint64) {
	p := a.sender.ByID.Find(id)
	return p.RPC.Ready.Sent, p.Link.Arrived
}

// AgeSlot makes the next node the last one of its slot.
func (a *Authority) AgeSlot() {
	slot := a.store.FreeSlots[len(a.store.FreeSlots)-1]
	a.store.Nodes[slot].ID = ids.MakeNode(slot, math.MaxUint32-1)
}

// AgeRows sets the newest version of all free rows.
func (a *Authority) AgeRows(head uint32) {
	for i := range a.store.Slabs {
		for _, r := range a.store.Slabs[i].Free {
			a.store.Rows[r].Head = head
		}
	}
}

// Head returns the newest version of a node's first row.
func (a *Authority) Head(n ids.Node) uint32 {
	return a.store.Rows[a.store.Nodes[n.Slot()].Rows()[0]].Head
}

// Layouts returns how many sets of items have a layout number.
func (a *Authority) Layouts() int { return len(a.store.Layouts.ByKey) }

// Kept returns, by field path, the capacities of all slices and the lengths of all maps
// of an authority or a proxy. It leaves out code tables, whose size depends on what was
// sent.
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
		case reflect.TypeFor[*schema.Schema](), reflect.TypeFor[*coder.Model](), reflect.TypeFor[*coder.TableSet](), reflect.TypeFor[*coder.Learner](), reflect.TypeFor[*coder.Fitting]():
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
