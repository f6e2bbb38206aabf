package rpl

import (
	"reflect"
	"unsafe"
)

// DRAFT of the schema's seam: signatures here are what to code against; the
// bodies come.

type (
	Schema      struct{}
	ItemBuilder struct{}
	op          struct{}
	byteRange   struct{}
)

// A PrefabType is a kind of node: a name and the type of its arguments.
type PrefabType struct {
	Name  string
	Index int // in the order of names
	Args  *ArgType
}

// An RPCType is a remote call: its name, where it runs, how it travels.
type RPCType struct {
	Name       string
	Index      int
	To         Target
	Lane       Lane
	Args       *ArgType
	FromAnyone bool // any client may call it on a node it does not own (the session's node)
}

// An ArgType is the compiled type of prefab or RPC arguments: a basic type or
// a struct whose fields all have a tag.
type ArgType struct{}

// Append encodes the arguments at p; an error names what is out of bounds.
func (t *ArgType) Append(b []byte, p unsafe.Pointer, refs Refs) ([]byte, error) { panic("draft") }

// Parse decodes into the zero value at p, or refuses.
func (t *ArgType) Parse(b []byte, p unsafe.Pointer, refs Refs) error { panic("draft") }

func NewSchema(name string) *Schema                                                 { panic("draft") }
func (s *Schema) Item(name string, t reflect.Type, tags Tags) *ItemType             { panic("draft") }
func (s *Schema) Build(name string) *ItemBuilder                                    { panic("draft") }
func (s *Schema) Prefab(name string, args reflect.Type) *PrefabType                 { panic("draft") }
func (s *Schema) RPC(name string, args reflect.Type, to Target, lane Lane) *RPCType { panic("draft") }
func (s *Schema) Group(name string) Audience                                        { panic("draft") }
func (s *Schema) SetRef(t reflect.Type)                                             { panic("draft") }
func (s *Schema) Freeze(hz int) error                                               { panic("draft") }
func (s *Schema) Hash() uint64                                                      { panic("draft") }
func (s *Schema) Digest() []byte                                                    { panic("draft") }
func (s *Schema) Explain(digest []byte) string                                      { panic("draft") }
func (s *Schema) Items() []*ItemType                                                { panic("draft") }
func (s *Schema) Prefabs() []*PrefabType                                            { panic("draft") }
func (s *Schema) RPCs() []*RPCType                                                  { panic("draft") }
func (s *Schema) Groups() []string                                                  { panic("draft") }

// Set names a component's bytes; see the doc of Item for what compiles.

// Extract quantises the component at p into words (len(t.Words)) and vars.
func (t *ItemType) Extract(p unsafe.Pointer, words []int32, vars []any, refs Refs) { panic("draft") }

// Inject writes words and vars into the component at p, in place.
func (t *ItemType) Inject(p unsafe.Pointer, words []int32, vars []any, refs Refs) { panic("draft") }

// ShadowSize is the bytes that a shadow of the component takes.
func (t *ItemType) ShadowSize() int { panic("draft") }

// Same reports whether the component's replicated bytes equal the shadow, and
// makes the shadow equal where they differ. Items with Vars that hold pointers
// (strings, slices, maps) are never Same by bytes alone.
func (t *ItemType) Same(p unsafe.Pointer, shadow []byte) bool { panic("draft") }

// The builder: an item of words alone, for traces and tools; each call adds a prop.
func (b *ItemBuilder) Int(name string, min, max int32) *ItemBuilder               { panic("draft") }
func (b *ItemBuilder) Angle(name string, min, max int32) *ItemBuilder             { panic("draft") } // max+1 means min
func (b *ItemBuilder) Pos(x, y string) *ItemBuilder                               { panic("draft") } // the two named ints are where the node is
func (b *ItemBuilder) Predict(name, velocity string, perSecond bool) *ItemBuilder { panic("draft") }
func (b *ItemBuilder) Done() *ItemType                                            { panic("draft") }
