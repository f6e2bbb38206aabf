package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A fit takes some milliseconds, more with more kinds of items. In a single tick that
// would make the tick late, so a fit is a list of steps of a few tables each, and a
// tick does at most fitSteps of them; one of a row of many words counts as several. What is
// counted meanwhile enters the later steps: no step needs the counts that an earlier one saw.

// fitSteps is enough for four row types without classes, or one of four classes: some 5 ms.
// Fitting allocates memory, and its last step may ship tables, so ticks that fit are not
// steady ones: it is better to have few, each with as many steps as are bearable.
const fitSteps = 48

// stepWords is up to how many words of a row a step counts as one. The longest step of a row of 1,024
// words, the most there may be, takes some 2 ms.
const stepWords = 64

// A fitStep is a part of a fit, and as how many steps it counts.
type fitStep struct {
	do     func()
	weight int
}

// A Fitting is a fit under way.
type Fitting struct {
	Fitter
	l      *Learner
	types  []*rowtype.Type
	d, old *Model // the default model, and the one in force when the fit began

	Set   *TableSet
	Next  *Model  // the model that set makes …
	Saved float64 // … and the counted bits that it saves

	steps        []fitStep // those still to do
	StepsPerTick int       // steps in a tick, by their weights
}

// Begin starts a fit of everything counted. d is the default model, old the one in
// force.
func (f Fitter) Begin(l *Learner, types []*rowtype.Type, d, old *Model, number uint8) *Fitting {
	g := &Fitting{Fitter: f, l: l, types: types, d: d, old: old, Set: NewTableSet(types).With(number), StepsPerTick: fitSteps}
	for i := range types {
		g.row(i)
	}
	g.Then(0, func() {
		gap := d.Entry.Gap.T
		g.Set.gap = f.table(l.Gaps, old.Set.gap, gap, gap)
		for i, n := range l.present {
			present := d.Entry.Present[i].T
			g.Set.present[i] = f.table(n, old.Set.present[i], present, present)
		}
		g.Next = g.Set.head(d)
		g.Saved = l.entryCost(&old.Entry) - l.entryCost(&g.Next.Entry)
	})
	for i, t := range types {
		g.Then(len(t.Words), func() { g.Next.Rows = append(g.Next.Rows, g.Set.Rows[i].build(t, &d.Rows[i])) })
		g.Then(len(t.Words), func() { g.Saved += l.Rows[i].cost(t, &old.Rows[i]) - l.Rows[i].cost(t, &g.Next.Rows[i]) })
	}
	return g
}

// Over spreads the steps still to do over some ticks, or over more if fitSteps asks for it.
func (g *Fitting) Over(ticks int) {
	n, all := max(ticks, 1), 0
	for i := range g.steps {
		all += g.steps[i].weight
	}
	g.StepsPerTick = min((all+n-1)/n, fitSteps)
}

// Then adds a step that looks at a row of so many words.
func (g *Fitting) Then(words int, step func()) {
	g.steps = append(g.steps, fitStep{step, max(1, (words+stepWords-1)/stepWords)})
}

// ThenOfAll adds a step that looks at the rows of all types. It counts as one of the largest of them.
func (g *Fitting) ThenOfAll(step func()) {
	words := 0
	for _, t := range g.types {
		words = max(words, len(t.Words))
	}
	g.Then(words, step)
}

// On does the steps of one tick, at least one, and reports whether all are done.
func (g *Fitting) On() (done bool) {
	n := g.due()
	for _, step := range g.steps[:n] {
		step.do()
	}
	g.steps = g.steps[n:]
	return len(g.steps) == 0
}

// due is how many steps the next tick does.
func (g *Fitting) due() (n int) {
	left := g.StepsPerTick
	for n < len(g.steps) && (n == 0 || g.steps[n].weight <= left) {
		left -= g.steps[n].weight
		n++
	}
	return n
}

// A rowFit is the fit of one row type.
type rowFit struct {
	*Fitting
	t      *rowtype.Type
	l      *rowLearner
	d, old *rowModel
	was    *rowSet // what the set before has
	to     *rowSet // its place in the set

	keys *recordLearner
	sum  recordLearner  // counts of all updates …
	each *updateLearner // … and of those in each context, of whatever class
	base rowModel       // the model made of what is fitted so far

	classes     rowSet      // the same as to with tables by class …
	class       updateModel // … the tables of the class being fitted …
	withClasses float64     // … and the bits that all updates take with classes
}

