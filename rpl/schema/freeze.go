package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Freeze compiles everything for a rate of hz ticks per second and returns the mistakes
// joined, each with its remedy: the first ten, and how many more there are. Afterwards
// nothing can be declared. Another Freeze at the same rate returns the same result; at
// another rate it is an error, since predictions are compiled for one rate.
func (s *Schema) Freeze(hz int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen {
		if s.err == nil && hz != s.hz {
			return fmt.Errorf("schema %s is frozen at %d ticks per second, not %d; use one rate for all sessions of it", s.name, s.hz, hz)
		}
		return s.err
	}
	s.frozen, s.hz = true, hz
	if hz < 1 || hz > 1000 {
		s.faults.add("schema %s: %d ticks per second; use 1 to 1000", s.name, hz)
		s.hz = 1
	}
	s.sort()
	for _, it := range s.items {
		s.compile(it)
	}
	for _, it := range s.items {
		s.resolve(it)
	}
	for _, it := range s.items {
		s.rings(it)
	}
	for _, p := range s.prefabs {
		s.compileArgs(p.Args)
	}
	for _, r := range s.rpcs {
		s.compileArgs(r.Args)
		if r.AnyOrder && r.Lane == ids.Reliable {
			s.faults.add("rpc %s: AnyOrder is for unreliable calls; reliable ones come in the order in which they were made: leave it out", r.Name)
		}
	}
	s.faultUntagged()
	s.err = s.faults.err()
	entries := s.entries()
	s.hash, s.digest = hashEntries(s.name, s.hz, entries), appendDigest(nil, s.hz, entries)
	return s.err
}

// Derived returns what compute makes of the frozen schema: it is called once, and all
// sessions of the schema share the result.
func (s *Schema) Derived(compute func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.derived == nil {
		s.derived = compute()
	}
	return s.derived
}

// sort gives every declaration its index in the order of names.
func (s *Schema) sort() {
	slices.SortStableFunc(s.items, func(a, b *ItemType) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.prefabs, func(a, b *PrefabType) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.rpcs, func(a, b *RPCType) int { return strings.Compare(a.Name, b.Name) })
	for i, it := range s.items {
		it.Index = i
		s.double("component", i, func(k int) string { return s.items[k].Name })
	}
	for i, p := range s.prefabs {
		p.Index = i
		s.double("prefab", i, func(k int) string { return s.prefabs[k].Name })
	}
	for i, r := range s.rpcs {
		r.Index = i
		s.double("rpc", i, func(k int) string { return s.rpcs[k].Name })
	}
	if n := max(len(s.items), len(s.prefabs), len(s.rpcs)); n > maxDeclared {
		s.faults.add("schema %s: %d declarations of one kind; at most %d", s.name, n, maxDeclared)
	}
}

// double faults a name that is declared twice; i is its index in the order of names.
func (s *Schema) double(kind string, i int, name func(int) string) {
	if i > 0 && name(i) == name(i-1) && (i == 1 || name(i) != name(i-2)) {
		s.faults.add("%s %s: the name is declared twice; rename one", kind, name(i))
	}
}

// compile makes an item's tables from its Go type or its builder.
func (s *Schema) compile(it *ItemType) {
	src := s.sources[it]
	it.Pos = [2]int{-1, -1}
	if src.builder != nil {
		src.builder.compile(s, it)
		return
	}
	owner := "component " + it.Name
	t := src.typ
	switch {
	case t == nil:
		s.faults.add("%s: it has no type; give its struct type", owner)
		return
	case t.Kind() != reflect.Struct:
		s.faults.add("%s: %s is not a struct; put it in a field of one", owner, describeKind(t))
		return
	}
	w := &walker{s: s, owner: owner, tags: src.tags, used: map[string]bool{}, faults: &s.faults}
	before := s.faults.len()
	if isVector(t) && src.tags["X"] == "" && src.tags["Y"] == "" {
		s.faults.add(`%s: %v is a vector of another type; give its fields tags with Tags{"X": …, "Y": …} or put it in a field`, owner, t)
		return
	}
	w.structure(t, 0, "", tag{})
	w.unusedTags(t)
	if len(w.lay.props) == 0 && s.faults.len() == before && t.NumField() > 0 {
		s.faults.add(`%s: no field of %v has a tag; write rpl:"" on those that are to travel, or give Tags`, owner, t)
	}
	it.Size, it.Explicit = t.Size(), w.explicit
	it.take(w.lay)
	s.checkSize(owner, &it.Layout)
	if s.faults.len() > before {
		return
	}
	it.Layout.finish(t)
	it.HasRefs = it.Layout.hasRefs()
	it.shadow(w.local)
}

// take sets the item's tables to those of a compiled type.
func (t *ItemType) take(l fieldLayout) {
	t.Layout = l
	t.Props, t.Words, t.Vars = l.props, l.words, l.vars
}

func (s *Schema) checkSize(owner string, l *fieldLayout) {
	if len(l.props) > maxProps {
		s.faults.add("%s: it has more than %d replicated fields: make two components of it", owner, maxProps)
	}
	if len(l.words) > maxWords {
		s.faults.add("%s: it has %d words; at most %d: make two components of it, or use a list", owner, len(l.words), maxWords)
	}
}

// unusedTags faults Tags that name no field.
func (w *walker) unusedTags(t reflect.Type) {
	var unknown []string
	for key := range w.tags {
		if w.used[key] {
			continue
		}
		if key == "_" {
			w.blank(reflect.StructField{Name: "_"}, "", w.mustParse(key))
			continue
		}
		unknown = append(unknown, key)
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		w.faults.add("%s: Tags name the field %s, which %v does not have; correct the name", w.owner, key, t)
	}
}

func (w *walker) mustParse(key string) tag {
	t, err := parseTag(w.tags[key])
	if err != nil {
		w.fault(key, "%v", err)
	}
	return t
}
