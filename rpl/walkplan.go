package rpl

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// walkPlan is how a walk reads the component of one rowType (walk.go).
type walkPlan struct {
	probes []probePair // all that is replicated …
	rest   []probePair // … but for where the node is
	axes   []axis      // the predicted words, nil where they are not all alike
	glides bool        // where the node is, is predicted
}

// A probe is eight bytes of a struct.
type probe struct {
	off  uintptr
	mask uint64 // the bytes that belong to fields
	key  uint64
}

// A probePair is two probes, whose product is a part of a sum.
type probePair [2]probe

// add adds its part to the sums of some rows.
func (p *probePair) add(sums *[sheaf]uint64, here *components, rows uint64) {
	x, y := p[0], p[1]
	_, _ = sums[0], here[0] // the loop need not ask whether they are nil
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		sums[i] ^= product(*at[uint64](here[i], x.off)&x.mask^x.key, *at[uint64](here[i], y.off)&y.mask^y.key)
	}
}

// product mixes two words as wyhash does: 128 bits, folded.
func product(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// probeSize is the bytes of a probe.
const probeSize = 8

// walkable makes the plan where the row is all of its item, of fields that have
// words only and whose values are their own.
func (t *rowType) walkable() {
	item := t.item
	if len(item.Parts) != 1 || len(t.vars) > 0 || t.when != nil || item.Size < probeSize {
		return
	}
	var probes []probe
	for i := range item.lay.plan {
		o := &item.lay.plan[i]
		if o.kind == opOpt || o.kind == opRef || o.kind == opVar {
			return
		}
		for k := range o.n {
			probes = probed(probes, o.off+uintptr(k)*o.size(), o.size(), item.Size)
		}
	}
	pl := newPlace(item)
	plan := walkPlan{probes: paired(probes), rest: paired(pl.hidden(probes)), axes: t.axesOf()}
	plan.glides = pl.ok && t.words[t.pos[0]].Velocity >= 0 && t.words[t.pos[1]].Velocity >= 0
	t.walk, t.walks = plan, true
}

// probed are the probes that see a field of a struct as well.
func probed(probes []probe, field, size, whole uintptr) []probe {
	off := min(field, whole-probeSize)
	if size < probeSize { // together with its neighbours
		off = min(field&^(probeSize-1), whole-probeSize)
	}
	i := 0
	for i < len(probes) && probes[i].off != off {
		i++
	}
	if i == len(probes) {
		probes = append(probes, probe{off: off})
	}
	probes[i].mask |= bytesOf(off, field, size)
	return probes
}

// bytesOf are those bytes of eight at an offset that belong to a field.
func bytesOf(off, field, size uintptr) uint64 {
	var mask [probeSize]byte
	for k := range mask {
		if at := off + uintptr(k); at >= field && at < field+size {
			mask[k] = 0xff
		}
	}
	return binary.NativeEndian.Uint64(mask[:])
}

// hidden are the probes without where the node is.
func (pl *place) hidden(probes []probe) (rest []probe) {
	for _, p := range probes {
		if pl.ok {
			p.mask &^= bytesOf(p.off, pl.x, pl.size) | bytesOf(p.off, pl.y, pl.size)
		}
		if p.mask != 0 {
			rest = append(rest, p)
		}
	}
	return rest
}

// paired gives probes their keys, and makes their number even.
func paired(probes []probe) (pairs []probePair) {
	keys := rand.NewPCG(1, 2) // any odd ones
	for i := 0; i < len(probes); i += 2 {
		var p probePair
		copy(p[:], probes[i:])
		p[0].key, p[1].key = keys.Uint64()|1, keys.Uint64()|1
		pairs = append(pairs, p)
	}
	return pairs
}
