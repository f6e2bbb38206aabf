// Package deep copies structs with the lists and maps in them, so that a state that is kept is
// not changed by what becomes of its original. What a pointer leads to is shared: it is mostly
// a picture or a level.
package deep

import (
	"reflect"
	"unsafe"
)

// A Plan says where in a type the lists and maps are.
type Plan struct {
	fields []field
}

type field struct {
	at   uintptr
	typ  reflect.Type
	list bool // a slice or a map; else the field holds none
}

// Of returns the plan of a type, nil if there are neither lists nor maps in it.
func Of(t reflect.Type) *Plan {
	if !has(t) {
		return nil
	}
	p := &Plan{}
	p.walk(t, 0)
	return p
}

// has reports whether there is a slice or a map in values of a type.
func has(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return has(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if has(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

func (p *Plan) walk(t reflect.Type, at uintptr) {
	switch {
	case !has(t), t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		p.fields = append(p.fields, field{at, t, has(t)})
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			p.walk(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	default:
		for i := range t.NumField() {
			p.walk(t.Field(i).Type, at+t.Field(i).Offset)
		}
	}
}

// Keep makes the value at dst, which is nobody else's, a copy of that at src. The memory of its lists
// is used again, so that copies of the same length allocate nothing.
func (p *Plan) Keep(dst, src unsafe.Pointer) {
	for i := range p.fields {
		f := &p.fields[i]
		to, from := reflect.NewAt(f.typ, unsafe.Add(dst, f.at)).Elem(), reflect.NewAt(f.typ, unsafe.Add(src, f.at)).Elem()
		if f.list {
			keep(to, from)
		} else {
			to.Set(from)
		}
	}
}

// PutBack makes the value at dst, which others may look at, what was kept at src. A list or a map
// that is the same already stays; else it gets memory of its own, for what is there may be shared
// with others.
func (p *Plan) PutBack(dst, src unsafe.Pointer) {
	for i := range p.fields {
		f := &p.fields[i]
		to, from := reflect.NewAt(f.typ, unsafe.Add(dst, f.at)).Elem(), reflect.NewAt(f.typ, unsafe.Add(src, f.at)).Elem()
		switch {
		case !f.list:
			to.Set(from)
		case to.IsNil() != from.IsNil() || !reflect.DeepEqual(to.Interface(), from.Interface()):
			to.SetZero()
			keep(to, from)
		}
	}
}

// keep copies a list or a map.
func keep(to, from reflect.Value) {
	n := 0
	if !from.IsNil() {
		n = from.Len()
	}
	switch {
	case from.IsNil():
		to.SetZero()
	case to.Kind() == reflect.Map:
		if to.IsNil() {
			to.Set(reflect.MakeMapWithSize(to.Type(), n))
		}
		to.Clear()
		for k, v := range from.Seq2() {
			to.SetMapIndex(k, clone(v))
		}
	default:
		if to.IsNil() || to.Cap() < n || has(to.Type().Elem()) {
			to.Set(reflect.MakeSlice(to.Type(), n, n))
		}
		to.SetLen(n)
		reflect.Copy(to, from)
		for i := 0; has(to.Type().Elem()) && i < n; i++ {
			to.Index(i).Set(clone(from.Index(i)))
		}
	}
}

// clone returns a copy that shares no list and no map with a value.
func clone(v reflect.Value) reflect.Value {
	p := Of(v.Type())
	if p == nil {
		return v
	}
	to, from := reflect.New(v.Type()), reflect.New(v.Type())
	from.Elem().Set(v)
	p.Keep(to.UnsafePointer(), from.UnsafePointer())
	return to.Elem()
}
