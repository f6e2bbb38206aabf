package rpl

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// A walk reads one component of plain fields into its one row, and settles the
// row. It is what most of a tick is spent on, so it compares a component eight
// bytes at a time with what it last saw, quantises only what differs, and looks
// only at what can have left its course.

// walkPlan is how the component of one rowType is walked; words are the row's.
type walkPlan struct {
	probes  []probe
	windows []window // the same
	axes    []axis   // the predicted words, nil where they are not all alike
}

// A probe is eight bytes of a struct.
type probe struct {
	off  uintptr
	mask uint64 // the bytes that belong to fields
}

// A window is a probe's fields: a float64, or smaller ones.
type window struct {
	off   uintptr
	float bool // it is a float64 …
	word  int  // … of this word
	quantiser
	fields []walkField
}

// A walkField is a field that is read by its op.
type walkField struct {
	op    op // of the one field
	words []int
}

// An axis is a predicted word with a phase.
type axis struct {
	word int
	course
	once bool
}

const (
	windowSize = 8
	maxWindows = 64 // as many as a word of what has changed has bits
)

// walkable makes the plan where the row is all of its item, of fields that have
// words only and whose values are their own.
func (t *rowType) walkable() {
	item := t.item
	if len(item.Parts) != 1 || len(t.vars) > 0 || t.when != nil || item.Size < windowSize {
		return
	}
	at := make([]int, len(t.words))
	for k, w := range t.from {
		if w >= 0 {
			at[w] = k
		}
	}
	var plan walkPlan
	for i := range item.lay.plan {
		o := &item.lay.plan[i]
		if o.kind == opOpt || o.kind == opRef || o.kind == opVar {
			return
		}
		for k := range o.n {
			plan.add(o.field(k), at, item.Size)
		}
	}
	if len(plan.windows) > maxWindows {
		return
	}
	if len(t.inferred) == 0 && len(t.phased) == len(t.predicted) {
		for _, i := range t.phased {
			plan.axes = append(plan.axes, axis{i, t.courses[i], t.once != nil && t.once[i]})
		}
	}
	t.walk, t.walks = plan, true
}

// field is the op of the k-th of its fields alone.
func (o *op) field(k int) op {
	f := *o
	n := uint32(o.perField())
	f.off, f.n = o.off+uintptr(k)*o.size(), 1
	f.word = o.word + uint32(k)*n
	f.end = f.word + n
	return f
}

// add puts a field into the window that it is in.
func (p *walkPlan) add(f op, at []int, size uintptr) {
	if f.kind == opFloat64 {
		p.probes = append(p.probes, probe{f.off, ^uint64(0)})
		p.windows = append(p.windows, window{off: f.off, float: true, word: at[f.word], quantiser: f.quant})
		return
	}
	off := min(f.off, size-windowSize)
	if f.size() < windowSize {
		off = min(f.off&^(windowSize-1), size-windowSize)
	}
	i := 0
	for i < len(p.windows) && (p.windows[i].float || p.windows[i].off != off) {
		i++
	}
	if i == len(p.windows) {
		p.probes = append(p.probes, probe{off: off})
		p.windows = append(p.windows, window{off: off})
	}
	var mask [windowSize]byte
	for k := range f.size() {
		mask[f.off-off+k] = 0xff
	}
	p.probes[i].mask |= binary.NativeEndian.Uint64(mask[:])
	p.windows[i].fields = append(p.windows[i].fields, walkField{f, at[f.word:f.end]})
}

// differs is whether a component shows something else than it did. No branch
// depends on what it shows.
func (p *walkPlan) differs(component unsafe.Pointer, shown []uint64) bool {
	shown = shown[:len(p.probes)]
	any := uint64(0)
	for i := range p.probes {
		any |= *at[uint64](component, p.probes[i].off)&p.probes[i].mask ^ shown[i]
	}
	return any != 0
}

// changes keeps what a component shows, and reports which windows differ from
// what it did show, as bits.
func (p *walkPlan) changes(component unsafe.Pointer, shown []uint64) (changed uint64) {
	shown = shown[:len(p.probes)]
	for i := range p.probes {
		v := *at[uint64](component, p.probes[i].off) & p.probes[i].mask
		changed |= uint64(flag(v != shown[i])) << i
		shown[i] = v
	}
	return changed
}

