package rpl

// Structs without a tag of their own whose fields have some: they are local, which is
// seldom what was meant where the tags inside serve nothing else.

import (
	"reflect"
	"strings"
)

// An untagged is such a field of a component, until all types are compiled.
type untagged struct {
	owner, path string
	what        reflect.Type // the struct that has the tags
	remedy      string
	always      bool // nobody else can have meant the tags
}

// leaveOut looks at a field without a tag. A struct of a type that is compiled elsewhere
// too, as arguments or as another component, may well be kept here: what its player said
// last, what the component was before.
func (w *walker) leaveOut(f reflect.StructField, path string) {
	inside := false
	for key := range w.tags {
		if strings.HasPrefix(key, tagKey(path)+".") {
			w.used[key], inside = true, true
		}
	}
	if inside {
		w.fault(path, "Tags name what is inside it and not the field itself, so it is local; give Tags with %q too", tagKey(path))
		return
	}
	t, remedy := f.Type, `rpl:""`
	for {
		switch k := t.Kind(); {
		case k == reflect.Slice || k == reflect.Map:
			t, remedy = t.Elem(), `rpl:"max=N"`
			continue
		case k == reflect.Array:
			t = t.Elem()
			continue
		case isOpt(t):
			t = t.Field(0).Type
			continue
		}
		break
	}
	if w.s.codecs[t] == nil && tagsInside(t) {
		w.s.untagged = append(w.s.untagged, untagged{
			owner: w.owner, path: path, what: t, remedy: remedy, always: f.Anonymous || t.Name() == "",
		})
	}
}

// tagsInside reports whether a struct has fields that are tagged to travel, in itself or in
// what has no name of its own.
func tagsInside(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		text, tagged := f.Tag.Lookup("rpl")
		if tagged && text != "-" && f.Name != "_" || !tagged && (f.Anonymous || f.Type.Name() == "") && tagsInside(f.Type) {
			return true
		}
	}
	return false
}

// faultUntagged says which of those fields can only be mistakes.
func (s *Schema) faultUntagged() {
	for _, u := range s.untagged {
		if u.always || !s.compiled[u.what] {
			w := walker{owner: u.owner, faults: &s.faults}
			w.fault(u.path, `it has no tag, so it is local, and fields of %v have some: write %s on it to send those, or rpl:"-" to keep all of it here`, u.what, u.remedy)
		}
	}
	s.untagged, s.compiled = nil, nil
}
