package tendontest

// CheckStep runs the ticks that a client predicts again, and compares.

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/transport/netsim"
)

const (
	// repeats is how often a tick runs again from one state: a map of two comes in the same
	// order every second time.
	repeats = 4

	// grownUp is how many steps an entity has been there before its local fields count as
	// changing: until then the game is still making it.
	grownUp = 30

	// maxTried is how many fields are tried in one step; the others have their turn
	// in the next.
	maxTried = 32
)

// An Impurity is a reason why a rule has another result when it runs again.
type Impurity struct {
	Component string // its name in donburi, or as it was registered if it has none
	Field     string // empty for a component that is no struct
	Entity    string // the first one seen
	What      string // what happens, and what to do
}

func (i Impurity) String() string {
	name := i.Component
	if i.Field != "" {
		name += "." + i.Field
	}
	return fmt.Sprintf("%s of %s: %s", name, i.Entity, i.What)
}

// CheckStep plays the game for so many steps, and has a client run each predicted tick
// again from the state before it, several times: as a correction does. The test fails for
// each field that differs then, with the component and an entity:
//
//   - a tagged field of a predicted node that comes out differently: the rule uses the order of
//     a map, time.Now, a random number, a package variable, or something else that is not in
//     the state; or a system besides the command writes the field
//   - a field that does not travel and changes again: the rule has counted or added to what a
//     correction does not set back. Ask Call.Replay
//   - a field that does not travel and that the rule reads: other machines have another value
//     there. It is found by giving it a value that it had before
//   - a tagged field of a node that the client does not predict, and that the rule reads: the
//     client has it as it was a round trip ago, so the rule comes out differently there whenever
//     it changes. Name in Game.Weighed what it may read all the same
//   - entities that the rule makes or removes again, and components that come or go otherwise
//   - a rule that panics on a client, as Prefab.Spawn does
//
// Input comes from Game.Setup, so have its bots use every key. What lies behind a pointer is
// not compared, and a rule that asks a global for the same answer twice is not found out. What is
// drawn of others (`interp`) stands where it will be at the tick of the rule, as far as their motion
// is known; a rule that reads it is found only while they stand. Inside of Call.Rewind it is as it was drawn in
// that tick, which is the same in each run and on the server.
func CheckStep(t testing.TB, g Game, steps int) {
	t.Helper()
	for _, i := range Impurities(t, g, steps) {
		t.Error(i)
	}
}

// Impurities returns what CheckStep reports. The test fails only if there is nothing to check.
func Impurities(t testing.TB, g Game, steps int) []Impurity {
	t.Helper()
	l := NewLab(t, g, netsim.Conditions{Delay: 40 * time.Millisecond})
	l.Host()
	m := l.Join()
	c := &checker{m: m, game: &l.game, fields: map[donburi.IComponentType][]field{}, past: map[place]*past{}, known: map[string]bool{}, chance: map[string]bool{}}
	if c.panics(func() { l.Join() }) { // somebody to meet; until that one is in, rules run already
		return c.found
	}
	m.checked = c.step
	for range steps {
		if c.panics(func() { l.Steps(1) }) {
			return c.found
		}
	}
	if c.ticks == 0 {
		t.Errorf("tendontest: in %d steps nothing was predicted: give the client's player a node whose component has a Command, and run that in Game.Step", steps)
	}
	return c.found
}

// panics steps all machines by play, and reports whether the rules panicked on the client.
func (c *checker) panics(play func()) (panics bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if !c.m.stepping {
			panic(p)
		}
		panics = true
		s := take(c.m, c.game.Protocol)
		for i := range s.cells {
			if it, _ := c.game.Protocol.Item(s.cells[i].typ); it != nil && it.Commanded && s.cells[i].predicted {
				c.report(&s.cells[i], &field{}, fmt.Sprintf("the rules of the step panic on a client: %v. What a rule makes is made by Prefab.Predict, or where IsAuthority", p))
				return
			}
		}
		panic(p) // no rule of a command
	}()
	play()
	return false
}

// A checker checks one client.
type checker struct {
	m      *Machine
	game   *Game
	fields map[donburi.IComponentType][]field
	past   map[place]*past
	known  map[string]bool
	chance map[string]bool // by name: fields that come out differently from one state
	found  []Impurity
	ticks  int
	next   int  // which field has its turn
	over   bool // the world is not what it was
}

