package rpl

import "slices"

// A fit takes some milliseconds, more with more kinds of items. In a single tick that
// would make the tick late, so a fit is a list of steps of a few tables each, and a
// tick does at most fitSteps of them. What is counted meanwhile enters the later steps:
// no step needs the counts that an earlier one saw.

// fitSteps is enough for four row types without kinds, or one of four kinds: some 5 ms.
// Fitting allocates memory, and its last step may ship tables, so ticks that fit are not
// steady ones: it is better to have few, each with as many steps as are bearable.
const fitSteps = 48

// A fitting is a fit under way.
type fitting struct {
	fitter
	l      *learner
	types  []*rowType
	d, old *model // the default model, and the one in force when the fit began

	set   *tableSet
	next  *model  // the model that set makes …
	saved float64 // … and the counted bits that it saves

	steps []func() // those still to do
	pace  int      // steps in a tick
}

// begin starts a fit of everything counted. d is the default model, old the one in
// force.
func (f fitter) begin(l *learner, types []*rowType, d, old *model, number uint8) *fitting {
	g := &fitting{fitter: f, l: l, types: types, d: d, old: old, set: newTableSet(types).with(number), pace: fitSteps}
	for i := range types {
		g.row(i)
	}
	g.then(func() {
		gap := d.entry.gap.t
		g.set.gap = f.table(l.gaps, gap, gap)
		g.next = g.set.head(d)
		g.saved = tableCost(&old.entry.gap, l.gaps) - tableCost(&g.next.entry.gap, l.gaps)
	})
	for i, t := range types {
		g.then(func() { g.next.rows = append(g.next.rows, g.set.rows[i].build(t, &d.rows[i])) })
		g.then(func() { g.saved += l.rows[i].cost(t, &old.rows[i]) - l.rows[i].cost(t, &g.next.rows[i]) })
	}
	return g
}

// then adds a step.
func (g *fitting) then(step func()) { g.steps = append(g.steps, step) }

// on does the steps of one tick and reports whether all are done.
func (g *fitting) on() (done bool) {
	n := min(g.pace, len(g.steps))
	for _, step := range g.steps[:n] {
		step()
	}
	g.steps = g.steps[n:]
	return len(g.steps) == 0
}

// A rowFit is the fit of one row type.
type rowFit struct {
	*fitting
	t      *rowType
	l      *rowLearner
	d, old *rowModel
	to     *rowSet // its place in the set

	keys *recordLearner
	sum  recordLearner // counts of all updates …
	each updateLearner // … and of those in each context, of whatever kind
	base rowModel      // the model made of what is fitted so far

	kinds     rowSet      // the same as to with tables by kind …
	kind      updateModel // … the tables of the kind being fitted …
	withKinds float64     // … and the bits that all updates take with kinds
}

// row adds the steps for one row type: first what all updates share, keyframes, and
// each context; then, if updates are counted by kind, the same for each kind.
func (g *fitting) row(i int) {
	r := &rowFit{
		fitting: g, t: g.types[i], l: &g.l.rows[i], d: &g.d.rows[i], old: &g.old.rows[i], to: &g.set.rows[i],
	}
	g.then(r.shapes)
	then := func(step func()) {
		g.then(func() {
			if r.to.shaped() { // else too little was counted for any table
				step()
			}
		})
	}
	then(r.common)
	for c := range contexts {
		then(func() { r.to.updates[0].contexts[c] = r.context(&r.each, &r.base.updates[0], c) })
	}
	if r.l.kind < 0 {
		return
	}
	then(func() {
		r.kinds = *r.to
		r.kinds.kind, r.kinds.updates = r.l.kind, make([]updateSet, len(r.l.updates)-1)
	})
	for k := 1; k < len(r.l.updates); k++ {
		then(func() { r.ofKind(&r.kinds.updates[k-1], &r.l.updates[k]) })
		for c := range contexts {
			then(func() { r.kinds.updates[k-1].contexts[c] = r.context(&r.l.updates[k], &r.kind, c) })
		}
	}
	then(func() { r.withKinds = r.price(&r.kinds, r.l, r.t, r.d) })
	then(func() {
		if r.withKinds < r.price(r.to, r.l, r.t, r.d) {
			*r.to = r.kinds
		}
	})
}

// shapes chooses the bases of keyframes and the patterns that get symbols; none if too
// little was counted.
func (r *rowFit) shapes() {
	none := newRowSet(r.t)
	none.heading = r.old.heading
	s := none
	s.keyBase, s.hasBase = slices.Clone(r.old.keyBase), make([]bool, len(r.t.words))
	for w := range r.l.votes {
		if v := &r.l.votes[w]; v.seen >= enough && v.won*2 > v.seen {
			s.keyBase[w] = v.value
		}
		s.hasBase[w] = s.keyBase[w] != r.t.words[w].Default
	}
	r.keys = &r.l.keys
	if !slices.Equal(s.keyBase, r.old.keyBase) {
		forgotten := newRecordLearner(r.t)
		r.keys = &forgotten // the counts are against other bases
	}
	r.sum, r.each = r.l.sums(r.t)
	counts := [shapes]*recordLearner{&r.sum, r.keys}
	for k := range s.shapes {
		s.shapes[k] = r.shape(counts[k], r.t)
	}
	if *r.to = s; !s.shaped() {
		*r.to = none
	}
}

// common fits the tables shared by all updates, and those of keyframes.
func (r *rowFit) common() {
	base := r.to.build(r.t, r.d) // with the common patterns, everything else by default
	r.to.any = r.record(&r.sum, &r.d.updates[0][0], &base.updates[0][0], nil)
	r.to.keys = r.record(r.keys, &r.d.keys, &base.keys, nil)
	r.base = r.to.build(r.t, r.d)
}

// context fits the tables of one context; now is the model in force.
func (r *rowFit) context(l *updateLearner, now *updateModel, c int) recordSet {
	return r.record(&l[c], &r.d.updates[0][0], &now[c], &r.base.shapes[shapeUpdate])
}

// ofKind fits the tables that all contexts of one kind share.
func (r *rowFit) ofKind(s *updateSet, l *updateLearner) {
	sum := newRecordLearner(r.t)
	for c := range l {
		sum.add(&l[c])
	}
	def, now := &r.d.updates[0][0], &r.base.updates[0][0]
	s.all = r.record(&sum, def, now, &r.base.shapes[shapeUpdate])
	r.kind = s.build(def, now)
}
