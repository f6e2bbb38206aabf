package rpl

import (
	"math/bits"
	"strings"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// A varCodec is a kind of variable-length prop, written bit by bit, so that
// lists can hold it without padding. A varType makes a VarType of it.
//
// read and readDelta take bytes from the network: they fail the reader instead
// of panicking, and what they return then is never used. Values are immutable.
// A nil value is the default.
type varCodec interface {
	Extract(p unsafe.Pointer, old any, refs Refs) any
	Inject(p unsafe.Pointer, v any, refs Refs)
	Clear(p unsafe.Pointer)
	Equal(a, b any) bool
	Default() any

	write(w *rbits.Writer, v any)
	read(r *rbits.Reader) any
	writeDelta(w *rbits.Writer, base, v any)
	readDelta(r *rbits.Reader, base any) any

	check(p unsafe.Pointer) error // what Extract would have to cut
	maxBits() int                 // of the largest value
	hasRefs() bool
	nodes(v any, to []Node) []Node // appends those that v refers to
	hash(v any) uint64             // equal for equal values
	describe() string              // for people and the schema hash, with all bounds
}

// A varType is a varCodec in whole bytes, as the stream sees it.
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

// codec is the codec of the type of a var.
func (v *Var) codec() varCodec { return v.Type.(*varType).varCodec }

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

// group brackets the description of several fields.
func group(s string) string {
	if strings.Contains(s, ";") {
		return "(" + s + ")"
	}
	return s
}
