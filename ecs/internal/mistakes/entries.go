package mistakes

// entries: entries that the game keeps in components of nodes. donburi gives the place of an entity that has gone to another, and
// an entry is of the place. Who keeps one and asks Valid is told true of that other entity.

import (
	"reflect"
	"strings"

	"github.com/yohamta/donburi"
)

var entryType = reflect.TypeFor[*donburi.Entry]()

// A held is an entry in a component.
type held struct {
	by    donburi.Entity
	in    donburi.IComponentType
	entry *donburi.Entry
}

// A holding is the entity that a held entry was of, and its archetype.
type holding struct {
	entity donburi.Entity
	kind   any
}

// entries is what the components of a world's nodes hold.
type entries struct {
	world   donburi.World
	was, is map[held]holding
	holders map[reflect.Type]bool // types whose values may hold entries
}

// checkEntries finds entries that are of another entity than when they were kept, and of another kind: a rule that chooses
// anew in each step often comes to a like one in the same place.
func (ck *Checker) checkEntries() {
	k := &ck.entries
	if k.world != ck.World {
		*k = entries{ck.World, map[held]holding{}, map[held]holding{}, map[reflect.Type]bool{}}
	}
	for _, n := range ck.Nodes.Sorted() { // what is no node may hold something else than the type of its component: donburi's events do
		for _, e := range n.Entities() {
			if !ck.World.Valid(e) {
				continue
			}
			holder := ck.World.Entry(e)
			for _, c := range holder.Archetype().ComponentTypes() {
				if !k.holds(c.Typ()) || strings.HasPrefix(c.Typ().PkgPath(), "github.com/yohamta/donburi/") { // its hierarchy is not the game's to mend
					continue
				}
				k.each(reflect.NewAt(c.Typ(), holder.Component(c)).Elem(), "", func(entry *donburi.Entry, field string) {
					ck.checkEntry(held{e, c, entry}, field)
				})
			}
		}
	}
	k.was, k.is = k.is, k.was
	clear(k.is)
}

func (ck *Checker) checkEntry(h held, field string) {
	k := &ck.entries
	if h.entry == nil || h.entry.World != ck.World {
		return
	}
	was, known := k.was[h]
	if !ck.World.Valid(h.entry.Entity()) {
		if known { // its place may be taken yet
			k.is[h] = was
		}
		return
	}
	now := holding{h.entry.Entity(), h.entry.Archetype()}
	if k.is[h] = now; known && was.entity != now.entity && was.kind != now.kind {
		name := h.in.Name()
		if c := ck.Kinds.Of(h.in); c != nil {
			name = c.Name
		}
		ck.Faults.Scold("entry of another entity", name+field,
			"the *donburi.Entry there was of an entity that has gone, and is of another now, which has its place: unless a rule has just chosen that one, keep the donburi.Entity instead and ask World.Valid; Valid of an entry says true of whatever has the place")
	}
}

// each calls fn for each entry in a value whose type holds some, with the field that it is in.
func (k *entries) each(v reflect.Value, field string, fn func(entry *donburi.Entry, field string)) {
	switch v.Kind() {
	case reflect.Pointer:
		fn((*donburi.Entry)(v.UnsafePointer()), field)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			k.each(v.Index(i), field, fn)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			for _, of := range []reflect.Value{it.Key(), it.Value()} {
				if k.holds(of.Type()) {
					k.each(of, field, fn)
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); k.holds(f.Type) {
				k.each(v.Field(i), field+"."+f.Name, fn)
			}
		}
	}
}

// holds reports whether values of a type may hold entries. What other pointers lead to is left out.
func (k *entries) holds(t reflect.Type) bool {
	is, known := k.holders[t]
	if !known {
		is = mayHold(t, map[reflect.Type]bool{})
		k.holders[t] = is
	}
	return is
}

func mayHold(t reflect.Type, seen map[reflect.Type]bool) (is bool) {
	if seen[t] { // a type that holds itself
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		return t == entryType
	case reflect.Slice, reflect.Array:
		return mayHold(t.Elem(), seen)
	case reflect.Map:
		return mayHold(t.Key(), seen) || mayHold(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			is = is || mayHold(t.Field(i).Type, seen)
		}
	}
	return is
}
