package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"pgregory.net/rapid"
)

// A crew is a component with references in every kind of field, and local fields beside
// them.
type (
	crew struct {
		Boss  entity            `rpl:""`
		Pair  [2]entity         `rpl:""`
		Aide  Opt[post]         `rpl:""`
		Refs  []entity          `rpl:"max=6"`
		Slots []post            `rpl:"max=6"` // several elements may be equal
		Limbs []limb            `rpl:"max=6"` // each element has an ID of its own
		Maps  map[uint8]limb    `rpl:"max=6"`
		Names map[string]entity `rpl:"max=6"`
		Rows  [][]entity        `rpl:"max=3,each=3"`
		local string
	}
	limb struct {
		ID    uint8       `rpl:""`
		N     uint8       `rpl:""`
		To    entity      `rpl:""`
		Maybe Opt[entity] `rpl:""`
		In    post        `rpl:""`
		Deep  []post      `rpl:"max=4"`
		local string
	}
	post struct {
		To    entity `rpl:""`
		local string
	}
)

// whereabouts has the nodes that the client holds and the entity of each. A node that
// streams in again gets a new entity.
type whereabouts struct {
	here map[ids.Node]uint64
	next uint64
}

func (s *whereabouts) EntityOf(n ids.Node) uint64 { return s.here[n] }

func (s *whereabouts) NodeOf(e uint64) ids.Node {
	for n, is := range s.here {
		if is == e {
			return n
		}
	}
	return 0
}

// toggle streams a node in or out.
func (s *whereabouts) toggle(n ids.Node) {
	if _, ok := s.here[n]; ok {
		delete(s.here, n)
		return
	}
	s.next++
	s.here[n] = s.next
}

// seen translates a reference of the server to the client's entity.
func (s *whereabouts) seen(e entity) entity {
	if e == 0 {
		return 0
	}
	return entity(s.EntityOf(world{}.NodeOf(uint64(e))))
}

// A crewRun is one crew on a server and on a client, which are compared. On the server
// the local field of an element is a unique name; after each injection the client's
// element gets the same name, so that the next one shows which element kept its local
// field.
type crewRun struct {
	*rapid.T
	*whereabouts
	it             *ItemType
	server, client crew
	was            []any // the values injected last, which Proxy remembers
	last           crew  // the server's crew at the last injection
	edits, names   int   // edits since the last injection; names given so far
}

// TestReferencesWhileCrewsChange checks local fields and references while nodes come and go and the server
// edits its crew.
func TestReferencesWhileCrewsChange(t *testing.T) {
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("crew", reflect.TypeFor[crew](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := &crewRun{T: t, whereabouts: &whereabouts{here: map[ids.Node]uint64{}, next: 1000}, it: it, was: make([]any, len(it.Vars))}
		r.server.Maps, r.server.Names = map[uint8]limb{}, map[string]entity{}
		for k := range uint8(2) {
			r.server.Limbs, r.server.Slots = append(r.server.Limbs, r.limb()), append(r.server.Slots, r.post())
			r.server.Maps[k] = r.limb()
		}
		r.inject()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch op := rapid.IntRange(0, 12).Draw(t, "op"); op {
			case 0, 1, 2, 3:
				r.toggle(world{}.NodeOf(uint64(rapid.IntRange(1, 4).Draw(t, "node"))))
			case 4, 5, 6:
				r.inject()
			case 7: // the client's component is made anew
				r.client, r.last, r.edits = crew{}, crew{}, 2
			default:
				r.edits++
				r.edit()
			}
		}
		r.inject()
	})
}

// name returns a new name for an element.
func (r *crewRun) name() string {
	r.names++
	return fmt.Sprint("element ", r.names)
}

func (r *crewRun) ref() entity { return entity(rapid.IntRange(0, 4).Draw(r.T, "to")) }

func (r *crewRun) post() post { return post{r.ref(), r.name()} }

func (r *crewRun) limb() limb {
	l := limb{To: r.ref(), In: r.post(), local: r.name()}
	for l.ID == 0 || slices.ContainsFunc(r.server.Limbs, func(o limb) bool { return o.ID == l.ID }) {
		l.ID++
	}
	for range rapid.IntRange(0, 2).Draw(r.T, "deep") {
		l.Deep = append(l.Deep, r.post())
	}
	return l
}

