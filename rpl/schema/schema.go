package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// A Schema is what both ends must agree on: items, prefabs, RPCs, groups. It
// is filled by declarations, frozen once, and from then on immutable and safe for
// concurrent use. A mistake in a declaration is reported by Freeze, with all others.
//
// Everything declared is identified by its name, on the wire too, so the order of
// declarations does not matter.
type Schema struct {
	name string
	hz   int

	mu     sync.Mutex // several sessions of one process may call Freeze at once
	frozen bool
	err    error
	hash   uint64
	digest []byte
	faults faults

	items    []*ItemType
	sources  map[*ItemType]source
	prefabs  []*PrefabType
	rpcs     []*RPCType
	groups   []string
	overfull bool // too many groups were reported
	derived  any  // what Derived computed, nil until a session asks for it

	ref    reflect.Type
	codecs map[reflect.Type]codecType

	untagged []untagged            // until all types are compiled
	compiled map[reflect.Type]bool // struct types compiled so far
}

// A source is what an item is compiled from: a Go type with tags, or a builder.
type source struct {
	typ     reflect.Type
	tags    Tags
	builder *ItemBuilder
}

// A PrefabType is a kind of node: a name and the type of its arguments.
type PrefabType struct {
	Name  string
	Index int // in the order of names
	Args  *ArgType
}

// An RPCType is a remote call: its name, where it runs, how it travels.
type RPCType struct {
	Name       string
	Index      int // in the order of names
	To         ids.Target
	Lane       ids.Lane
	Args       *ArgType
	FromAnyone bool // any client may call it on a node it does not own (the session's node)
	AnyOrder   bool // unreliable, and runs even where a newer one of the same caller on the same node has run
	Spare      bool // unreliable, and not counted where there is no room for it: a later one says the same
}

// NewSchema makes an empty schema; the name keeps different games apart.
func NewSchema(name string) *Schema {
	s := &Schema{name: name, sources: map[*ItemType]source{}, codecs: map[reflect.Type]codecType{}, compiled: map[reflect.Type]bool{}}
	s.checkName("schema", name)
	return s
}

// Name is the name that NewSchema was given.
func (s *Schema) Name() string { return s.name }

// Item declares a replicated component: a struct whose fields are tagged, by
// `rpl:"…"` or in tags, which may be nil. The type is compiled by Freeze;
// until then only its Name may be used. A field without a tag is local.
//
//	(nothing)        replicated, exactly: rpl:""
//	-                local
//	step=1/32        a float in multiples of a decimal or a fraction, rounded half away from zero,
//	                 up to 2³¹ of them from zero
//	min=, max=       bounds, to which values are clamped; a float also needs step= or bits=:
//	                 min=-1,max=1,bits=8 has 256 values, none of which is 0; with step=1/64 one is.
//	                 Beside step= a bound that is no multiple of it counts as the nearest one.
//	                 The bounds of an integer are from -2³¹ to 2³¹-1; a type that reaches
//	                 beyond that needs both. An integer without bounds is sent with all its bits
//	bits=            how many bits; of a float with min= and max= they are spread over the range
//	angle            a float that wraps at 2π; angle=360 in degrees; bits= or step=, else 12 bits
//	interp           drawn between samples; interp=inplace: in the component itself;
//	                 interp=step: without values between, for what has none (a frame, a weapon)
//	predict=Field    another field is its velocity per second: item.Field if that is in another
//	                 component; predict=Field/tick: per tick
//	tol=             how far, in the field's unit, a number may be from where its velocity has
//	                 taken it since it was last sent, without being sent again; what has not
//	                 changed for a second is sent exactly
//	pos              the node's position: on a vector, or on two numbers, the first x
//	to=              who may see it: owner, others (all but the owner), or a group
//	if=Field         while that bool field is false peers keep the last value; not for secrets
//	once             sent when a node arrives and when it is sent whole again, not when it changes
//	notify           OnChange fires
//	explicit         the whole component is checked for changes only when dirty; the tag stands
//	                 on any of its fields, or on a blank one, _ struct{}
//	max=             how long a string, bytes, a list or a map may be; required for these: at
//	                 most 65,534 bytes, or 4,096 elements
//	each=            how long the strings and lists in a list or a map may be, and keys that are
//	                 strings; without it 64 bytes, or elements
//	edge             for a bool of a command: a press, true in one tick
//	has=item         for references in arguments, not in lists and maps there: the node must
//	                 have that component, and a caller that is a client must have the node;
//	                 a null reference is refused too
//
// A struct of two floats X and Y is a vector and has one tag. Other structs, embedded ones
// too, have tags on their fields and one on themselves, at least rpl:"": without it the
// whole struct is local, and Freeze refuses tags in it unless the struct's type is
// replicated elsewhere. A tag on the struct itself (to, if, once, notify) applies to all
// its fields. In arrays, lists, maps and rpl.Opt the tag is that of the elements. NaN
// becomes 0, or the bound nearest to 0, except in a float that is sent exactly. A nil
// list or map is equal to an empty one: which of the two a proxy has depends on what it
// had before.
//
// The largest value that a field may have takes at most 65,536 bytes: of a list that is max=
// times what an element takes.
//
// A value that is too long is cut for sending: a string between two runes, a list at its
// end, a map to its lowest keys; a map entry whose key is too long is not sent. The
// authority's own value stays whole. Arguments beyond their bounds are an error of the
// call instead, and so are NaN and Inf in any float argument, even one sent exactly.
func (s *Schema) Item(name string, t reflect.Type, tags Tags) *ItemType {
	s.declare("component", name)
	it := &ItemType{Name: name}
	s.items = append(s.items, it)
	s.sources[it] = source{typ: t, tags: maps.Clone(tags)}
	return it
}

