package schema

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// This file is the seam between the schema, which compiles Go types into tables, and
// the stream, which knows nothing of Go types. To the stream an item is int32 words
// (its quantised fields) and immutable variable-length values.

// A Word is one quantised field (or half of a 64-bit one) of an item.
type Word struct {
	Prop int // index in ItemType.Props

	// Min and Max are the inclusive bounds of the value; a decoder refuses others.
	// math.MinInt32 and math.MaxInt32 mean unbounded, with wrapping deltas.
	Min, Max int32

	// Wrap makes arithmetic modulo Max-Min+1 (angles): Max+1 is Min.
	Wrap bool

	// Velocity is the index in ItemType.Words of the word by which this one is
	// predicted, or -1. In n ticks this word is expected to grow by n × velocity × Rate
	// / 2³².
	Velocity int
	Rate     int64

	// VelocityItem names another item of the same node, whose word VelocityWord
	// predicts this one at Rate (`predict=item.Field`). Velocity is then -1. It is
	// empty if there is none.
	VelocityItem string
	VelocityWord int

	// Tol is how far, in steps, the value may be from what peers take it to be (`tol=`): what
	// predict=, or an inferred velocity, makes of what they were told last. Within it nothing is
	// told, until the value has not changed for a second.
	Tol int32

	Default int32 // of a new item; arrivals are coded against it unless learned tables say otherwise

	Raw bool // the bits of a float, whose differences say nothing

	// For people (dump.go): the word is the lower half of a 64-bit value, the next one its
	// upper half; the value has no sign.
	Wide, Unsigned bool
}

// A VarType is a kind of variable-length prop: a string, bytes, a list, a map, a user's
// codec. A value is immutable once extracted, so snapshots share it.
type VarType interface {
	// Extract reads the value at p. It returns old itself if nothing differs.
	Extract(p unsafe.Pointer, old any, refs Refs) any
	// Inject writes v to p in place: local fields of elements that stay keep their
	// values.
	Inject(p unsafe.Pointer, v any, refs Refs)
	// Clear makes the value at p share no memory with the value it was copied from.
	Clear(p unsafe.Pointer)
	Equal(a, b any) bool
	// Near is Equal but for the rounding of numbers, of one quantiser step in each.
	Near(a, b any) bool
	// Append writes the whole value. Parse reads it, or returns an error.
	Append(b []byte, v any) []byte
	Parse(b []byte) (any, error)
	// AppendDelta writes what turns base into v. ParseDelta applies that to base, or
	// returns an error.
	AppendDelta(b []byte, base, v any) []byte
	ParseDelta(b []byte, base any) (any, error)
	// Default is the value of a zero component.
	Default() any
}

// A Var is one variable-length prop of an item.
type Var struct {
	Prop   int
	Offset uintptr // of the field in the component
	Type   VarType
}

// A Part is the props of an item that one audience may see. It is the unit of version
// and ack.
type Part struct {
	Audience ids.Audience
	Words    []int // indices in ItemType.Words, ascending
	Vars     []int // indices in ItemType.Vars, ascending
}

// A Prop describes one replicated field to people, in errors, traces and documentation.
type Prop struct {
	Name     string // as in Go, nested with dots
	Kind     string // "float", "angle", "list", …
	Tag      string // in canonical form; part of the schema hash
	Audience ids.Audience
	Notify   bool   // a change fires OnChange
	Interp   bool   // drawn between samples
	InPlace  bool   // … and written into the component while drawing
	Steps    bool   // … but takes its next value at once when drawn time reaches it
	Once     bool   // sent in keyframes only
	If       int    // word index of the bool that must be true for the prop to be sent, or -1
	Words    [2]int // first word and one past the last, in ItemType.Words
	Vars     [2]int // the same in ItemType.Vars
	// Offset is where the field begins in the component; 0 for a type made by the
	// builder.
	Offset uintptr
	// Present is the word index of the presence flag of the rpl.Opt whose value the
	// prop is, or -1. While that word is 0 the prop's words mean nothing.
	Present int
	// Step is the unit of the first word: value = word × Step (+ Bias).
	Step, Bias float64
}

// KindReference begins the Kind of a prop that is an entity, or several.
const KindReference = "reference"

// An ItemType is one compiled replicated component type: one table that drives extract,
// inject, compare, encode, decode, trace, hash and documentation. It is immutable and
// safe for concurrent use.
type ItemType struct {
	Name     string
	Index    int     // place in the schema's order of names; set by Schema.Freeze
	Size     uintptr // of the Go struct; 0 for a type made by the builder (words only)
	Props    []Prop
	Words    []Word
	Vars     []Var
	Parts    []Part // at least one; if any prop is for everyone, its part is the first
	Explicit bool   // its components are read only when dirty

	// Pos are the words of the `pos` prop, -1 if there is none; PosStep is their unit.
	Pos     [2]int
	PosStep float64

	// HasRefs is true if the item contains a reference to a node: what it resolves to
	// changes as nodes come and go.
	HasRefs bool

	// Commanded is set by the adapter, before the first session: commands move nodes with such
	// an item, and the owner of one predicts it.
	Commanded bool

	// Reckoned is set before Freeze: a Reckoner moves the item, on every machine, and the
	// authority tells only what is otherwise by more than its tolerance.
	Reckoned bool

	Layout     fieldLayout // the compiled type
	ranges     []byteRange // of the struct: what its shadow is compared by
	ShadowSize int         // bytes of a shadow
	entities   []uintptr   // offsets of references in the struct
}

// A Reckoner moves reckoned items (ItemType.Reckoned) by functions of the game. The adapter
// implements it, on the authority and on its proxies.
type Reckoner interface {
	// Reckon turns words, those of an item as was told of a node for tick from, into those of
	// tick to, which is later. Equal arguments must give equal words on every machine, but for
	// what tolerances forgive.
	Reckon(n ids.Node, t *ItemType, words []int32, from, to ids.Tick)
}

// Refs translates references between the game's entities and nodes while a component is
// extracted or injected. The adapter implements it; with nil every reference is null.
type Refs interface {
	// NodeOf returns the node of an entity, 0 if it has none.
	NodeOf(entity uint64) ids.Node
	// EntityOf returns the entity of a node that this machine holds, 0 if there is
	// none.
	EntityOf(n ids.Node) uint64
}
