package schema

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// A Codec replicates a Go type T as a snapshot of type S that it makes itself, for types
// that tags cannot describe: those of other packages, those with unexported
// state, those that pack better than field by field. Registered once, it serves
// every tagged field of type T, in components, lists, maps and arguments.
//
// Any function may be nil where its default applies. All must be pure, may run on any
// goroutine, and must not keep the pointer, writer or reader that they are given. A
// snapshot must not change once it is made.
type Codec[T, S any] struct {
	// Name stands for the codec in the schema hash: change it when the wire form changes,
	// for instance to "date/2".
	Name string
	// MaxBytes bounds an encoded snapshot; 0 means 1024. A longer argument is refused. A
	// longer value of state is not told: peers keep the value before it, and the authority
	// counts and logs it.
	MaxBytes int

	// Extract makes a snapshot of a value, Inject writes one to a value, in
	// place. Both may be nil where S is T: the value is copied.
	Extract func(v *T) S
	Inject  func(v *T, s S)

	// Encode writes a snapshot and Decode reads it back, or refuses: its input
	// is from the network, and it must check what it read. Both may be nil where
	// S is a struct with tagged fields, or a type that a field may have.
	Encode func(w *bits.Writer, s S)
	Decode func(r *bits.Reader) (S, error)

	// Equal compares snapshots. The default is ==, or reflect.DeepEqual where S
	// cannot be compared.
	Equal func(a, b S) bool
	// Same compares a value with a snapshot, without making one. The default is
	// Equal(Extract(v), s).
	Same func(v *T, s S) bool

	// EncodeDelta writes what turns base into s, at most MaxBytes: where it writes more, s
	// is sent whole instead. DecodeDelta applies it, or
	// refuses. The default is the changed fields of S where Encode is nil, else the
	// whole snapshot.
	EncodeDelta func(w *bits.Writer, base, s S)
	DecodeDelta func(r *bits.Reader, base S) (S, error)
}

// defaultCodecBytes bounds an encoded snapshot whose codec names no bound.
const defaultCodecBytes = 1024

// A codecType is a Codec without its type parameters.
type codecType interface {
	compile(w *walker, path string) (varCodec, bool)
}

// Register makes c the codec of all fields of type T in the schema.
func Register[T, S any](s *Schema, c Codec[T, S]) {
	t := reflect.TypeFor[T]()
	s.declare("codec", c.Name)
	if s.codecs[t] != nil {
		s.faults.add("codec %s: %v has a codec already; register one", c.Name, t)
		return
	}
	s.codecs[t] = c
}

// codec compiles a field whose type has a codec.
func (w *walker) codec(t reflect.Type, off uintptr, path string, tg tag) {
	if !w.allow(path, tg, tagsAny, "a field with a codec; let the codec do it") {
		return
	}
	if c, ok := w.s.codecs[t].compile(w, path); ok {
		w.variable(off, path, tg, c)
	}
}

// compile makes the varCodec of a field, or faults what the codec lacks.
func (c Codec[T, S]) compile(w *walker, path string) (varCodec, bool) {
	same := reflect.TypeFor[T]() == reflect.TypeFor[S]()
	switch {
	case !same && (c.Extract == nil || c.Inject == nil):
		w.fault(path, "codec %s: its snapshot is another type, so it needs Extract and Inject", c.Name)
		return nil, false
	case (c.Extract == nil || c.Inject == nil) && SharesMemory(reflect.TypeFor[T]()):
		w.fault(path, "codec %s: %v holds pointers, so a copy of it is no snapshot; give Extract and Inject", c.Name, reflect.TypeFor[T]())
		return nil, false
	case (c.Encode == nil) != (c.Decode == nil):
		w.fault(path, "codec %s: Encode and Decode go together; give both or neither", c.Name)
		return nil, false
	case (c.EncodeDelta == nil) != (c.DecodeDelta == nil):
		w.fault(path, "codec %s: EncodeDelta and DecodeDelta go together; give both or neither", c.Name)
		return nil, false
	case c.MaxBytes < 0:
		w.fault(path, "codec %s: MaxBytes is %d; give a bound above 0, or 0 for %d", c.Name, c.MaxBytes, defaultCodecBytes)
		return nil, false
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultCodecBytes
	}
	v := &codecVar[T, S]{c: c, comparable: reflect.TypeFor[S]().Comparable()}
	if c.Encode == nil {
		v.lay = w.snapshot(reflect.TypeFor[S](), c.Name, path)
		if v.lay == nil {
			return nil, false
		}
	}
	return v, true
}

// snapshot compiles the snapshot type of a codec without Encode.
func (w *walker) snapshot(t reflect.Type, codec, path string) *fieldLayout {
	sub := &walker{s: w.s, owner: w.owner, elem: true, args: true, faults: w.faults, open: w.open}
	before := w.faults.len()
	switch {
	case w.s.codecs[t] != nil:
		w.fault(path, "codec %s: its snapshot has a codec itself, so it needs Encode and Decode", codec)
	case t.Kind() == reflect.Struct && !isVector(t) && !isOpt(t):
		sub.structure(t, 0, path+".", tag{})
	default:
		sub.field(t, 0, path, basicTag(t))
	}
	if w.faults.len() > before {
		return nil
	}
	sub.lay.finish(t)
	return &sub.lay
}

// A codecVar is the varCodec of fields with a Codec; its values are snapshots.
type codecVar[T, S any] struct {
	c          Codec[T, S]
	lay        *fieldLayout // of S, where the codec has no Encode
	comparable bool
}

func (t *codecVar[T, S]) snapshot(v *T) S {
	if t.c.Extract != nil {
		return t.c.Extract(v)
	}
	return *(*S)(unsafe.Pointer(v)) // S is T
}

