package rpl

import "slices"

// A fit takes some milliseconds, and more the more kinds of items a game has. In one
// tick that would be a tick that comes too late; so a fit is a list of steps, each a
// few tables, and a tick does at most fitSteps of them. What is counted meanwhile
// counts for the steps to come: no step needs what it was for another.

// fitSteps is what a type of nine kinds takes, or six plain ones: some 5 ms. To fit takes
// memory, and a tick that ships tables, as the last of a fit does, is no steady one: so
// what is bearable is done in one tick.
const fitSteps = 48

// A fitting is a fit under way.
type fitting struct {
	fitter
	l      *learner
	types  []*rowType
	d, old *model // the default one, and the one that was in force

	set   *tableSet
	next  *model  // what the set makes …
	saved float64 // … and the bits of what was counted that it saves

	steps []func() // to be done yet
	pace  int      // of them in a tick
}

// begin is the fit of everything that was counted. d is the default model, old the
// one that is in force.
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

// on does the steps of one tick, and reports whether all are done.
func (g *fitting) on() (done bool) {
	n := min(g.pace, len(g.steps))
	for _, step := range g.steps[:n] {
		step()
	}
	g.steps = g.steps[n:]
	return len(g.steps) == 0
}

// A rowFit is that of one row type.
type rowFit struct {
	*fitting
	t      *rowType
	l      *rowLearner
	d, old *rowModel
	to     *rowSet // in the set

	keys *recordLearner
	sum  recordLearner // of all updates …
	each updateLearner // … and in each context, whatever kind they are of
	base rowModel      // what is fitted so far makes this

	kinds     rowSet      // the same with tables by kinds …
	kind      updateModel // … of which this one is being fitted …
	withKinds float64     // … and the bits that all takes with them
}

// row adds the steps for a row type: what is common to all of its updates, its
// keyframes, its contexts, and where kinds are counted all of that by kinds.
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

// shapes chooses the bases of keyframes and the patterns that have symbols; none
// where too little was counted.
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
		r.keys = &forgotten // they were counted against other bases
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

// common fits the tables of any update, and those of keyframes.
func (r *rowFit) common() {
	base := r.to.build(r.t, r.d) // with common patterns, and all else by default
	r.to.any = r.record(&r.sum, &r.d.updates[0][0], &base.updates[0][0], nil)
	r.to.keys = r.record(r.keys, &r.d.keys, &base.keys, nil)
	r.base = r.to.build(r.t, r.d)
}

// context fits the tables of a context; now is what is in force.
func (r *rowFit) context(l *updateLearner, now *updateModel, c int) recordSet {
	return r.record(&l[c], &r.d.updates[0][0], &now[c], &r.base.shapes[shapeUpdate])
}

// ofKind fits the tables that a kind has in any context.
func (r *rowFit) ofKind(s *updateSet, l *updateLearner) {
	sum := newRecordLearner(r.t)
	for c := range l {
		sum.add(&l[c])
	}
	def, now := &r.d.updates[0][0], &r.base.updates[0][0]
	s.all = r.record(&sum, def, now, &r.base.shapes[shapeUpdate])
	r.kind = s.build(def, now)
}