// A past is what is known of a component from earlier steps.
type past struct {
	age  int
	last reflect.Value
	old  []reflect.Value // by field: the latest value that is not the present one …
	past []reflect.Value // … and the one before it: the tick may have begun with the latest
}

// step is called between the game's step and Send.
func (c *checker) step() {
	if c.over {
		return
	}
	first := take(c.m, c.game.Protocol)
	c.remember(first)
	if c.m.ReplayTick(nil) {
		c.ticks++
		again := take(c.m, c.game.Protocol)
		c.entities(first, again)
		c.sets(first, again)
		c.compare(first, again, func(cl *cell, f *field, a, b string) {
			switch {
			case cl.predicted && !f.local:
				c.report(cl, f, "it was "+a+" after the step, and "+b+" when the tick ran again: let Apply decide by replicated fields, the tick and the command alone, and nothing besides Apply write it in the step")
			case !cl.predicted:
				c.report(cl, f, "it was "+a+" after the step, and "+b+" when the tick ran again: a correction does not set it back, so change it only if !Call.Replay, or make it a replicated field of a predicted node")
			}
		})
		c.back(first)
		if c.repeat(first, again) { // else whatever is tried makes a difference
			c.try(first, again)
		}
	}
}

// repeat runs the tick again, from the same state, and reports whether it came out the same each time.
func (c *checker) repeat(first, again *snapshot) (same bool) {
	same = true
	for i := 0; i < repeats && !c.over; i++ {
		c.m.ReplayTick(nil)
		now := take(c.m, c.game.Protocol)
		same = c.sets(again, now) && same
		c.compare(again, now, func(cl *cell, f *field, a, b string) {
			same = false
			c.chance[c.name(cl, f)] = true
			c.report(cl, f, "the tick ran again twice from the same state, and it was "+a+" and "+b+": no map's order, no clock, no random numbers and no package variables in Apply")
		})
		c.back(first)
	}
	return same
}

// try gives fields that a correction does not set back values that they had before, and sees
// whether the rules ask them.
func (c *checker) try(first, again *snapshot) {
	tried, seen := 0, 0
	for i := range first.cells {
		cl := &first.cells[i]
		p := c.past[cl.place]
		if p == nil || p.age < grownUp {
			continue
		}
		for k := range p.old {
			f := &c.fieldsOf(cl.typ)[k]
			if !p.old[k].IsValid() || cl.predicted && !f.local || c.known[c.name(cl, f)] || slices.Contains(c.game.Weighed, c.name(cl, f)) {
				continue
			}
			if seen++; seen <= c.next || tried >= maxTried || c.over {
				continue
			}
			tried++
			c.tryField(first, again, cl, f, p.old[k], p.past[k])
		}
	}
	if c.next += tried; c.next >= seen {
		c.next = 0
	}
}

func (c *checker) tryField(first, again *snapshot, cl *cell, f *field, old, past reflect.Value) {
	defer func() {
		if p := recover(); p != nil {
			c.report(cl, f, fmt.Sprintf("Apply reads it, which is not set back, and panics when it is %s, as it was before: %v", show(old), p))
			c.over = true
		}
	}()
	differs, ran := c.withField(first, again, cl, f, old, past)
	if !ran || differs.of == "" {
		return
	}
	for range repeats { // what comes out by chance does not do so again
		if d, _ := c.withField(first, again, cl, f, old, past); c.over || d != differs {
			return
		}
	}
	if !c.repeat(first, again) {
		return
	}
	why := "Apply reads it, and it does not travel: "
	what := "Tag it (`to=owner` if only the owner needs it), or work it out from what is tagged"
	if !f.local {
		why = "Apply reads it of a node that this client does not predict, where it is as it was a round trip ago: "
		what = "Ask inside Call.Rewind, if it is tagged `interp`, predict that node as well (tendon.Predict), decide it on the authority, or name it in Game.Weighed: each of its changes is a correction"
	}
	c.report(cl, f, why+"with "+show(old)+", as it was before, "+differs.of+" becomes "+differs.b+" and not "+differs.a+". "+what)
}

// A difference is a field that came out as b and not as a.
type difference struct{ of, a, b string }

