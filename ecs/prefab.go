package ecs

// Prefab: a kind of node that the same function builds on every machine.

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// None is the argument type of prefabs and RPCs that need no arguments.
type None = struct{}

// Prefab is a kind of node that the same function builds on every machine, so that local
// components, tags, layers and shapes come along, and the entities that the function
// makes part of the node by Part. The function must make no other nodes: it runs both
// where nodes are made and where they arrive.
//
// A is sent once, before the function runs. It is a basic type, a vector, a
// donburi.Entity, or a struct whose fields all have a tag, `rpl:"-"` for a field that
// only the authority needs. A may take at most 256 bytes on the wire; a string or byte
// slice alone has at most 255 bytes. A reference in A to a node that comes to a machine
// later is null on that machine, and stays so.
type Prefab[A any] struct {
	protocol *Protocol
	def      *nodes.Prefab
}

// NewPrefab declares a prefab. build makes an entity and returns it, a new one each time;
// build may be nil if every session gets its function by Build. node, at most one, says
// how the prefab's nodes are streamed, unless the function gives RplNode another value.
func NewPrefab[A any](p *Protocol, name string, build func(w donburi.World, a A) *donburi.Entry, node ...components.NodeData) *Prefab[A] {
	p.declare("prefab", name)
	p.arguments[reflect.TypeFor[A]()] = true
	def := &nodes.Prefab{Name: name, Wire: p.schema.Prefab(name, reflect.TypeFor[A]())}
	if len(node) > 0 {
		def.Node = node[0]
		p.fault(def.CheckNode(len(node)))
	}
	if build != nil {
		def.Build = nodes.FromWire(build)
	}
	p.kinds.Prefabs[def.Wire] = def
	return &Prefab[A]{protocol: p, def: def}
}

// Build replaces the function in one session, for functions that need more than the world
// (a *donburi/ecs.ECS). It panics for no function, and for a prefab of another protocol.
func (f *Prefab[A]) Build(r *Replication, build func(w donburi.World, a A) *donburi.Entry) {
	r.mustPlay(f.protocol, "prefab", f.def.Name)
	mustBeFunc("Build of prefab "+f.def.Name, build)
	r.prefabs.Replace(f.def, nodes.FromWire(build))
}

// Spawn builds a node on the authority; every machine that streams the node in builds it
// with the same A. Spawn panics on a client, in a world without a session, inside a
// prefab's function, if that function returns no new entity of w, and if a exceeds its
// tags or 256 bytes, or contains NaN or Inf: all of these are mistakes of the game.
func (f *Prefab[A]) Spawn(w donburi.World, a A) *donburi.Entry {
	return f.spawn(f.authority(Of(w), "spawned"), w, a, nil)
}

// spawn spawns a node; name, if any, is that of a predicted spawn.
func (f *Prefab[A]) spawn(r *Replication, w donburi.World, a A, name []byte) *donburi.Entry {
	args := f.arguments(r, &a, name) // as they are before the function has them
	e := f.build(r, w, &a)
	r.extract.MakeNode(e, nodes.Origin{Prefab: f.def, Args: args})
	return r.shared.World.Entry(e.Entity())
}

// build runs the prefab's function where the game asks for it.
func (f *Prefab[A]) build(r *Replication, w donburi.World, a *A) *donburi.Entry {
	b := r.prefabs.Builder(f.def)
	if b.Spawn == nil {
		panic(fmt.Sprintf("tendon: prefab %s has no function: give one to NewPrefab or to Build", f.def.Name))
	}
	e, err := r.prefabs.Run(f.def, func() (*donburi.Entry, error) { return b.Spawn(w, unsafe.Pointer(a)), nil })
	if err != nil {
		panic(fmt.Sprintf("tendon: prefab %s: %v", f.def.Name, err))
	}
	return e
}