func (r *crewRun) edit() {
	s := &r.server
	switch rapid.IntRange(0, 9).Draw(r.T, "edit") {
	case 0:
		s.Boss, s.Pair[1] = r.ref(), r.ref()
	case 1:
		if s.Aide.Has() {
			s.Aide.Clear()
		} else {
			s.Aide.Set(post{To: r.ref()})
		}
	case 2:
		editList(r, &s.Refs, 6, r.ref, func(e *entity) { *e = r.ref() })
	case 3, 4:
		editList(r, &s.Slots, 6, r.post, func(p *post) { p.To = r.ref() })
	case 5:
		s.Names[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r.T, "name")] = r.ref()
	case 6:
		editList(r, &s.Rows, 3, func() []entity { return []entity{r.ref()} }, func(row *[]entity) {
			*row = append(slices.Clone(*row), r.ref())
			*row = (*row)[max(0, len(*row)-3):]
		})
	case 7:
		k := uint8(rapid.IntRange(0, 3).Draw(r.T, "key"))
		if l, ok := s.Maps[k]; !ok {
			s.Maps[k] = r.limb()
		} else if rapid.Bool().Draw(r.T, "gone") {
			delete(s.Maps, k)
		} else {
			r.editLimb(&l)
			s.Maps[k] = l
		}
	default:
		editList(r, &s.Limbs, 6, r.limb, r.editLimb)
	}
}

func (r *crewRun) editLimb(l *limb) {
	switch rapid.IntRange(0, 3).Draw(r.T, "field") {
	case 0:
		l.N++
	case 1:
		l.To, l.In.To = r.ref(), r.ref()
	case 2:
		l.Maybe = Some(r.ref())
	default:
		l.Deep = slices.Clone(l.Deep)
		editList(r, &l.Deep, 4, r.post, func(p *post) { p.To = r.ref() })
	}
}

// editList adds, removes, moves or changes one element of a list.
func editList[E any](r *crewRun, list *[]E, most int, made func() E, change func(*E)) {
	*list = slices.Clone(*list)
	n := len(*list)
	at := rapid.IntRange(0, n).Draw(r.T, "at")
	switch op := rapid.IntRange(0, 3).Draw(r.T, "how"); {
	case op == 0 && n < most:
		*list = slices.Insert(*list, at, made())
	case at == n:
	case op == 1:
		*list = slices.Delete(*list, at, at+1)
	case op == 2:
		e := (*list)[at]
		*list = slices.Insert(slices.Delete(*list, at, at+1), rapid.IntRange(0, n-1).Draw(r.T, "new place"), e)
	default:
		change(&(*list)[at])
	}
}

// inject writes the server's state into the client's component and compares them.
func (r *crewRun) inject() {
	r.client.local = "crew"
	words, vars := extract(r.it, &r.server, world{})
	r.it.Layout.Inject(unsafe.Pointer(&r.client), words, vars, r.was, r.whereabouts)
	copy(r.was, vars)
	if r.client.local != "crew" {
		r.Fatalf("the component's own local is %q", r.client.local)
	}
	r.compare()
	r.nameAll()
	r.last, r.edits = r.server, 0
	r.last.Maps = maps.Clone(r.server.Maps)
}

func (r *crewRun) compare() {
	s, c := &r.server, &r.client
	r.refers("Boss", s.Boss, c.Boss)
	r.refers("Pair", s.Pair[1], c.Pair[1])
	a, has := s.Aide.Get()
	b, had := c.Aide.Get()
	if has != had {
		r.Fatalf("Aide is there: %v, want %v", had, has)
	}
	r.refers("Aide", a.To, b.To)
	r.sameLen("Refs", len(s.Refs), len(c.Refs))
	for i := range s.Refs {
		r.refers(fmt.Sprint("Refs ", i), s.Refs[i], c.Refs[i])
	}
	r.sameLen("Names", len(s.Names), len(c.Names))
	for k := range s.Names {
		r.refers("Names "+k, s.Names[k], c.Names[k])
	}
	r.sameLen("Rows", len(s.Rows), len(c.Rows))
	for i := range s.Rows {
		r.sameLen("Rows", len(s.Rows[i]), len(c.Rows[i]))
		for k := range s.Rows[i] {
			r.refers("Rows", s.Rows[i][k], c.Rows[i][k])
		}
	}
	r.posts("Slots", r.last.Slots, s.Slots, c.Slots)
	r.limbs()
	r.sameLen("Maps", len(s.Maps), len(c.Maps))
	for k, want := range s.Maps {
		was, kept := r.last.Maps[k]
		r.limbIs(fmt.Sprint("Maps ", k), want, c.Maps[k])
		if got := c.Maps[k].local; kept && got != was.local || !kept && got != "" {
			r.Fatalf("Maps %d has the local %q, and had %q", k, got, was.local)
		}
		if kept && r.edits < 2 && was.local == want.local {
			r.limbKept(fmt.Sprint("Maps ", k), was, want, c.Maps[k])
		}
	}
}

