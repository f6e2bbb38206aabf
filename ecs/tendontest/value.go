package tendontest

// Values of components: copies, comparison, and how they are put back. Lists and maps are
// copied with what is in them. What a pointer leads to is not looked at: it is often a
// picture, a level or the session itself.

import (
	"math"
	"reflect"
	"unsafe"
)

// open returns an addressable value as one that may be read and set, exported or not.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// clone returns a copy of a value, addressable.
func clone(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	deepen(to)
	return to
}

// deepen gives an addressable value lists and maps of its own.
func deepen(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			deepen(open(v.Field(i)))
		}
	case reflect.Array:
		if plain(v.Type().Elem()) {
			return
		}
		for i := range v.Len() {
			deepen(v.Index(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		if !plain(v.Type().Elem()) {
			for i := range to.Len() {
				deepen(to.Index(i))
			}
		}
		v.Set(to)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		to := reflect.MakeMapWithSize(v.Type(), v.Len())
		for k, e := range v.Seq2() {
			to.SetMapIndex(k, clone(e))
		}
		v.Set(to)
	}
}

// plain reports whether values of a type hold no lists and maps.
func plain(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String || t.Kind() == reflect.Pointer
}

// equal compares two values of a type: numbers to the last bit, pointers as such.
func equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		fallthrough
	case reflect.Array:
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for k, e := range a.Seq2() {
			if o := b.MapIndex(k); !o.IsValid() || !equal(e, o) {
				return false
			}
		}
		return true
	case reflect.Func, reflect.Chan, reflect.Pointer, reflect.UnsafePointer:
		return a.Pointer() == b.Pointer()
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && equal(a.Elem(), b.Elem())
	default:
		return a.Equal(b)
	}
}

// restore sets an addressable value to a saved one, where they differ: lists and maps that
// others share stay the same ones.
func restore(to, saved reflect.Value) {
	if equal(to, saved) {
		return
	}
	switch to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			restore(open(to.Field(i)), open(saved.Field(i)))
		}
	case reflect.Slice:
		if to.Len() == saved.Len() {
			reflect.Copy(to, clone(saved))
			return
		}
		to.Set(clone(saved))
	case reflect.Map:
		if to.IsNil() || saved.IsNil() {
			to.Set(clone(saved))
			return
		}
		to.Clear()
		for k, e := range clone(saved).Seq2() {
			to.SetMapIndex(k, e)
		}
	default:
		to.Set(clone(saved))
	}
}

// A field is a field of a component, or of a struct in it.
type field struct {
	path  string
	index []int
	typ   reflect.Type
	local bool // it does not travel
}

// of returns the field in an addressable component.
func (f *field) of(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		v = open(v.Field(i))
	}
	return v
}

// steady reports whether values of a type mean the same at another time: what refers to
// things that come and go does not.
func steady(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Func, reflect.Chan, reflect.Interface:
		return false
	case reflect.Slice, reflect.Array:
		return steady(t.Elem())
	case reflect.Map:
		return steady(t.Elem()) && steady(t.Key())
	case reflect.Struct:
		for i := range t.NumField() {
			if !steady(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
