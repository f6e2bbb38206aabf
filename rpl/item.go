package rpl

import "unsafe"

// This file is the seam between the schema, which compiles Go types into
// tables, and the stream, which sees nothing of Go types: an item is a row of
// int32 words (its quantised fields) and of immutable variable-length values.

// A Word is one quantised field (or half of a 64-bit one) of an item.
type Word struct {
	Prop int // index in ItemType.Props

	// Min and Max bound the values, inclusive: a decoder refuses others.
	// math.MinInt32 and math.MaxInt32 mean unbounded, with wrapping deltas.
	Min, Max int32

	// Wrap makes arithmetic modulo Max-Min+1 (angles): Max+1 is Min.
	Wrap bool

	// Velocity is the index (in ItemType.Words) of the word that predicts this
	// one, or -1. After n ticks the word is expected to have grown by
	// n × velocity × Rate / 2³².
	Velocity int
	Rate     int64

	// VelocityItem names the item of the same node whose word VelocityWord
	// predicts this one (`predict=item.Field`), at Rate as above; Velocity is -1
	// then. Empty without one.
	VelocityItem string
	VelocityWord int

	// Tol is how far the value may be from its prediction without being sent.
	Tol int32

	Default int32 // the value that an arrival is coded against

	raw bool // the bits of a float: differences say nothing
}

// A VarType is a kind of variable-length prop: a string, bytes, a list, a map,
// a user's codec. Values are immutable once extracted, so snapshots share them.
type VarType interface {
	// Extract reads the value at p. It returns old itself when nothing differs.
	Extract(p unsafe.Pointer, old any, refs Refs) any
	// Inject writes v to p, in place: what is local in kept elements survives.
	Inject(p unsafe.Pointer, v any, refs Refs)
	// Clear has the value at p share nothing with another that it was copied from.
	Clear(p unsafe.Pointer)
	Equal(a, b any) bool
	// Append writes the whole value; Parse reads it or refuses.
	Append(b []byte, v any) []byte
	Parse(b []byte) (any, error)
	// AppendDelta writes what turns base into v; ParseDelta does it or refuses.
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

// A Part is the props of an item that one audience may see: the unit of
// version and ack.
type Part struct {
	Audience Audience
	Words    []int // indices in ItemType.Words, ascending
	Vars     []int // indices in ItemType.Vars, ascending
}

// A Prop is one replicated field, for people: errors, traces, documentation.
type Prop struct {
	Name     string // as in Go, nested with dots
	Kind     string // "float", "angle", "list", …
	Tag      string // canonical tag; part of the schema hash
	Audience Audience
	Notify   bool   // OnChange fires
	Interp   bool   // drawn between samples
	InPlace  bool   // … and written into the component while drawing
	Once     bool   // sent in keyframes only
	If       int    // word index of the bool that must be true for it to be sent, or -1
	Words    [2]int // first word and one past the last, in ItemType.Words
	Vars     [2]int // the same in ItemType.Vars
	// Offset is where the field begins in the component, 0 for a built type.
	Offset uintptr
	// Present is the word index of the presence of the rpl.Opt that the prop is
	// the value of, or -1: at 0 the prop's words say nothing.
	Present int
	// Step is the unit of the first word: value = word × Step (+ Bias).
	Step, Bias float64
}

// An ItemType is one replicated component type, compiled: one table that
// drives extract, inject, compare, encode, decode, trace, hash, documentation.
// It is immutable and safe for concurrent use.
type ItemType struct {
	Name     string
	Index    int     // in the schema's order of names; set by Schema.Freeze
	Size     uintptr // of the Go struct; 0 for a built type (words only)
	Props    []Prop
	Words    []Word
	Vars     []Var
	Parts    []Part // at least one; the first is everyone's if any prop is
	Explicit bool   // looked at only when bumped

	// Pos are the words of the `pos` prop, -1 without one; PosStep their unit.
	Pos     [2]int
	PosStep float64

	// HasRefs is true where a reference to a node stands anywhere in the item:
	// what it resolves to changes as nodes come and go.
	HasRefs bool

	lay        layout      // the compiled type
	ranges     []byteRange // of the struct, what a shadow compares
	shadowSize int
	entities   []uintptr // offsets of references in the struct
}

// Refs translates references between the game's entities and nodes while a
// component is extracted or injected. The adapter gives it; nil means that
// every reference is null.
type Refs interface {
	// NodeOf is the node of an entity, 0 where there is none.
	NodeOf(entity uint64) Node
	// EntityOf is the entity of a node held here, 0 where there is none.
	EntityOf(n Node) uint64
}