func (r *crewRun) sameLen(what string, want, got int) {
	if want != got {
		r.Fatalf("%s has %d elements, want %d", what, got, want)
	}
}

func (r *crewRun) refers(what string, to, got entity) {
	if want := r.seen(to); got != want {
		r.Fatalf("%s refers to entity %d, want %d, for the server's %d", what, got, want, to)
	}
}

func (r *crewRun) limbIs(what string, want, got limb) {
	r.refers(what, want.To, got.To)
	r.refers(what+".In", want.In.To, got.In.To)
	a, has := want.Maybe.Get()
	b, had := got.Maybe.Get()
	r.refers(what+".Maybe", a, b)
	if want.ID != got.ID || want.N != got.N || has != had {
		r.Fatalf("%s is %+v, want %+v", what, got, want)
	}
	r.sameLen(what+".Deep", len(want.Deep), len(got.Deep))
	for i := range want.Deep {
		r.refers(what+".Deep", want.Deep[i].To, got.Deep[i].To)
	}
}

// limbs compares the elements of Limbs. After at most one edit each of them has kept
// its local fields; after more edits only unchanged elements must have.
func (r *crewRun) limbs() {
	r.sameLen("Limbs", len(r.server.Limbs), len(r.client.Limbs))
	for i, want := range r.server.Limbs {
		got, what := r.client.Limbs[i], fmt.Sprint("Limbs ", i)
		r.limbIs(what, want, got)
		k := slices.IndexFunc(r.last.Limbs, func(l limb) bool { return l.local == want.local })
		alike := k >= 0 && reflect.DeepEqual(want, r.last.Limbs[k])
		switch {
		case r.edits > 1 && !alike:
		case k < 0 && got.local != "":
			r.Fatalf("%s is new, and has the local %q", what, got.local)
		case k >= 0 && got.local != want.local:
			r.Fatalf("%s has the local %q, want %q", what, got.local, want.local)
		case k >= 0:
			r.limbKept(what, r.last.Limbs[k], want, got)
		}
	}
}

// limbKept compares the local fields inside a limb that existed at the last injection.
func (r *crewRun) limbKept(what string, was, want, got limb) {
	if got.In.local != want.In.local {
		r.Fatalf("%s.In has the local %q, want %q", what, got.In.local, want.In.local)
	}
	r.posts(what+".Deep", was.Deep, want.Deep, got.Deep)
}

// posts compares lists whose elements may be equal. Of equal elements as many keep
// their local fields as there are in both lists. If at most one element changed in
// place, all keep theirs.
func (r *crewRun) posts(what string, was, want, got []post) {
	r.sameLen(what, len(want), len(got))
	old, kept, differ := map[entity][]string{}, map[entity]int{}, 0
	for i, p := range was {
		old[p.To] = append(old[p.To], p.local)
		if i < len(want) && want[i].To != p.To {
			differ++
		}
	}
	inPlace := len(was) == len(want) && differ < 2
	locals, count := map[string]bool{}, map[entity]int{}
	for i, p := range got {
		r.refers(fmt.Sprint(what, i), want[i].To, p.To)
		if p.local != "" && locals[p.local] {
			r.Fatalf("%s: two have the local %q", what, p.local)
		}
		if inPlace && p.local != was[i].local {
			r.Fatalf("%s %d has the local %q, and had %q", what, i, p.local, was[i].local)
		}
		locals[p.local] = true
		count[want[i].To]++
		if slices.Contains(old[want[i].To], p.local) {
			kept[want[i].To]++
		}
	}
	for to, names := range old {
		if kept[to] < min(len(names), count[to]) {
			r.Fatalf("%s: of those that refer to %d, %d have kept their locals, want %d", what, to, kept[to], min(len(names), count[to]))
		}
	}
}

// nameAll gives the client's elements the names of the server's elements.
func (r *crewRun) nameAll() {
	posts := func(from, to []post) {
		for i := range from {
			to[i].local = from[i].local
		}
	}
	posts(r.server.Slots, r.client.Slots)
	limb := func(from limb, to *limb) {
		to.local, to.In.local = from.local, from.In.local
		posts(from.Deep, to.Deep)
	}
	for i := range r.server.Limbs {
		limb(r.server.Limbs[i], &r.client.Limbs[i])
	}
	for k, l := range r.client.Maps {
		limb(r.server.Maps[k], &l)
		r.client.Maps[k] = l
	}
}
