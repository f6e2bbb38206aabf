package schema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/bits"
)

// An ArgType is the compiled type of prefab or RPC arguments: a basic type, a
// vector, a reference, or a struct whose fields all have a tag. Where state is
// clamped to its bounds, an argument beyond them is refused: by Append, with an
// error that names it, and by Parse. It is immutable and safe for concurrent
// use.
type ArgType struct {
	owner string // "rpc paint"
	typ   reflect.Type
	lay   fieldLayout
	refs  []ArgRef
}

// An ArgRef is a reference to a node in a struct of arguments.
type ArgRef struct {
	Field  string
	Has    string  // the component that the node must have (`has=`), or ""
	Offset uintptr // of the entity in the struct
	in     []uintptr
}

// Absent reports whether the arguments at p do not have this reference, because an Opt
// around it is absent.
func (r *ArgRef) Absent(p unsafe.Pointer) bool {
	for _, off := range r.in {
		if !*At[bool](p, off) {
			return true
		}
	}
	return false
}

// None reports whether there is nothing to send.
func (t *ArgType) None() bool { return len(t.lay.Plan) == 0 }

// Refs returns the references in the arguments, those in Opts too, for the adapter to
// check after Parse. References inside lists and maps are not among them.
func (t *ArgType) Refs() []ArgRef { return t.refs }

// Append appends the encoded arguments at p to b. Its error names the type, the field
// that is out of bounds, and the bound.
func (t *ArgType) Append(b []byte, p unsafe.Pointer, refs Refs) ([]byte, error) {
	return new(ArgRoom).Append(t, b, p, refs)
}

// Split returns how many of the bytes are the arguments of a prefab, for an adapter that has
// put bytes of its own behind them. It refuses what Append cannot have written.
func (t *ArgType) Split(b []byte) (n int, err error) {
	m := new(ArgRoom)
	m.row(t)
	m.r = bits.NewReader(b)
	t.lay.read(&m.r, m.words, m.vars)
	if err := m.r.Err(); err != nil {
		return 0, fmt.Errorf("%s: arguments: %w", t.owner, err)
	}
	return (m.r.Pos() + 7) / 8, nil
}

// An ArgRoom is memory for reading and writing arguments, kept by who does so in every
// tick. It is for one goroutine. The zero ArgRoom is ready.
type ArgRoom struct {
	words []int32
	vars  []any
	w     bits.Writer
	r     bits.Reader
}

// Append is ArgType.Append.
func (m *ArgRoom) Append(t *ArgType, b []byte, p unsafe.Pointer, refs Refs) ([]byte, error) {
	if t.None() {
		return b, nil
	}
	if err := t.check(p); err != nil {
		return b, err
	}
	m.row(t)
	t.lay.Extract(p, m.words, m.vars, refs)
	m.w.Reset(b)
	t.lay.write(&m.w, m.words, m.vars)
	b = m.w.Bytes()
	m.w.Reset(nil)
	return b, nil
}

// Parse is ArgType.Parse.
func (m *ArgRoom) Parse(t *ArgType, b []byte, p unsafe.Pointer, refs Refs) error {
	m.row(t)
	m.r = bits.NewReader(b)
	t.lay.read(&m.r, m.words, m.vars)
	if err := m.r.End(); err != nil {
		return fmt.Errorf("%s: arguments: %w", t.owner, err)
	}
	t.lay.Inject(p, m.words, m.vars, nil, refs)
	return t.check(p)
}

// row makes room for the words and vars of arguments.
func (m *ArgRoom) row(t *ArgType) {
	n, k := len(t.lay.words), len(t.lay.vars)
	m.words = slices.Grow(m.words[:0], n)[:n]
	clear(m.vars)
	m.vars = slices.Grow(m.vars[:0], k)[:k]
	clear(m.words)
}

// Parse decodes into the zero value at p, or refuses bytes that Append cannot have
// written. It takes no more memory than the type's bounds allow.
func (t *ArgType) Parse(b []byte, p unsafe.Pointer, refs Refs) error {
	return new(ArgRoom).Parse(t, b, p, refs)
}

// Repoint changes references in arguments that were parsed from b into p some time ago, and nothing
// else of them: those in lists and maps too.
func (t *ArgType) Repoint(b []byte, p unsafe.Pointer, fn Repoint) {
	if !t.lay.refers {
		return
	}
	m := new(ArgRoom)
	m.row(t)
	m.r = bits.NewReader(b)
	t.lay.read(&m.r, m.words, m.vars)
	t.lay.repoint(p, m.words, m.vars, fn)
}

