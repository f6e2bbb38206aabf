package schema

import (
	"reflect"
	"strings"
)

// An untagged is such a field of a component, kept until all types are compiled.
type untagged struct {
	owner, path string
	what        reflect.Type // the struct that has the tags
	remedy      string
	always      bool // embedded or of an unnamed type, so the tags can serve nothing else
}

// leaveOut looks at a field without a tag, and notes it if there are tags inside. It may
// be local on purpose if its type is compiled elsewhere too, as arguments or as another
// component: to keep the last arguments of a call, or what the component was before. So
// faultUntagged decides once all types are compiled.
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

// tagsInside reports whether a struct has fields that are tagged to be sent, in itself or
// in embedded structs and structs of unnamed types.
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

// faultUntagged faults those of the noted fields that can only be mistakes.
func (s *Schema) faultUntagged() {
	for _, u := range s.untagged {
		if u.always || !s.compiled[u.what] {
			w := walker{owner: u.owner, faults: &s.faults}
			w.fault(u.path, `it has no tag, so it is local, and fields of %v have some: write %s on it to send those, or rpl:"-" to keep all of it here`, u.what, u.remedy)
		}
	}
	s.untagged, s.compiled = nil, nil
}
