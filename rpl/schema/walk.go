package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A walker compiles one Go type to a fieldLayout. Mistakes are collected, so that the user
// hears of all at once.
type walker struct {
	s      *Schema
	owner  string // what is compiled, for errors: "component health"
	tags   Tags   // of types that cannot be edited, by field path
	used   map[string]bool
	args   bool // arguments: every field needs a tag
	elem   bool // an element of a list or map: no audience, no prediction
	faults *faults

	lay      fieldLayout
	local    []byteRange // bytes of fields that are not replicated
	explicit bool
	open     []reflect.Type // types being compiled, outermost first
	present  []int          // presence words of the Opts being compiled
	presence []uintptr      // and where that presence is in the struct
}

// fault records a mistake about a field; what says what is wrong and what to
// do.
func (w *walker) fault(path, what string, args ...any) {
	msg := fmt.Sprintf(what, args...)
	if path = strings.TrimSuffix(path, "."); path == "" {
		w.faults.add("%s: %s", w.owner, msg)
		return
	}
	w.faults.add("%s, field %s: %s", w.owner, path, msg)
}

// structure compiles the tagged fields of a struct at an offset.
func (w *walker) structure(t reflect.Type, off uintptr, prefix string, outer tag) {
	if !w.enter(t, prefix) {
		return
	}
	defer w.leave()
	for i := range t.NumField() {
		f := t.Field(i)
		text, tagged := w.lookup(f, prefix)
		path := prefix + f.Name
		parsed, err := parseTag(text)
		wrong := ""
		if _, inCode := w.tags[tagKey(prefix)+f.Name]; !inCode {
			wrong = mistagged(f.Tag)
		}
		switch {
		case wrong != "":
			w.fault(path, "its tag `%s` %s; write `rpl:\"…\"` in small letters, with quotes right behind the colon and a space between tags", f.Tag, wrong)
		case err != nil:
			w.fault(path, "%v", err)
		case f.Name == "_":
			w.blank(f, prefix, parsed)
			w.keepLocal(f, off)
		case !tagged && w.args:
			w.fault(path, `arguments are sent whole, so every field needs a tag: write rpl:"" to send it or rpl:"-" to keep it here`)
		case !tagged:
			w.leaveOut(f, path)
			w.keepLocal(f, off)
		case parsed.has&tagLocal != 0:
			w.keepLocal(f, off)
		default:
			if parsed.has&tagExplicit != 0 {
				w.setExplicit(path)
			}
			w.field(f.Type, off+f.Offset, path, parsed.inherit(outer))
		}
	}
}

func (w *walker) keepLocal(f reflect.StructField, off uintptr) {
	w.local = append(w.local, byteRange{off: off + f.Offset, size: int(f.Type.Size())})
}

// blank handles a field named _, which may carry `explicit` for the component.
func (w *walker) blank(f reflect.StructField, prefix string, t tag) {
	if t.has&tagExplicit != 0 {
		w.setExplicit(prefix + "_")
	}
	if t.has &^= tagExplicit; t.has != 0 {
		w.fault(prefix+"_", "a blank field carries explicit alone; move %s to a named field", t)
	}
}

func (w *walker) setExplicit(path string) {
	if w.args || w.elem {
		w.fault(path, "explicit is for components; remove it")
	}
	w.explicit = true
}

// lookup finds a field's tag: Tags given in code override the struct's own.
func (w *walker) lookup(f reflect.StructField, prefix string) (text string, tagged bool) {
	key := tagKey(prefix) + f.Name
	if text, tagged = w.tags[key]; tagged {
		w.used[key] = true
		return text, true
	}
	return f.Tag.Lookup("rpl")
}

// tagKey returns a path as Tags name it: without indices.
func tagKey(path string) string {
	for {
		i := strings.IndexByte(path, '[')
		if i < 0 {
			return path
		}
		j := strings.IndexByte(path[i:], ']')
		path = path[:i] + path[i+j+1:]
	}
}

// enter begins a struct type, and refuses one that contains itself or is nested too deep.
func (w *walker) enter(t reflect.Type, path string) bool {
	if slices.Contains(w.open, t) {
		w.fault(path, "type %v contains itself, so its size has no bound; keep the children in nodes or lists of their own", t)
		return false
	}
	if len(w.open) >= maxDepth {
		w.fault(path, "type %v is nested more than %d deep; flatten it", t, maxDepth)
		return false
	}
	w.open = append(w.open, t)
	w.s.compiled[t] = true
	return true
}

func (w *walker) leave() { w.open = w.open[:len(w.open)-1] }

// field compiles one tagged field of any kind.
func (w *walker) field(t reflect.Type, off uintptr, path string, tg tag) {
	switch {
	case w.s.codecs[t] != nil:
		w.codec(t, off, path, tg)
	case t == w.s.ref:
		w.leaf(leafRef, t, 1, off, path, tg)
	case isOpt(t):
		w.option(t, off, path, tg)
	case isVector(t):
		w.leaf(leafOf(t.Field(0).Type), t, 2, off, path, tg)
	default:
		w.byKind(t, off, path, tg)
	}
}