// check returns an error that names the type, and the field if it has several, if an
// argument is beyond its bounds.
func (t *ArgType) check(p unsafe.Pointer) error {
	switch field, err := t.lay.check(p); {
	case err == nil:
		return nil
	case field == "":
		return fmt.Errorf("%s: %w", t.owner, err)
	default:
		return fmt.Errorf("%s, field %s: %w", t.owner, field, err)
	}
}

// compileArgs compiles arguments; it is called by Freeze.
func (s *Schema) compileArgs(t *ArgType) {
	if t.typ == nil {
		return
	}
	w := &walker{s: s, owner: t.owner, args: true, faults: &s.faults}
	before := s.faults.len()
	if t.typ.Kind() == reflect.Struct && !isVector(t.typ) && s.codecs[t.typ] == nil && !isOpt(t.typ) {
		w.structure(t.typ, 0, "", tag{})
	} else {
		w.field(t.typ, 0, "", basicTag(t.typ))
	}
	t.lay = w.lay
	s.checkSize(t.owner, &t.lay)
	for _, r := range t.lay.refs {
		t.refs = append(t.refs, ArgRef{Field: r.name, Has: r.has, Offset: r.off, in: r.in})
		if r.has != "" && !s.hasItem(r.has) {
			s.faults.add("%s, field %s: has=%s is no component of the schema; correct the name", t.owner, r.name, r.has)
		}
	}
	if s.faults.len() == before {
		t.lay.finish(t.typ)
	}
}

// basicTag is the tag of an argument that is not a struct: text gets a bound.
func basicTag(t reflect.Type) tag {
	if t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		tg, _ := parseTag(fmt.Sprintf("max=%d", defaultArg))
		return tg
	}
	return tag{}
}

func (s *Schema) hasItem(name string) bool {
	for _, it := range s.items {
		if it.Name == name {
			return true
		}
	}
	return false
}

// Clamped calls found for each field of the component at p that is beyond its bounds, so
// that peers get another value. Of the elements of a list or a map it reports one.
func (t *ItemType) Clamped(p unsafe.Pointer, found func(field string, err error)) {
	t.Layout.faults(p, func(field string, err error) (enough bool) {
		if !errors.Is(err, errRaw) {
			found(field, err)
		}
		return false
	})
}

// check returns the first field of the struct at p that is beyond its bounds.
func (l *fieldLayout) check(p unsafe.Pointer) (field string, err error) {
	l.faults(p, func(f string, why error) (enough bool) {
		field, err = f, why
		return true
	})
	return field, err
}

// faults calls found for the fields of the struct at p that are beyond their bounds, until
// found returns true.
func (l *fieldLayout) faults(p unsafe.Pointer, found func(field string, err error) (enough bool)) {
	for i := 0; i < len(l.Plan); i++ {
		o := &l.Plan[i]
		if o.Kind == OpOpt {
			if !*At[bool](p, o.Off) {
				i += o.skip
			}
			continue
		}
		if err := l.checkOp(o, unsafe.Add(p, o.Off)); err != nil && found(l.props[o.prop].Name, err) {
			return
		}
	}
}

// checkOp returns an error if one of the fields of an op, which begin at f, is beyond its bounds.
func (l *fieldLayout) checkOp(o *op, f unsafe.Pointer) error {
	if o.Kind == OpVar {
		return l.vars[o.vari].Codec().check(f)
	}
	for k := range o.N {
		e := unsafe.Add(f, uintptr(k)*o.Size())
		switch o.Kind {
		case opInt8, opUint8, opInt16, opUint16, opInt32, opClamp:
			if v := o.load(e); v < int64(o.clampLo) || v > int64(o.clampHi) {
				return fmt.Errorf("%d is not in %d … %d", v, o.clampLo, o.clampHi)
			}
		case OpFloat64, opAngle64, opRaw64:
			if err := o.checkFloat(*(*float64)(e)); err != nil {
				return err
			}
		case OpFloat32, opAngle32, opRaw32:
			if err := o.checkFloat(float64(*(*float32)(e))); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFloat does so for a float.
func (o *op) checkFloat(v float64) error {
	switch finite := !math.IsNaN(v) && !math.IsInf(v, 0); {
	case finite:
	case o.Kind == opRaw64 || o.Kind == opRaw32:
		return fmt.Errorf("%v %w", v, errRaw)
	default:
		return fmt.Errorf("%v is no finite number", v)
	}
	if o.Kind == OpFloat64 || o.Kind == OpFloat32 {
		if limit, ok := o.Quant.check(v); !ok {
			return fmt.Errorf("%v is beyond its limit %v", v, limit)
		}
	}
	return nil
}