func (t *codecVar[T, S]) Extract(p unsafe.Pointer, old any, _ Refs) any {
	v := (*T)(p)
	was, ok := old.(S)
	if ok && t.c.Same != nil && t.c.Same(v, was) {
		return old
	}
	s := t.snapshot(v)
	if ok && t.c.Same == nil && t.equal(s, was) {
		return old
	}
	return s
}

func (t *codecVar[T, S]) Inject(p unsafe.Pointer, v any, _ Refs) {
	s := t.of(v)
	if t.c.Inject != nil {
		t.c.Inject((*T)(p), s)
		return
	}
	*(*S)(p) = s
}

func (t *codecVar[T, S]) Clear(p unsafe.Pointer) {
	var zero T
	*(*T)(p) = zero
}

// of is a value as a snapshot, the default if it is nil.
func (t *codecVar[T, S]) of(v any) S {
	s, ok := v.(S)
	if !ok {
		s, _ = t.Default().(S)
	}
	return s
}

func (t *codecVar[T, S]) equal(a, b S) bool {
	if t.c.Equal != nil {
		return t.c.Equal(a, b)
	}
	if t.comparable {
		return any(a) == any(b)
	}
	return reflect.DeepEqual(a, b)
}

func (t *codecVar[T, S]) Equal(a, b any) bool { return t.equal(t.of(a), t.of(b)) }

func (t *codecVar[T, S]) Default() any {
	var zero T
	return t.snapshot(&zero)
}

func (t *codecVar[T, S]) write(w *bits.Writer, v any) {
	s := t.of(v)
	if t.lay == nil {
		t.c.Encode(w, s)
		return
	}
	words, vars := t.row(s)
	t.lay.write(w, words, vars)
}

func (t *codecVar[T, S]) read(r *bits.Reader) any {
	if t.lay == nil {
		s, err := t.c.Decode(r)
		return t.accept(r, s, err)
	}
	words, vars := make([]int32, len(t.lay.words)), make([]any, len(t.lay.vars))
	t.lay.read(r, words, vars)
	return t.unrow(words, vars)
}

func (t *codecVar[T, S]) writeDelta(w *bits.Writer, base, v any) {
	from, to := t.of(base), t.of(v)
	switch {
	case t.c.EncodeDelta != nil:
		t.c.EncodeDelta(w, from, to)
	case t.lay != nil:
		bw, bv := t.row(from)
		words, vars := t.row(to)
		t.lay.writeDelta(w, bw, bv, words, vars)
	default:
		t.c.Encode(w, to)
	}
}

func (t *codecVar[T, S]) readDelta(r *bits.Reader, base any) any {
	from := t.of(base)
	switch {
	case t.c.DecodeDelta != nil:
		s, err := t.c.DecodeDelta(r, from)
		return t.accept(r, s, err)
	case t.lay != nil:
		words, vars := t.row(from)
		t.lay.readDelta(r, words, vars)
		return t.unrow(words, vars)
	}
	return t.read(r)
}

// accept passes a decoded snapshot on, or fails the reader.
func (t *codecVar[T, S]) accept(r *bits.Reader, s S, err error) any {
	if err != nil {
		r.Fail(fmt.Errorf("codec %s: %w", t.c.Name, err))
	}
	return s
}

// row converts a snapshot to words and vars, and unrow back, where the codec has no Encode.
func (t *codecVar[T, S]) row(s S) ([]int32, []any) {
	words, vars := make([]int32, len(t.lay.words)), make([]any, len(t.lay.vars))
	t.lay.Extract(unsafe.Pointer(&s), words, vars, nil)
	return words, vars
}

func (t *codecVar[T, S]) unrow(words []int32, vars []any) any {
	var s S
	t.lay.Inject(unsafe.Pointer(&s), words, vars, nil, nil)
	return s
}

// check finds values whose snapshot is longer than the codec's bound.
func (t *codecVar[T, S]) check(p unsafe.Pointer) error {
	s := t.snapshot((*T)(p))
	if t.lay != nil {
		if field, err := t.lay.check(unsafe.Pointer(&s)); err != nil {
			return fmt.Errorf("codec %s%s: %w", t.c.Name, inElement(field), err)
		}
		return nil
	}
	var w bits.Writer
	t.c.Encode(&w, s)
	if n := len(w.Bytes()); n > t.c.MaxBytes {
		return fmt.Errorf("codec %s: it takes %d bytes, at most %d; raise MaxBytes", t.c.Name, n, t.c.MaxBytes)
	}
	return nil
}

func (t *codecVar[T, S]) Sized() bool { return t.lay != nil && t.lay.Sized() }

func (t *codecVar[T, S]) maxBits() int {
	if t.lay != nil {
		return t.lay.maxBits()
	}
	return 8 * t.c.MaxBytes
}

func (t *codecVar[T, S]) hasRefs() bool { return false }

func (t *codecVar[T, S]) nodes(_ any, to []ids.Node) []ids.Node { return to }

func (t *codecVar[T, S]) hash(v any) uint64 {
	var w bits.Writer
	t.write(&w, v)
	return hashString(hashStart, string(w.Bytes()))
}

func (t *codecVar[T, S]) describe() string {
	s := "codec " + t.c.Name
	if t.lay != nil {
		s += " of " + group(t.lay.describe())
	}
	return s
}

// SharesMemory reports whether a value of type t and a copy of it share memory that can
// be changed. Strings share memory that cannot.
func SharesMemory(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return SharesMemory(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if SharesMemory(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() != reflect.String && (t.Kind() < reflect.Bool || t.Kind() > reflect.Complex128)
}
