package ecs

// Replicate and ReplicateAs: a donburi component type becomes an item type.

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// Replicate registers a component type under its wire name and returns it. Fields are
// described by `rpl` tags, or by rpl.Tags where the type cannot be edited; a field with
// neither is local and may be of any kind. All tags are listed at [rpl.Schema.Item]. Call
// Replicate when package variables are initialised: after the first New it panics. New
// reports what is wrong with the type.
func Replicate[T any](p *Protocol, name string, c *donburi.ComponentType[T], tags ...rpl.Tags) *donburi.ComponentType[T] {
	register[T](p, name, c, reflect.TypeFor[T](), tags)
	return c
}

// ReplicateAs registers a component type by a stand-in: W is a tagged struct that get
// fills from the component and set writes back. Use it for pointers, interfaces, and
// values that the component keeps in another form than they travel in. Unexported fields
// need no stand-in: they may have tags, and those of other packages rpl.Tags.
//
// get and set must be pure. View runs set on a copy of the component, and OnChange does
// for its old value, so set must put a new value behind a pointer or into a map instead
// of changing the present one.
func ReplicateAs[T, W any](p *Protocol, name string, c *donburi.ComponentType[T],
	get func(e *donburi.Entry, c *T) W, set func(e *donburi.Entry, c *T, w W),
) *donburi.ComponentType[T] {
	r := register[T](p, name, c, reflect.TypeFor[W](), nil)
	if get == nil || set == nil {
		p.fault(fmt.Errorf("tendon: component %s has no get or no set: a stand-in needs both", name))
	}
	r.standIn = &standIn{
		shares: rpl.SharesMemory(reflect.TypeFor[T]()),
		make:   func() unsafe.Pointer { return unsafe.Pointer(new(W)) },
		get:    func(e *donburi.Entry, c, w unsafe.Pointer) { *(*W)(w) = get(e, (*T)(c)) },
		set:    func(e *donburi.Entry, c, w unsafe.Pointer) { set(e, (*T)(c), *(*W)(w)) },
	}
	return c
}

func register[T any](p *Protocol, name string, c *donburi.ComponentType[T], wire reflect.Type, tags []rpl.Tags) *component {
	p.declare("component", name)
	if c == nil {
		p.fault(fmt.Errorf("tendon: component %s is nil: give it what donburi.NewComponentType returned", name))
		return &component{}
	}
	all := rpl.Tags{}
	for _, t := range tags {
		for field, tag := range t {
			if was, twice := all[field]; twice && was != tag {
				p.fault(fmt.Errorf("tendon: component %s, field %s: it is given the tags %q and %q: give it one", name, field, was, tag))
			}
			all[field] = tag
		}
	}
	r := &component{
		name: name, c: c, wire: wire, order: len(p.kinds.components),
		item:  p.schema.Item(name, wire, all),
		copy:  func(dst, src unsafe.Pointer) { *(*T)(dst) = *(*T)(src) },
		fresh: func() unsafe.Pointer { return unsafe.Pointer(new(T)) },
	}
	if old := p.kinds.of(c); old != nil {
		p.fault(fmt.Errorf("tendon: component %s is replicated as %q and as %q: register it once", c.Name(), old.name, name))
	}
	p.kinds.add(r)
	return r
}

// kinds are a protocol's component types and prefabs, as sessions look them up.
type kinds struct {
	components []*component // in order of registration
	byType     []*component // by the number of the component type, because Bump looks it up often
	byItem     map[*rpl.ItemType]*component
	prefabs    map[*rpl.PrefabType]*prefab
}

// newKinds returns a table of nothing yet.
func newKinds() kinds {
	return kinds{byItem: map[*rpl.ItemType]*component{}, prefabs: map[*rpl.PrefabType]*prefab{}}
}

// add enters a component type.
func (ks *kinds) add(r *component) {
	ks.components = append(ks.components, r)
	if n := int(r.c.Id()); n >= len(ks.byType) {
		ks.byType = append(ks.byType, make([]*component, n+1-len(ks.byType))...)
	}
	ks.byType[r.c.Id()] = r
	ks.byItem[r.item] = r
}

// of returns the entry of a component type, nil if the type is only local.
func (ks *kinds) of(c donburi.IComponentType) *component {
	if n := int(c.Id()); n < len(ks.byType) {
		return ks.byType[n]
	}
	return nil
}

// count returns how many of these components are replicated.
func (ks *kinds) count(cs []donburi.IComponentType) (n int) {
	for _, c := range cs {
		if ks.of(c) != nil {
			n++
		}
	}
	return n
}

// A component is a replicated component type.
type component struct {
	name    string
	c       donburi.IComponentType
	wire    reflect.Type  // the tagged type: the component's own, or its stand-in's
	order   int           // of registration
	item    *rpl.ItemType // set from the start; its tables are complete once the protocol is open
	standIn *standIn      // nil: the component itself is what travels
	copy    func(dst, src unsafe.Pointer)
	fresh   func() unsafe.Pointer // room for a copy

	notify []int         // props with `notify`
	drawn  track.Fields  // fields with `interp`
	pos    []track.Field // the x and y of the node's position; nil without a `pos` prop
}

// A standIn describes the struct that travels in place of a component that cannot be
// tagged.
type standIn struct {
	shares bool // a copy of the component shares memory with it
	make   func() unsafe.Pointer
	get    func(e *donburi.Entry, component, w unsafe.Pointer)
	set    func(e *donburi.Entry, component, w unsafe.Pointer)
}

// finish fills in what is known only after the item type is compiled.
func (c *component) finish() error {
	for i := range c.item.Props {
		p := &c.item.Props[i]
		if p.Notify {
			c.notify = append(c.notify, i)
		}
		if p.Interp {
			fs, err := track.FieldsOf(c.name, c.wire, c.item, p)
			if err != nil {
				return err
			}
			c.drawn.Fields = append(c.drawn.Fields, fs...)
			c.drawn.InPlace = c.drawn.InPlace || p.InPlace
		}
	}
	if c.item.Pos[0] >= 0 {
		p := &c.item.Props[c.item.Words[c.item.Pos[0]].Prop]
		fs, err := track.FieldsOf(c.name, c.wire, c.item, p)
		if err != nil {
			return err
		}
		c.pos = fs
	}
	return nil
}
