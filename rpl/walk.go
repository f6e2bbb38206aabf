package rpl

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// A walk reads one component of plain fields into its one row, and settles the
// row. It is what most of a tick is spent on, so it asks by a sum whether a
// component shows what it last saw, quantises only what may differ, and looks only
// at what can have left its course.

// walkPlan is how the component of one rowType is walked; words are the row's.
type walkPlan struct {
	windows []window
	probes  []probe // what the windows see …
	rest    []probe // … but for where the node is
	all     uint64  // the windows as bits
	placed  uint64  // those with the node's place
	axes    []axis  // the predicted words, nil where they are not all alike
}

// A probe is eight bytes of a struct.
type probe struct {
	off  uintptr
	mask uint64 // the bytes that belong to fields
	key  uint64
}

// probeOf is a probe of one field.
func probeOf(field, size, whole uintptr) probe {
	off := min(field, whole-windowSize)
	return probe{off: off, mask: bytesOf(off, field, size)}
}

// A window is a probe's fields: a float64, or smaller ones.
type window struct {
	off   uintptr
	float bool // it is a float64 …
	word  int  // … of this word …
	moves bool // … which is predicted
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
	maxWindows = 64 // as many as a word of what is read has bits
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
	for i := range plan.windows {
		w := &plan.windows[i]
		w.moves = w.float && t.words[w.word].Velocity >= 0
	}
	plan.all = 1<<len(plan.windows) - 1
	pl := newPlace(item)
	plan.split(&pl)
	if len(t.inferred) == 0 && len(t.phased) == len(t.predicted) {
		for _, i := range t.phased {
			plan.axes = append(plan.axes, axis{i, t.courses[i], t.once != nil && t.once[i]})
		}
	}
	t.walk, t.walks = plan, true
}

// split tells apart what says where the node is.
func (p *walkPlan) split(pl *place) {
	for i, all := range p.probes {
		rest := all
		if pl.ok {
			rest.mask &^= bytesOf(all.off, pl.x, pl.size) | bytesOf(all.off, pl.y, pl.size)
		}
		p.placed |= uint64(flag(rest.mask != all.mask)) << i
		if rest.mask != 0 {
			p.rest = append(p.rest, rest)
		}
	}
	p.probes, p.rest = keyed(p.probes), keyed(p.rest)
}

// bytesOf are those bytes of eight at an offset that belong to a field.
func bytesOf(off, field, size uintptr) uint64 {
	var mask [windowSize]byte
	for k := range mask {
		if at := off + uintptr(k); at >= field && at < field+size {
			mask[k] = 0xff
		}
	}
	return binary.NativeEndian.Uint64(mask[:])
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
		p.probes = append(p.probes, probe{off: f.off, mask: ^uint64(0)})
		p.windows = append(p.windows, window{
			off: f.off, float: true, word: at[f.word], quantiser: f.quant,
		})
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
	p.probes[i].mask |= bytesOf(off, f.off, f.size())
	p.windows[i].fields = append(p.windows[i].fields, walkField{f, at[f.word:f.end]})
}

// sumOf mixes what some probes see, two by two, as wyhash does: products of 128
// bits, folded. That a component shows something else and has the same sum happens
// once in 2^64 changes.
func sumOf(component unsafe.Pointer, probes []probe) (sum uint64) {
	for len(probes) >= 4 {
		p := (*[4]probe)(probes)
		sum ^= p[0].with(&p[1], component) ^ p[2].with(&p[3], component)
		probes = probes[4:]
	}
	if len(probes) >= 2 {
		sum ^= probes[0].with(&probes[1], component)
	}
	return sum
}

func (p *probe) with(q *probe, component unsafe.Pointer) uint64 {
	hi, lo := bits.Mul64(*at[uint64](component, p.off)&p.mask^p.key, *at[uint64](component, q.off)&q.mask^q.key)
	return hi ^ lo
}

// keyed gives probes their keys, and makes their number even.
func keyed(probes []probe) []probe {
	keys := rand.NewPCG(1, 2) // any odd ones
	if len(probes)%2 != 0 {
		probes = append(probes, probe{})
	}
	for i := range probes {
		probes[i].key = keys.Uint64() | 1
	}
	return probes
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
		moves, turns = moves || w.moves, turns || !w.moves
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

// read reads windows of a component into its row, and settles the row: it reports
// whether the row has left its course.
func (c *Column) read(i int, component unsafe.Pointer, windows uint64) (off bool) {
	t, s := c.t, c.slab
	now := s.current(c.blocks[i], t.width)
	moves, turns := t.read(component, windows, now)
	if !c.place.ok && windows != 0 {
		c.follow(c.items[i], now)
	}
	drifting := c.drifting[i>>6]>>(i&63)&1 != 0
	return (moves || turns || drifting) && c.leaves(i, s, now, turns)
}

// follow notes where a node is whose words alone say that; now is its row.
func (c *Column) follow(it Item, now []int32) {
	h, step := &c.a.hots[it], c.t.item.PosStep
	if h.flags&hotPlace == 0 {
		return
	}
	x, y := float64(now[c.t.pos[0]])*step, float64(now[c.t.pos[1]])*step
	if s := &c.a.spots[h.slot]; x != s.x || y != s.y {
		c.a.moved(h.slot, x, y)
	}
}

// leaves brings a row's phases up to its words, and reports whether it has left
// its course. turns is whether a word changed that nothing predicts.
func (c *Column) leaves(i int, s *slab, now []int32, turns bool) (off bool) {
	a, t, block := c.a, c.t, c.blocks[i]
	last, tick := s.anchor(block, t.width)
	age := uint32(a.tick) - tick
	if len(t.walk.axes) > 0 {
		off = !s.steer(t.walk.axes, block, uint32(a.tick), age, last, now)
	} else {
		if len(t.phased) > 0 {
			turns = s.track(t, block, uint32(a.tick), now) || turns
		}
		off = !t.follows(last, now, age)
	}
	if turns {
		off = off || !t.stands(last, now)
		if drifts := t.drifts(now); drifts != (c.drifting[i>>6]>>(i&63)&1 != 0) {
			h := &a.hots[c.items[i]]
			h.flags ^= hotDrifts
			a.rows[h.row].drifting = drifts
			a.sort(h)
		}
	}
	return off
}

// steer is track and follows at once, for rows whose predicted words are axes.
func (s *slab) steer(axes []axis, block, tick, age uint32, last, now []int32) (follows bool) {
	seen := s.tracked(block)
	n := int64(tick - uint32(*seen))
	tracks := n != 0 || *seen == 0
	*seen = int32(tick)
	trackers := s.trackers(block, len(axes))
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
	for off := a.off; len(off) > 0; off = off[min(ahead, len(off)):] {
		some := off[:min(ahead, len(off))]
		a.touchOff(t, some)
		for _, e := range some {
			r := &a.rows[e.row]
			r.touched = false
			last, tick := a.anchored(r)
			a.leaveCourse(r, last, tick)
			a.tellHolders(&a.nodes[e.slot])
		}
	}
	a.off = a.off[:0]
}
