package schema

import (
	"fmt"
	"math/big"
	"reflect"
	"unicode/utf8"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// text compiles a string or a byte slice to a textVar.
func (w *walker) text(t reflect.Type, off uintptr, path string, tg tag) {
	what := "a string"
	if t.Kind() == reflect.Slice {
		what = "bytes"
	}
	if !w.allow(path, tg, tagsAny|tagMax, what+"; remove it") {
		return
	}
	limit, ok := w.limit(path, tg, what, maxLen)
	if !ok {
		return
	}
	c := textVar{bytes: t.Kind() == reflect.Slice, limit: limit}
	w.variable(off, path, tg, c)
}

// limit returns the max= of a tag, which strings, bytes, lists and maps must have.
func (w *walker) limit(path string, tg tag, what string, most int) (int, bool) {
	switch {
	case tg.max == nil && w.args && path == "":
		w.fault(path, "%s needs a bound; put it in a struct, and write max=N in the field's tag", what)
		return 0, false
	case tg.max == nil:
		w.fault(path, "%s needs a bound; write max=N", what)
		return 0, false
	case !tg.max.IsInt() || tg.max.Sign() <= 0 || tg.max.Cmp(big.NewRat(int64(most), 1)) > 0:
		w.fault(path, "max=%s of %s is not a whole number from 1 to %d", tg.max.RatString(), what, most)
		return 0, false
	}
	return int(tg.max.Num().Int64()), true
}

// variable adds a prop that is one value of variable length.
func (w *walker) variable(off uintptr, path string, tg tag, c varCodec) {
	if n := c.maxBits() / 8; n > maxVarBytes {
		w.fault(path, "its largest value takes %d bytes; at most %d: lower max= or each=", n, maxVarBytes)
		return
	}
	v := len(w.lay.vars)
	w.lay.vars = append(w.lay.vars, Var{Prop: len(w.lay.props), Offset: off, Type: &varType{c}})
	w.lay.Plan = append(w.lay.Plan, op{Kind: OpVar, N: 1, Off: off, vari: v, prop: len(w.lay.props)})
	n := len(w.lay.words)
	w.prop(Prop{Name: path, Kind: c.describe(), If: -1, Offset: off, Words: [2]int{n, n}, Vars: [2]int{v, v + 1}}, tg, propDraft{})
}

// A textVar is the codec of a string or a byte slice; its values are strings. Text
// longer than limit is cut: a string between two runes.
type textVar struct {
	bytes bool
	limit int
}

// content returns the field's bytes as a string that shares their memory.
func (t textVar) content(p unsafe.Pointer) string {
	if t.bytes {
		b := *(*[]byte)(p)
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return *(*string)(p)
}

func (t textVar) Extract(p unsafe.Pointer, old any, _ Refs) any {
	s := t.content(p)
	if len(s) > t.limit {
		s = t.cut(s)
	}
	if was, ok := old.(string); ok && was == s {
		return old
	}
	if t.bytes {
		return string([]byte(s))
	}
	return s
}

// cut shortens s to the limit; a rune that would be split is dropped.
func (t textVar) cut(s string) string {
	n := t.limit
	if !t.bytes {
		for n > 0 && n > t.limit-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
	}
	return s[:n]
}

func (t textVar) Inject(p unsafe.Pointer, v any, _ Refs) {
	s, _ := v.(string)
	if !t.bytes {
		*(*string)(p) = s
		return
	}
	b := (*[]byte)(p)
	if s == "" && *b == nil {
		return
	}
	*b = append((*b)[:0], s...)
}

func (t textVar) Clear(p unsafe.Pointer) {
	if t.bytes {
		*(*[]byte)(p) = nil
	} else {
		*(*string)(p) = ""
	}
}

func (textVar) Equal(a, b any) bool {
	s, _ := a.(string)
	t, _ := b.(string)
	return s == t
}

func (textVar) Default() any { return "" }

func (t textVar) write(w *rbits.Writer, v any) {
	s, _ := v.(string)
	w.Write(uint64(len(s)), width(t.limit))
	writeBytes(w, s)
}

func (t textVar) read(r *rbits.Reader) any { return readBytes(r, t.limit) }

func writeBytes(w *rbits.Writer, s string) {
	for i := range len(s) {
		w.Write(uint64(s[i]), 8)
	}
}

// readBytes reads a count of width(limit) bits and that many bytes.
func readBytes(r *rbits.Reader, limit int) string {
	n := readCount(r, limit)
	if n > r.Left()/8 {
		r.Fail(rbits.ErrShort)
	}
	if r.Err() != nil {
		return ""
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Read(8))
	}
	return string(b)
}

func (t textVar) check(p unsafe.Pointer) error {
	if n := len(t.content(p)); n > t.limit {
		return fmt.Errorf("it has %d bytes, at most %d", n, t.limit)
	}
	return nil
}

func (t textVar) Sized() bool { return true }

func (t textVar) maxBits() int { return int(width(t.limit)) + 8*t.limit }

func (textVar) hasRefs() bool { return false }

func (textVar) nodes(_ any, to []ids.Node) []ids.Node { return to }

func (textVar) hash(v any) uint64 {
	s, _ := v.(string)
	return hashString(hashStart, s)
}

func (t textVar) describe() string {
	if t.bytes {
		return "bytes"
	}
	return "string"
}