// withField runs the tick again with a field as it was before, and returns the first predicted field
// that comes out differently, and whether the tick ran.
func (c *checker) withField(first, again *snapshot, cl *cell, f *field, old, past reflect.Value) (d difference, ran bool) {
	ran = c.m.ReplayTick(func() {
		if e := c.m.World().Entry(cl.entity); e.HasComponent(cl.typ) {
			at := f.of(live(e, cl.typ))
			if past.IsValid() && equal(at, old) {
				old = past
			}
			restore(at, old)
		}
	})
	if !ran {
		return d, false
	}
	c.compare(again, take(c.m, c.game.Protocol), func(o *cell, of *field, a, b string) {
		if o.predicted && !of.local && d.of == "" && !c.chance[c.name(o, of)] {
			d = difference{c.name(o, of), a, b}
		}
	})
	c.back(first)
	return d, true
}

// remember keeps what the fields were that a correction does not set back.
func (c *checker) remember(s *snapshot) {
	for i := range s.cells {
		cl := &s.cells[i]
		fs := c.fieldsOf(cl.typ)
		p := c.past[cl.place]
		if p == nil {
			p = &past{old: make([]reflect.Value, len(fs)), past: make([]reflect.Value, len(fs))}
			c.past[cl.place] = p
		}
		if p.age++; p.age > grownUp {
			for k := range fs {
				if f := &fs[k]; (f.local || !cl.predicted) && steady(f.typ) && f.typ != reflect.TypeFor[donburi.Entity]() && !equal(f.of(p.last), f.of(cl.value)) {
					p.past[k], p.old[k] = p.old[k], f.of(p.last)
				}
			}
		}
		p.last = cl.value
	}
}

// compare calls fn for every field that differs.
func (c *checker) compare(a, b *snapshot, fn func(cl *cell, f *field, a, b string)) {
	for i := range a.cells {
		cl := &a.cells[i]
		v, ok := b.find(cl.place)
		if !ok || equal(cl.value, v) {
			continue
		}
		fs := c.fieldsOf(cl.typ)
		for k := range fs {
			if x, y := fs[k].of(cl.value), fs[k].of(v); !equal(x, y) {
				fn(cl, &fs[k], show(x), show(y))
			}
		}
	}
}

// entities tells of entities that have come or gone.
func (c *checker) entities(a, b *snapshot) {
	for i := range b.cells {
		if cl := &b.cells[i]; !a.ents[cl.entity] {
			c.report(cl, &field{}, "Apply makes an entity again when a tick runs again: do so only if !Call.Replay")
		}
	}
	for i := range a.cells {
		if cl := &a.cells[i]; !b.ents[cl.entity] {
			c.report(cl, &field{}, "Apply removes an entity when a tick runs again: on a client leave that to the authority")
		}
	}
}

// sets tells of components that have come or gone, and reports whether there are none.
func (c *checker) sets(a, b *snapshot) (same bool) {
	same = true
	differ := func(was, is *snapshot, what string) {
		for i := range was.cells {
			if cl := &was.cells[i]; is.ents[cl.entity] {
				if _, ok := is.find(cl.place); !ok {
					same = false
					c.report(cl, &field{}, what)
				}
			}
		}
	}
	const remedy = ": let Apply decide by replicated fields, the tick and the command alone whether a component is there; one that is not replicated is not set back"
	differ(a, b, "the component was there after the tick, and was not when the tick ran again"+remedy)
	differ(b, a, "the component was not there after the tick, and was when the tick ran again"+remedy)
	return same
}

// back sets the world back to what it was after the step.
func (c *checker) back(s *snapshot) {
	if gone := s.restore(); len(gone) > 0 {
		c.over = true
	}
}

func (c *checker) fieldsOf(t donburi.IComponentType) []field {
	fs, ok := c.fields[t]
	if !ok {
		fs = fieldsOf(c.game.Protocol, t)
		c.fields[t] = fs
	}
	return fs
}

// report keeps what was found, once for each field.
func (c *checker) report(cl *cell, f *field, what string) {
	if name := c.name(cl, f); !c.known[name] {
		c.known[name] = true
		c.found = append(c.found, Impurity{c.component(cl), f.path, who(c.m.World(), cl.entity), what})
	}
}

func (c *checker) name(cl *cell, f *field) string {
	if f.path == "" {
		return c.component(cl)
	}
	return c.component(cl) + "." + f.path
}

// component names a component as it was registered, or else by donburi's name.
func (c *checker) component(cl *cell) string {
	if it, _ := c.game.Protocol.Item(cl.typ); it != nil {
		return it.Name
	}
	return cl.typ.Name()
}

func show(v reflect.Value) string {
	s := fmt.Sprintf("%+v", v)
	if len(s) > 80 {
		s = s[:77] + "…"
	}
	return s
}