// Predict spawns a node in a command's Apply, such as a bullet in the frame of the key. Where the command is
// predicted the entity is there at once, and the authority's node takes it over when it arrives; on the
// authority Predict is Spawn, and gives the node to the player whose command it is. key distinguishes what one
// run of the rule spawns by this prefab: on a client two with one key are one node, which is counted ("spawn
// key used twice").
//
// Until then the entity is a proxy without an id: the prefab's own command (NewCommand[None] with a rule that
// moves it) runs on it in each tick, as on the authority, and goes on afterwards. What no such command moves, or what
// the authority has given away meanwhile and the game has not asked for (see the function Predict), goes on as any
// proxy. Where a correction does not spawn it again, or the authority has refused it, it is removed by Config.Remove,
// without OnStreamIn or OnStreamOut: in the Receive that brings the state of its tick, before OnCorrection, or a round
// trip and 250 ms after its tick where packets were lost, the command was late or the budget does not pay for all
// (450 ms at 30 steps and 15 sends: it grows with the steps and sends that a loss costs).
// Only the authority may end a node: ask IsAuthority in the rule.
//
// In a correction a tick runs again while what later ticks have spawned is there: a rule that looks for such
// nodes passes over those for which Call.Saw is false.
//
// Predict panics where Spawn does, and on a client outside of a command's Apply, also with a Call that was
// kept from another tick. While 256 nodes wait for the authority's, a further one lasts one step ("spawn not
// predicted").
func (f *Prefab[A]) Predict(c Call, key int, a A) *donburi.Entry {
	r := of(c.Entry)
	c.name.Key = key
	if r == nil || r.shared.Auth != nil {
		r = f.authority(r, "predicted")
		r.checks.Spawns(f.def, c.name)
		var name []byte
		if c.name.Tick != 0 && (r.commands.foreseen || c.From != 0 && c.From != r.shared.Me) { // else it is nobody's prediction
			name = c.name.Append(nil)
		}
		e := f.spawn(r, r.shared.World, a, name)
		if n := r.nodes.Of(e.Entity()); n != nil && name != nil {
			n.Spawned = c.name.Spawned()
		}
		if c.name.Tick != 0 && c.From != 0 {
			Give(e, c.From)
		}
		return e
	}
	if c.name.Tick == 0 || c.Tick != r.commands.playing { // a Call that was kept is of no command any more
		panic(fmt.Sprintf("tendon: prefab %s is predicted on a client outside of a command's Apply: call Predict there, or Spawn on the authority", f.def.Name))
	}
	r.prefabs.MustNotRun("prefab ", f.def.Name, " is predicted")
	r.checks.Spawns(f.def, c.name)
	return r.predict.spawn(c, f.def, f.arguments(r, &a, nil), func() *donburi.Entry { return f.build(r, r.shared.World, &a) })
}

// Adopt makes a node of an entity that the game has built itself (CreateMany, a level
// loader, a pool), on the authority; the other machines build it with the prefab's
// function. Take components.RplNode away and the node ends, but the entity stays: adopted
// again, also in the same step, it is another node. In the same step the old node ends inside
// Adopt, with what the components hold then: set them to what is new afterwards.
//
// Adopt panics where Spawn does, and for an entity that has been removed. An entity that
// is a node already stays that node, and the call is counted ("node made twice").
func (f *Prefab[A]) Adopt(e *donburi.Entry, a A) {
	r := f.authority(of(e), "adopted")
	mustBeThere("what prefab "+f.def.Name+" is to adopt", e)
	r.extract.MakeNode(e, nodes.Origin{Prefab: f.def, Args: f.arguments(r, &a, nil)})
}

// arguments are what the prefab's function is given, as they are sent, and the name of a
// predicted spawn.
func (f *Prefab[A]) arguments(r *Replication, a *A, name []byte) []byte {
	args, err := f.def.Wire.Args.Append(nil, unsafe.Pointer(a), &r.nodes)
	if err != nil {
		panic(fmt.Sprintf("tendon: arguments of %v", err)) // err names the prefab
	}
	if args = append(args, name...); len(args) > rpl.MaxArgs {
		panic(fmt.Sprintf("tendon: arguments of prefab %s have %d bytes, at most %d: replicate in a component what is more", f.def.Name, len(args), rpl.MaxArgs))
	}
	return args
}

func (f *Prefab[A]) authority(r *Replication, done string) *Replication {
	if r == nil {
		panic(fmt.Sprintf("tendon: prefab %s is %s in a world without a session: call New first", f.def.Name, done))
	}
	r.prefabs.MustNotRun("prefab ", f.def.Name, " is ", done)
	if r.shared.Auth == nil {
		panic(fmt.Sprintf("tendon: prefab %s is %s on a client: only the authority makes nodes (ask rep.IsAuthority)", f.def.Name, done))
	}
	r.mustPlay(f.protocol, "prefab", f.def.Name)
	return r
}