// row adds the steps for one row type: first what all updates share, keyframes, and
// each context; then, if updates are counted by class, the same for each class.
func (g *Fitting) row(i int) {
	r := &rowFit{
		Fitting: g, t: g.types[i], l: &g.l.Rows[i], d: &g.d.Rows[i], old: &g.old.Rows[i], was: &g.old.Set.Rows[i], to: &g.Set.Rows[i],
	}
	words := len(r.t.Words)
	g.Then(words, r.shapes)
	then := func(step func()) {
		g.Then(words, func() {
			if r.to.shaped() { // else too little was counted for any table
				step()
			}
		})
	}
	then(r.common)
	for c := range contexts {
		then(func() { r.to.updates[0].contexts[c] = r.context(r.each, r.was.update(-1, 0), &r.base.Updates[0], c) })
	}
	if r.l.ClassWord < 0 {
		return
	}
	then(func() {
		r.classes = *r.to
		r.classes.classWord, r.classes.updates = r.l.ClassWord, make([]updateSet, len(r.l.Updates)-1)
	})
	for k := 1; k < len(r.l.Updates); k++ {
		then(func() { r.ofClass(&r.classes.updates[k-1], r.was.update(r.l.ClassWord, k-1), &r.l.Updates[k]) })
		for c := range contexts {
			then(func() {
				r.classes.updates[k-1].contexts[c] = r.context(&r.l.Updates[k], r.was.update(r.l.ClassWord, k-1), &r.class, c)
			})
		}
	}
	then(func() { r.withClasses = r.price(&r.classes, r.was, r.l, r.t, r.d) })
	then(func() {
		if r.withClasses < r.price(r.to, r.was, r.l, r.t, r.d) {
			*r.to = r.classes
		}
	})
}

// shapes chooses the bases of keyframes and the patterns that get symbols; none if too
// little was counted.
func (r *rowFit) shapes() {
	none := newRowSet(r.t)
	none.Heading, none.Lines, none.sources = r.old.heading, r.old.lines, r.l.sources.choose(r.t, r.old.sources)
	s := none
	s.keyBase, s.hasBase = slices.Clone(r.old.keyBase), make([]bool, len(r.t.Words))
	for w := range r.l.votes {
		if v := &r.l.votes[w]; v.seen >= enough && v.won*2 > v.seen {
			s.keyBase[w] = v.value
		}
		s.hasBase[w] = s.keyBase[w] != r.t.Words[w].Default
	}
	r.keys = &r.l.keys
	if !slices.Equal(s.keyBase, r.old.keyBase) {
		forgotten := recordLearner{}
		r.keys = &forgotten // the counts are against other bases
		was := newRowSet(r.t)
		was.shapes[ShapeUpdate], was.any, was.classWord, was.updates = r.was.shapes[ShapeUpdate], r.was.any, r.was.classWord, r.was.updates
		r.was = &was // so are the tables
	}
	r.sum, r.each = r.l.sums()
	counts := [shapes]*recordLearner{&r.sum, r.keys}
	for k := range s.shapes {
		s.shapes[k] = r.shape(counts[k], &r.was.shapes[k], r.t, &r.d.Shapes[k])
	}
	if *r.to = s; !s.shaped() {
		*r.to = none
	}
}

// common fits the tables shared by all updates, and those of keyframes.
func (r *rowFit) common() {
	base := r.to.build(r.t, r.d) // with the common patterns, everything else by default
	r.to.any = r.record(&r.sum, &r.was.any, nil, &r.d.Updates[0][0], &base.Updates[0][0], nil)
	r.to.keys = r.record(r.keys, &r.was.keys, nil, &r.d.Keys, &base.Keys, nil)
	r.base = r.to.build(r.t, r.d)
}

// context fits the tables of one context; now is the model in force without them.
func (r *rowFit) context(l *updateLearner, was *updateSet, now *updateModel, c int) recordSet {
	return r.record(&l[c], &was.contexts[c], &r.was.shapes[ShapeUpdate], &r.d.Updates[0][0], &now[c], &r.to.shapes[ShapeUpdate])
}

// ofClass fits the tables that all contexts of one class share.
func (r *rowFit) ofClass(s, was *updateSet, l *updateLearner) {
	sum := recordLearner{}
	for c := range l {
		sum.add(&l[c])
	}
	def, now := &r.d.Updates[0][0], &r.base.Updates[0][0]
	s.all = r.record(&sum, &was.all, &r.was.shapes[ShapeUpdate], def, now, &r.to.shapes[ShapeUpdate])
	r.class = s.build(def, now)
}
