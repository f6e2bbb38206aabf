package schema

import (
	"cmp"
	"fmt"
	"reflect"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// A keyKind is how the keys of a map are read and written: strings, signed integers or
// unsigned ones.
type keyKind[K cmp.Ordered] interface {
	of(v reflect.Value) K
	set(v reflect.Value, k K)
	fits(k K) bool
	write(w *rbits.Writer, k K)
	read(r *rbits.Reader) K
	hash(h uint64, k K) uint64
	maxBits() int
	describe() string
}

// stringKeys are strings of at most limit bytes.
type stringKeys struct{ limit int }

func (stringKeys) of(v reflect.Value) string { return v.String() }

func (stringKeys) set(v reflect.Value, k string) { v.SetString(k) }

func (t stringKeys) fits(k string) bool { return len(k) <= t.limit }

func (t stringKeys) write(w *rbits.Writer, k string) { textVar{limit: t.limit}.write(w, k) }

func (stringKeys) hash(h uint64, k string) uint64 { return hashString(h, k) }

func (t stringKeys) maxBits() int { return textVar{limit: t.limit}.maxBits() }

func (t stringKeys) describe() string { return fmt.Sprintf("string of %d bytes", t.limit) }

func (t stringKeys) read(r *rbits.Reader) string {
	return readBytes(r, t.limit)
}

// intKeys are signed integers of any size.
type intKeys struct{}

func (intKeys) of(v reflect.Value) int64 { return v.Int() }

func (intKeys) set(v reflect.Value, k int64) { v.SetInt(k) }

func (intKeys) fits(int64) bool { return true }

func (intKeys) write(w *rbits.Writer, k int64) { w.Varint(k) }

func (intKeys) read(r *rbits.Reader) int64 { return r.Varint() }

func (intKeys) hash(h uint64, k int64) uint64 { return hashWord(h, uint64(k)) }

func (intKeys) maxBits() int { return 80 }

func (intKeys) describe() string { return "int" }

// uintKeys are unsigned integers of any size.
type uintKeys struct{}

func (uintKeys) of(v reflect.Value) uint64 { return v.Uint() }

func (uintKeys) set(v reflect.Value, k uint64) { v.SetUint(k) }

func (uintKeys) fits(uint64) bool { return true }

func (uintKeys) write(w *rbits.Writer, k uint64) { w.Uvarint(k) }

func (uintKeys) read(r *rbits.Reader) uint64 { return r.Uvarint() }

func (uintKeys) hash(h uint64, k uint64) uint64 { return hashWord(h, k) }

func (uintKeys) maxBits() int { return 80 }

func (uintKeys) describe() string { return "uint" }
