package rpl

import (
	"math"
	"unsafe"
)

// A walk reads one component of plain fields into its one row, and settles the
// row. It is what most of a tick is spent on, so it compares each float with
// the one that it last saw before it quantises it, and looks only at what can
// have left its course.

// walkPlan is how the component of one rowType is walked; the fields' words are
// the row's.
type walkPlan struct {
	floats []walkFloat
	bytes  []intField
	shorts []intField
}

type walkFloat struct {
	floatField
	angle bool
}

// walkable makes the plan where the row is all of its item, of fields that have
// loops of their own.
func (t *rowType) walkable() {
	l := &t.item.lay
	if len(t.item.Parts) != 1 || len(t.vars) > 0 || t.when != nil || len(l.fast.rest) > 0 {
		return
	}
	at := make([]int, len(t.words))
	for k, w := range t.from {
		if w >= 0 {
			at[w] = k
		}
	}
	floats := func(fs []floatField, angle bool) {
		for _, f := range fs {
			f.word = at[f.word]
			t.walk.floats = append(t.walk.floats, walkFloat{f, angle})
		}
	}
	ints := func(fs []intField) (out []intField) {
		for _, f := range fs {
			f.word = at[f.word]
			out = append(out, f)
		}
		return out
	}
	floats(l.fast.floats, false)
	floats(l.fast.angles, true)
	t.walk.bytes, t.walk.shorts = ints(l.fast.bytes), ints(l.fast.shorts)
	t.walks, t.raws = true, len(t.walk.floats)
}

// read brings a row up to its component. raw is what its floats were. moves is
// whether a predicted word changed, turns whether another did.
func (t *rowType) read(p unsafe.Pointer, now []int32, raw []float64) (moves, turns bool) {
	plan := &t.walk
	words := t.words[:len(now)-len(t.phased)]
	raw = raw[:len(plan.floats)]
	for i := range plan.floats {
		f := &plan.floats[i]
		v := *at[float64](p, f.off)
		if v == raw[i] {
			continue
		}
		raw[i] = v
		var w int32
		if f.angle {
			w = f.angleWord(v)
		} else {
			w = f.quantiser.word(v)
		}
		if w == now[f.word] {
			continue
		}
		now[f.word] = w
		if words[f.word].Velocity < 0 {
			turns = true
		} else {
			moves = true
		}
	}
	for i := range plan.bytes {
		f := &plan.bytes[i]
		if w := min(max(int32(*at[uint8](p, f.off)), f.lo), f.hi); w != now[f.word] {
			now[f.word], turns = w, true
		}
	}
	for i := range plan.shorts {
		f := &plan.shorts[i]
		if w := min(max(int32(*at[int16](p, f.off)), f.lo), f.hi); w != now[f.word] {
			now[f.word], turns = w, true
		}
	}
	return moves, turns
}

// walk reads one component, and settles its row where a send follows: it reports
// whether the row has left its course.
func (a *Authority) walk(h *hot, t *rowType, pl *place, component unsafe.Pointer, sends bool) (off bool) {
	s := &a.slabs[t.index]
	w := t.width
	at := int(h.k) * w
	now := s.now[at : at+w : at+w]
	raw := s.raw[int(h.k)*t.raws:][:t.raws:t.raws]
	if h.flags&hotWalked == 0 {
		for i := range raw {
			raw[i] = math.NaN() // unlike everything
		}
		r := &a.rows[h.row]
		r.walked = true
		h.flags |= hotWalked | hotStale
		if r.drifting {
			h.flags |= hotDrifts
		}
	}
	moves, turns := t.read(component, now, raw)
	if turns {
		h.flags |= hotTurned
	}
	if moves {
		h.flags |= hotMoved
	}
	if (moves || turns) && h.flags&hotPlace != 0 {
		x, y := float64(now[t.pos[0]])*t.item.PosStep, float64(now[t.pos[1]])*t.item.PosStep
		if pl.ok {
			x, y = pl.read(component)
		}
		if sp := &a.spots[h.slot]; x != sp.x || y != sp.y {
			a.moved(h.slot, x, y)
		}
	}
	if !sends || h.flags&(hotTurned|hotMoved|hotDrifts) == 0 {
		return false
	}
	if len(t.phased) > 0 {
		if s.track(t, h.k, uint32(a.tick), now) {
			h.flags |= hotTurned
		}
	}
	last, tick := s.anchor(h.k, w)
	off = h.flags&hotTurned != 0 && !t.stands(last, now) || !t.follows(last, now, uint32(a.tick)-tick)
	if h.flags&hotTurned != 0 {
		if drifts := t.drifts(now); drifts != (h.flags&hotDrifts != 0) {
			h.flags ^= hotDrifts
			a.rows[h.row].drifting = drifts
		}
	}
	h.flags &^= hotTurned | hotMoved
	return off
}

// leave makes new versions of the rows that the walk found off their course,
// and marks them for their holders.
func (a *Authority) leave(t *rowType) {
	a.touchOff(t, a.off)
	for _, it := range a.off {
		h := &a.hots[it]
		r := &a.rows[h.row]
		r.touched = false
		last, tick := a.anchored(r)
		a.leaveCourse(r, last, tick)
		a.tellHolders(&a.nodes[h.slot])
	}
	a.off = a.off[:0]
}