// read quantises windows of a component into its row. moves is whether a
// predicted word changed, turns whether another did.
func (t *rowType) read(component unsafe.Pointer, windows uint64, now []int32) (moves, turns bool) {
	for ; windows != 0; windows &= windows - 1 {
		w := &t.walk.windows[bits.TrailingZeros64(windows)]
		if !w.float {
			m, u := t.readFields(w.fields, component, now)
			moves, turns = moves || m, turns || u
			continue
		}
		x := float64((*at[float64](component, w.off) - w.bias) * w.scale)
		var v int32
		if x > w.lo && x < w.hi { // quantiser.word by hand
			v = int32(x + math.Copysign(0.5, x))
		} else {
			v = w.outside(x)
		}
		if v == now[w.word] {
			continue
		}
		now[w.word] = v
		if t.words[w.word].Velocity < 0 {
			turns = true
		} else {
			moves = true
		}
	}
	return moves, turns
}

func (t *rowType) readFields(fields []walkField, component unsafe.Pointer, now []int32) (moves, turns bool) {
	var words [2]int32
	for i := range fields {
		f := &fields[i]
		f.op.extract(words[:len(f.words)], unsafe.Add(component, f.op.off))
		for k, w := range f.words {
			if words[k] == now[w] {
				continue
			}
			now[w] = words[k]
			if t.words[w].Velocity < 0 {
				turns = true
			} else {
				moves = true
			}
		}
	}
	return moves, turns
}

// walk reads one component into its row, and settles the row: it reports whether
// the row has left its course.
func (a *Authority) walk(c *columnWalk, h *hot, component unsafe.Pointer) (off bool) {
	t, s := c.t, c.slab
	shown := s.shows[int(h.k)*s.shown:][:s.shown]
	if h.flags&(hotWalked|hotDrifts) == hotWalked && !t.walk.differs(component, shown) {
		return false
	}
	windows := t.walk.changes(component, shown)
	if h.flags&hotWalked == 0 {
		windows = 1<<len(t.walk.windows) - 1
		a.beginWalk(h)
	}
	now := s.current(h.k, t.width)
	moves, turns := t.read(component, windows, now)
	if (moves || turns) && h.flags&hotPlace != 0 {
		x, y := float64(now[t.pos[0]])*t.item.PosStep, float64(now[t.pos[1]])*t.item.PosStep
		if c.place.ok {
			x, y = c.place.read(component)
		}
		if s := &a.spots[h.slot]; x != s.x || y != s.y {
			a.moved(h.slot, x, y)
		}
	}
	return (moves || turns || h.flags&hotDrifts != 0) && a.leaves(h, t, s, now, turns)
}

// beginWalk hands a row's settling over from Schedule.
func (a *Authority) beginWalk(h *hot) {
	r := &a.rows[h.row]
	r.walked = true
	h.flags |= hotWalked | hotStale
	if r.drifting {
		h.flags |= hotDrifts
	}
}

// leaves brings a row's phases up to its words, and reports whether it has left
// its course. turns is whether a word changed that nothing predicts.
func (a *Authority) leaves(h *hot, t *rowType, s *slab, now []int32, turns bool) (off bool) {
	last, tick := s.anchor(h.k, t.width)
	age := uint32(a.tick) - tick
	if len(t.walk.axes) > 0 {
		off = !s.steer(t.walk.axes, h.k, uint32(a.tick), age, last, now)
	} else {
		if len(t.phased) > 0 {
			turns = s.track(t, h.k, uint32(a.tick), now) || turns
		}
		off = !t.follows(last, now, age)
	}
	if turns {
		off = off || !t.stands(last, now)
		if drifts := t.drifts(now); drifts != (h.flags&hotDrifts != 0) {
			h.flags ^= hotDrifts
			a.rows[h.row].drifting = drifts
		}
	}
	return off
}

// steer is track and follows at once, for rows whose predicted words are axes.
func (s *slab) steer(axes []axis, row, tick, age uint32, last, now []int32) (follows bool) {
	seen := s.tracked(row)
	n := int64(tick - uint32(*seen))
	tracks := n != 0 || *seen == 0
	*seen = int32(tick)
	trackers := s.trackers(row, len(axes))
	follows = true
	for k := range axes {
		x := &axes[k]
		at, v := now[x.word], now[x.velocity]
		if tracks {
			now[x.phase] = trackers[k].step(at, v, n, x.rate)
		}
		to, _ := x.reached(last[x.word], last[x.phase], travel(last[x.velocity], v, int64(age), x.rate, phaseBits))
		follows = follows && (to == at || x.once)
	}
	return follows
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