// Prefab declares a kind of node. args is the type that its function is given: a basic
// type, a vector, a reference, or a struct whose fields all have a tag; struct{} or nil
// for none.
func (s *Schema) Prefab(name string, args reflect.Type) *PrefabType {
	s.declare("prefab", name)
	p := &PrefabType{Name: name, Args: &ArgType{owner: "prefab " + name, typ: args}}
	s.prefabs = append(s.prefabs, p)
	return p
}

// RPC declares a remote call; args are as for Prefab.
func (s *Schema) RPC(name string, args reflect.Type, to ids.Target, lane ids.Lane) *RPCType {
	s.declare("rpc", name)
	if to > ids.Everywhere {
		s.faults.add("rpc %s: target %d; there are ToServer, ToOwner, Broadcast and Everywhere", name, to)
	}
	if lane > ids.Unreliable {
		s.faults.add("rpc %s: lane %d; there are Reliable and Unreliable", name, lane)
	}
	r := &RPCType{Name: name, To: to, Lane: lane, Args: &ArgType{owner: "rpc " + name, typ: args}}
	s.rpcs = append(s.rpcs, r)
	return r
}

// Group declares a group of peers, which `to=name` may mention, and returns its
// audience; declared again, it returns the same audience. The audience's number holds on
// this machine only: on the wire a group is named by its GroupIndex.
func (s *Schema) Group(name string) ids.Audience {
	if i := slices.Index(s.groups, name); i >= 0 {
		return ids.FirstGroup + ids.Audience(i)
	}
	s.declare("group", name)
	if len(s.groups) == MaxGroups {
		if !s.overfull {
			s.faults.add("group %s: a schema has at most %d groups; where there is one for each player or table, declare one and say by a function who is in it for whom", name, MaxGroups)
		}
		s.overfull = true
		return ids.FirstGroup
	}
	switch name {
	case "owner", "others", "everyone":
		s.faults.add("group %s: to=%s has a meaning already; choose another name", name, name)
	}
	if strings.ContainsRune(name, ',') || strings.TrimSpace(name) != name {
		s.faults.add("group %q: no tag can name it; choose a name without a comma, and without a space around it", name)
	}
	s.groups = append(s.groups, name)
	return ids.FirstGroup + ids.Audience(len(s.groups)-1)
}

// SetRef sets the Go type of references to entities: a 64-bit unsigned integer
// whose zero means none, such as donburi.Entity.
func (s *Schema) SetRef(t reflect.Type) {
	s.declare("reference", t.String())
	if t.Kind() != reflect.Uint64 {
		s.faults.add("reference type %v: its kind is %v; references are 64-bit unsigned", t, t.Kind())
		return
	}
	s.ref = t
}

// declare checks what every declaration has in common.
func (s *Schema) declare(kind, name string) {
	if s.frozen {
		panic(fmt.Sprintf("rpl: %s %s is declared after Freeze; declare everything before the first session, in package variables", kind, name))
	}
	s.checkName(kind, name)
}

func (s *Schema) checkName(kind, name string) {
	switch {
	case name == "":
		s.faults.add("%s: its name is empty; give it one", kind)
	case len(name) > maxName:
		s.faults.add("%s %.20s…: its name has %d bytes; use at most %d", kind, name, len(name), maxName)
	}
}

// Items returns the components in the order of their Index; valid after Freeze, as
// are Prefabs and RPCs.
func (s *Schema) Items() []*ItemType { return s.items }

// Prefabs returns the kinds of node in the order of their Index.
func (s *Schema) Prefabs() []*PrefabType { return s.prefabs }

// RPCs returns the remote calls in the order of their Index.
func (s *Schema) RPCs() []*RPCType { return s.rpcs }

// Groups returns the groups' names in the order of declaration: Groups()[i] is the
// audience FirstGroup+i.
func (s *Schema) Groups() []string { return s.groups }

// GroupIndex is how a group is named on the wire: its place in the order of
// names, or -1 for an audience that is no group.
func (s *Schema) GroupIndex(a ids.Audience) int {
	i := int(a) - int(ids.FirstGroup)
	if i < 0 || i >= len(s.groups) {
		return -1
	}
	n := 0
	for _, g := range s.groups {
		if g < s.groups[i] {
			n++
		}
	}
	return n
}

// GroupAt is the audience of a GroupIndex; ok is false if there is no such group.
func (s *Schema) GroupAt(index int) (a ids.Audience, ok bool) {
	for i := range s.groups {
		if s.GroupIndex(ids.FirstGroup+ids.Audience(i)) == index {
			return ids.FirstGroup + ids.Audience(i), true
		}
	}
	return 0, false
}

// Declares panics for a declaration of another schema, and for none at all. Every schema
// numbers its declarations from 0, so a foreign one would travel as another of this schema.
func Declares[D any](all []*D, index int, d *D, what, name string) {
	if index >= len(all) || all[index] != d {
		panic(fmt.Sprintf("rpl: %s %s is not of this schema: use what this schema's own declaration returned", what, name))
	}
}

func (s *Schema) OwnItem(t *ItemType) {
	if t == nil {
		panic("rpl: an item of no type: give it what Schema.Item returned")
	}
	Declares(s.items, t.Index, t, "component", t.Name)
}

func (s *Schema) OwnRPC(t *RPCType) {
	if t == nil {
		panic("rpl: a call of no RPC: give it what Schema.RPC returned")
	}
	Declares(s.rpcs, t.Index, t, "RPC", t.Name)
}
