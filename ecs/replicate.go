package ecs

// Replicate and ReplicateAs: a donburi component type becomes an item type.

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/deep"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Replicate registers a component type under its wire name and returns it. Fields are
// described by `rpl` tags, or by rpl.Tags where the type cannot be edited; a field with
// neither is local and may be of any kind. All tags are listed in package rpl/schema, at
// Schema.Item. Call Replicate when package variables are initialised: after the first New it
// panics. New reports what is wrong with the type.
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
	r.StandIn = &nodes.StandIn{
		Shares: rpl.SharesMemory(reflect.TypeFor[T]()),
		Make:   func() unsafe.Pointer { return unsafe.Pointer(new(W)) },
		Get:    func(e *donburi.Entry, c, w unsafe.Pointer) { *(*W)(w) = get(e, (*T)(c)) },
		Set:    func(e *donburi.Entry, c, w unsafe.Pointer) { set(e, (*T)(c), *(*W)(w)) },
	}
	return c
}

// Reckon declares a function that moves a component on every machine that has it, and returns the component.
// step takes the component from one tick to the next, t, by its tagged fields, the tick and what all machines
// have alike, such as the map or nodes that stay as they are, and changes nothing else. In the game's own
// step the authority calls the same rule, or another.
//
// The authority sends the component only when it differs, by more than a field's `tol=` (or one step of a
// fractional field without), from what step has made of what was sent last, or after 30 s of motion; and
// exactly once it has not changed for a second, when step does not run any more. The component has plain
// numbers only. Like Replicate, Reckon is for package variables.
func Reckon[T any](p *Protocol, c *donburi.ComponentType[T], step func(w donburi.World, t rpl.Tick, c *T)) *donburi.ComponentType[T] {
	p.declare("function", "Reckon")
	var k *nodes.Component
	if c != nil {
		k = p.kinds.Of(c)
	}
	if k == nil || k.StandIn != nil || step == nil {
		p.fault(errors.New("tendon: Reckon needs a component that Replicate returned, without a stand-in, and a function"))
		return c
	}
	k.Item.Reckoned = true
	k.Reckon = func(w donburi.World, t rpl.Tick, p unsafe.Pointer) { step(w, t, (*T)(p)) }
	return c
}

func register[T any](p *Protocol, name string, c *donburi.ComponentType[T], wire reflect.Type, tags []rpl.Tags) *nodes.Component {
	p.declare("component", name)
	if c == nil {
		p.fault(fmt.Errorf("tendon: component %s is nil: give it what donburi.NewComponentType returned", name))
		return &nodes.Component{}
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
	r := &nodes.Component{
		Name: name, Type: c, Wire: wire, Order: len(p.kinds.Components),
		Item:  p.schema.Item(name, wire, all),
		Copy:  func(dst, src unsafe.Pointer) { *(*T)(dst) = *(*T)(src) },
		Fresh: func() unsafe.Pointer { return unsafe.Pointer(new(T)) },
		Lists: deep.Of(reflect.TypeFor[T]()),
	}
	if old := p.kinds.Of(c); old != nil {
		p.fault(fmt.Errorf("tendon: component %s is replicated as %q and as %q: register it once", c.Name(), old.Name, name))
	}
	p.kinds.Add(r)
	return r
}