// byKind compiles a field that is neither of a codec, a reference, an Opt nor a vector.
func (w *walker) byKind(t reflect.Type, off uintptr, path string, tg tag) {
	switch t.Kind() {
	case reflect.Struct:
		w.nested(t, off, path, tg)
	case reflect.Array:
		w.array(t, off, path, tg)
	case reflect.String:
		w.text(t, off, path, tg)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && t.Elem() != w.s.ref {
			w.text(t, off, path, tg)
		} else {
			w.list(t, off, path, tg)
		}
	case reflect.Map:
		w.mapping(t, off, path, tg)
	default:
		if l := leafOf(t); l != leafNone {
			w.leaf(l, t, 1, off, path, tg)
			return
		}
		w.fault(path, "%s cannot be replicated; %s", describeKind(t), remedy(t))
	}
}

// nested compiles a struct inside a struct: its own tags say which of its
// fields travel.
func (w *walker) nested(t reflect.Type, off uintptr, path string, tg tag) {
	if !w.allow(path, tg, tagTo|tagIf|tagOnce|tagNotify|tagExplicit, "a struct; tag the fields in it instead") {
		return
	}
	if t.NumField() == 0 && !w.args && len(w.present) == 0 {
		w.fault(path, "a struct of no fields holds nothing; remove the tag, or make it a bool")
		return
	}
	before := len(w.lay.Plan)
	count := w.faults.len()
	w.structure(t, off, path+".", tg)
	if len(w.lay.Plan) == before && w.faults.len() == count && t.NumField() > 0 {
		w.fault(path, "no field of %v has a tag; tag those that are to travel, or give Tags with %q, or a codec for the type", t, tagKey(path)+"."+t.Field(0).Name)
	}
}

// array compiles a fixed array: an array of plain fields is one prop, in any other array
// each element has props of its own.
func (w *walker) array(t reflect.Type, off uintptr, path string, tg tag) {
	elem, n := t.Elem(), t.Len()
	if n == 0 {
		w.fault(path, "an array of no elements holds nothing; remove the tag")
		return
	}
	switch {
	case w.s.codecs[elem] != nil:
	case elem == w.s.ref:
		w.leaf(leafRef, elem, n, off, path, tg)
		return
	case isVector(elem):
		w.leaf(leafOf(elem.Field(0).Type), t, 2*n, off, path, tg)
		return
	case leafOf(elem) != leafNone:
		w.leaf(leafOf(elem), t, n, off, path, tg)
		return
	}
	for i := range n {
		if len(w.lay.props) > maxProps {
			return // Freeze reports that
		}
		w.field(elem, off+uintptr(i)*elem.Size(), fmt.Sprintf("%s[%d]", path, i), tg)
	}
}

// option compiles an Opt: a prop for its presence, then the props of its value.
func (w *walker) option(t reflect.Type, off uintptr, path string, tg tag) {
	if w.args && tg.has&tagEdge != 0 {
		w.fault(path, "edge is not for what may be absent; make it a bool, which is false without a press")
		return
	}
	value, ok := t.Field(0), t.Field(1)
	presence := tag{}.inherit(tg)
	first := len(w.lay.Plan)
	o := op{Kind: OpOpt, N: 1, Off: off + ok.Offset}
	w.words(&o, Prop{Name: path, Kind: "optional", If: -1, Step: 1, Offset: o.Off}, presence, []Word{{Max: 1, Velocity: -1}}, propDraft{})
	w.lay.Plan = append(w.lay.Plan, o)
	w.present = append(w.present, len(w.lay.words)-1)
	w.presence = append(w.presence, off+ok.Offset)
	defer func() {
		w.present = w.present[:len(w.present)-1]
		w.presence = w.presence[:len(w.presence)-1]
	}()
	if value.Type.Kind() == reflect.Struct && !isVector(value.Type) && value.Type != w.s.ref {
		w.field(value.Type, off+value.Offset, path, tg)
	} else {
		w.field(value.Type, off+value.Offset, path+".value", tg)
	}
	w.lay.Plan[first].skip = len(w.lay.Plan) - first - 1
}

// isVector reports whether a type is two floats X and Y without tags of their
// own; gmath.Vec is one.
func isVector(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 2 {
		return false
	}
	x, y := t.Field(0), t.Field(1)
	_, tx := x.Tag.Lookup("rpl")
	_, ty := y.Tag.Lookup("rpl")
	k := x.Type.Kind()
	return x.Name == "X" && y.Name == "Y" && x.Type == y.Type && !tx && !ty &&
		(k == reflect.Float64 || k == reflect.Float32)
}

func describeKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return fmt.Sprintf("a pointer (%v)", t)
	case reflect.Interface:
		return fmt.Sprintf("an interface (%v)", t)
	case reflect.Chan:
		return fmt.Sprintf("a channel (%v)", t)
	case reflect.Func:
		return fmt.Sprintf("a function (%v)", t)
	}
	return article(t.String())
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func remedy(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return "hold the value itself, an rpl.Opt, or an entity, remove the tag to keep it local, or register a codec or a stand-in"
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return "remove the tag: it stays local"
	}
	return "hold its parts in fields of their own, or register a codec"
}

func isOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.Implements(reflect.TypeFor[optional]())
}
