package store

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// walkPlan is how a walk reads the components of one row type (walk.go). It says which
// bytes of a component to sum, and which words are predicted.
type walkPlan struct {
	probes probes // see all that is replicated
	rest   probes // see all but the position
	Axes   []axis // the predicted words; nil if they are not all alike (steer.go)
	glides bool   // the position is predicted
}

// A probe is eight bytes of a component's struct.
type probe struct {
	off  uintptr
	mask uint64 // selects the bytes that belong to replicated fields
	key  uint64
}

// probes take the sum of a component: the products of pairs of probes and, as it is,
// the one that has no other, combined by exclusive or.
type probes struct {
	pairs [][2]probe
	odd   probe
}

// changed returns which of the given rows have another sum than seen, and updates seen.
func (p *probes) changed(here *components, rows uint64, seen []uint64, blocks *[sheaf]uint32) (changed uint64) {
	var sums [sheaf]uint64
	for k := range p.pairs {
		addProducts(rows, p.pairs[k][0], p.pairs[k][1], here, &sums)
	}
	off, mask := p.odd.off, p.odd.mask
	_, _ = here[0], blocks[0] // spares the loops the check for nil
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		sum := *schema.At[uint64](here[i], off)&mask ^ sums[i]
		if was := &seen[blocks[i]]; sum != *was {
			*was = sum
			changed |= 1 << i
		}
	}
	return changed
}

// addProducts adds the product of two probes to the sum of each row.
func addProducts(rows uint64, x, y probe, here *components, sums *[sheaf]uint64) {
	_, _ = sums[0], here[0]
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		sums[i] ^= product(*schema.At[uint64](here[i], x.off)&x.mask^x.key, *schema.At[uint64](here[i], y.off)&y.mask^y.key)
	}
}

// product mixes two words as wyhash does: the halves of the 128-bit product, combined
// by exclusive or.
func product(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// probeSize is the bytes of a probe.
const probeSize = 8

// newWalkPlan makes the walk plan of a row type whose item is one row of plain fields: one
// part, without variable-length, optional or conditional values and without references.
func newWalkPlan(t *rowtype.Type) (plan walkPlan, walks bool) {
	item := t.Item
	if len(item.Parts) != 1 || len(t.Vars) > 0 || t.When != nil || item.Size < probeSize {
		return walkPlan{}, false
	}
	var probes []probe
	for i := range item.Layout.Plan {
		o := &item.Layout.Plan[i]
		if o.Kind == schema.OpOpt || o.Kind == schema.OpRef || o.Kind == schema.OpVar {
			return walkPlan{}, false
		}
		for k := range o.N {
			probes = probed(probes, o.Off+uintptr(k)*o.Size(), o.Size(), item.Size)
		}
	}
	pl := newPlace(item)
	plan = walkPlan{probes: summed(probes), rest: summed(pl.hidden(probes)), Axes: axesOf(t)}
	plan.glides = pl.ok && t.Words[t.Pos[0]].Velocity >= 0 && t.Words[t.Pos[1]].Velocity >= 0
	return plan, true
}

// probed adds a field to the probes: size bytes at offset field of a struct of whole
// bytes.
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

// bytesOf is a mask of those of the eight bytes at off that belong to a field.
func bytesOf(off, field, size uintptr) uint64 {
	var mask [probeSize]byte
	for k := range mask {
		if at := off + uintptr(k); at >= field && at < field+size {
			mask[k] = 0xff
		}
	}
	return binary.NativeEndian.Uint64(mask[:])
}

// hidden returns the probes without the bytes of the position.
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

// summed pairs probes and gives them keys.
func summed(all []probe) (p probes) {
	keys := rand.NewPCG(1, 2) // any odd numbers do
	for ; len(all) > 1; all = all[2:] {
		x, y := all[0], all[1]
		x.key, y.key = keys.Uint64()|1, keys.Uint64()|1
		p.pairs = append(p.pairs, [2]probe{x, y})
	}
	if len(all) > 0 {
		p.odd = all[0]
	}
	return p
}
