package ecs

// Prefab: a kind of node that the same function builds on every machine.

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// None is the argument of what needs none.
type None = struct{}

// Prefab is a kind of node that the same function builds on every machine,
// so that local components, tags, layers, shapes and children come along.
// A is sent once, before the function runs: a basic type, or a struct whose
// fields all have a tag, `rpl:"-"` for what only the authority needs; at most 256
// bytes on the wire.
type Prefab[A any] struct{ def *prefab }

// NewPrefab declares a prefab. build makes the entity and returns it; nil where
// Build gives a function per session. node says how its nodes are streamed.
func NewPrefab[A any](p *Protocol, name string, build func(w donburi.World, a A) *donburi.Entry, node ...components.NodeData) *Prefab[A] {
	p.declare("prefab", name)
	def := &prefab{name: name, wire: p.schema.Prefab(name, reflect.TypeFor[A]())}
	if len(node) > 0 {
		def.node = node[0]
	}
	if build != nil {
		def.build = fromWire(build)
	}
	p.prefabs[def.wire] = def
	return &Prefab[A]{def: def}
}

// Build replaces the function in one session, for functions that need more
// than the world (a *donburi/ecs.ECS).
func (f *Prefab[A]) Build(r *Replication, build func(w donburi.World, a A) *donburi.Entry) {
	b := fromWire(build)
	r.builds[f.def] = &b
}

// Spawn builds a node on the authority, and with the same A on every machine
// that streams it in. It panics on a proxy, in a world without a session, and
// where a is more than its tags or 256 bytes allow: all of them mistakes of the
// game.
func (f *Prefab[A]) Spawn(w donburi.World, a A) *donburi.Entry {
	r := f.def.authority(Of(w), "spawned")
	b := r.builder(f.def)
	if b.spawn == nil {
		panic(fmt.Sprintf("tendon: prefab %s has no function: give one to NewPrefab or to Build", f.def.name))
	}
	e := b.spawn(w, unsafe.Pointer(&a))
	if e == nil || !sameWorld(e, w) || !e.Valid() {
		panic(fmt.Sprintf("tendon: prefab %s has built no entity of the world that it was given", f.def.name))
	}
	f.Adopt(e, a)
	return r.world.Entry(e.Entity())
}

// Adopt makes a node of an entity that the game has built itself (CreateMany,
// a level loader), on the authority; elsewhere the prefab's function builds it.
// It panics where Spawn does.
func (f *Prefab[A]) Adopt(e *donburi.Entry, a A) {
	r := f.def.authority(of(e), "adopted")
	args, err := f.def.wire.Args.Append(nil, unsafe.Pointer(&a), r.refs())
	if err != nil {
		panic(fmt.Sprintf("tendon: arguments of prefab %s: %v", f.def.name, err))
	}
	if len(args) > rpl.MaxArgs {
		panic(fmt.Sprintf("tendon: arguments of prefab %s have %d bytes, at most %d: replicate in a component what is more", f.def.name, len(args), rpl.MaxArgs))
	}
	r.makeNode(e, origin{prefab: f.def, args: args})
}

// A prefab is a Prefab without its type parameter.
type prefab struct {
	name  string
	wire  *rpl.PrefabType
	node  components.NodeData
	build builder
}

// A builder is a prefab's function, given the authority's own arguments or
// those that came by wire.
type builder struct {
	spawn func(w donburi.World, a unsafe.Pointer) *donburi.Entry
	parse func(w donburi.World, t *rpl.ArgType, args []byte, refs rpl.Refs) (*donburi.Entry, error)
}

func fromWire[A any](build func(w donburi.World, a A) *donburi.Entry) builder {
	return builder{
		spawn: func(w donburi.World, a unsafe.Pointer) *donburi.Entry { return build(w, *(*A)(a)) },
		parse: func(w donburi.World, t *rpl.ArgType, args []byte, refs rpl.Refs) (*donburi.Entry, error) {
			a := new(A)
			if err := t.Parse(args, unsafe.Pointer(a), refs); err != nil {
				return nil, err
			}
			return build(w, *a), nil
		},
	}
}

func (r *Replication) builder(f *prefab) *builder {
	if b := r.builds[f]; b != nil {
		return b
	}
	return &f.build
}

func (f *prefab) authority(r *Replication, done string) *Replication {
	switch {
	case r == nil:
		panic(fmt.Sprintf("tendon: prefab %s is %s in a world without a session: call New first", f.name, done))
	case r.auth == nil:
		panic(fmt.Sprintf("tendon: prefab %s is %s on a client: only the authority makes nodes (ask rep.IsAuthority)", f.name, done))
	}
	return r
}
