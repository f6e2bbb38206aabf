package schema

import (
	"math/bits"
	"strings"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// A varCodec is a kind of variable-length prop: text, list, map, or a user's codec. It
// writes bit by bit, so that lists can hold it without padding; a varType makes a VarType
// of it. Extract and the other exported methods do what VarType says.
//
// read and readDelta take bytes from the network: on bad input they fail the reader,
// never panic, and what they return then is not used. Values are immutable. A nil value
// is the default.
type varCodec interface {
	Extract(p unsafe.Pointer, old any, refs Refs) any
	Inject(p unsafe.Pointer, v any, refs Refs)
	Clear(p unsafe.Pointer)
	Equal(a, b any) bool
	Near(a, b any) bool
	Default() any

	write(w *rbits.Writer, v any)
	read(r *rbits.Reader) any
	writeDelta(w *rbits.Writer, base, v any)
	readDelta(r *rbits.Reader, base any) any

	check(p unsafe.Pointer) error // an error if Extract would have to cut or clamp
	maxBits() int                 // most bits that write may append
	Sized() bool                  // whether write keeps to maxBits whatever the value is
	hasRefs() bool
	nodes(v any, to []ids.Node) []ids.Node // appends the nodes that v refers to
	hash(v any) uint64                     // equal for equal values
	describe() string                      // for people and the schema hash, with all bounds
}

// A varType is the VarType that a varCodec makes: its values in whole bytes.
type varType struct{ varCodec }

func (t *varType) Append(b []byte, v any) []byte {
	w := rbits.NewWriter(b)
	t.write(&w, v)
	return w.Bytes()
}

func (t *varType) Parse(b []byte) (any, error) {
	r := rbits.NewReader(b)
	v := t.read(&r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

func (t *varType) AppendDelta(b []byte, base, v any) []byte {
	w := rbits.NewWriter(b)
	t.writeDelta(&w, base, v)
	return w.Bytes()
}

func (t *varType) ParseDelta(b []byte, base any) (any, error) {
	r := rbits.NewReader(b)
	v := t.readDelta(&r, base)
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

// Codec returns the codec behind the var's type.
func (v *Var) Codec() varCodec { return v.Type.(*varType).varCodec }

// width is the bits that a number from 0 to n needs.
func width(n int) uint { return uint(bits.Len(uint(n))) }

// readCount reads a number of width(limit) bits and refuses one above limit.
func readCount(r *rbits.Reader, limit int) int {
	n := int(r.Read(width(limit)))
	if n > limit {
		r.Fail(errBounds)
		return 0
	}
	return n
}

// group puts a description in brackets if it is of several fields.
func group(s string) string {
	if strings.Contains(s, ";") {
		return "(" + s + ")"
	}
	return s
}

// MaxBytes is how many bytes a value of a variable-length prop may take, and so may what
// turns another value into it.
func (v *Var) MaxBytes() int { return (v.Codec().maxBits() + 7) / 8 }
