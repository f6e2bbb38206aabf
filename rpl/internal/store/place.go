package store

import (
	"math/bits"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/schema"
)

// place reads the position of a node from a component without quantising all of it. A
// position within the range of its words is taken as it is, not rounded to a step.
type place struct {
	x, y uintptr
	q    schema.Quantiser
	step float64
	keys [2]uint64 // of the sums by which positions are compared
	size uintptr   // bytes of a coordinate
	f32  bool
	ok   bool
}

// placeKeys are any odd numbers.
var placeKeys = [2]uint64{0x9e3779b97f4a7c15, 0xd1b54a32d192ed03}

// newPlace finds where the components of a type have their position; ok is false if it is not
// in adjacent floats of one field.
func newPlace(t *schema.ItemType) place {
	if t.Pos[0] < 0 {
		return place{}
	}
	for i := range t.Layout.Plan {
		o := &t.Layout.Plan[i]
		if o.Kind != schema.OpFloat64 && o.Kind != schema.OpFloat32 || t.Pos[0] < int(o.Word) || t.Pos[1] >= int(o.End) {
			continue
		}
		x := o.Off + o.Size()*uintptr(t.Pos[0]-int(o.Word))
		y := o.Off + o.Size()*uintptr(t.Pos[1]-int(o.Word))
		return place{x: x, y: y, keys: placeKeys, q: o.Quant, step: t.PosStep, size: o.Size(), f32: o.Kind == schema.OpFloat32, ok: true}
	}
	return place{}
}

// see reads the position from a component.
func (pl *place) see(p unsafe.Pointer) (x, y float64) {
	if pl.f32 {
		return float64(*schema.At[float32](p, pl.x)), float64(*schema.At[float32](p, pl.y))
	}
	return *schema.At[float64](p, pl.x), *schema.At[float64](p, pl.y)
}

// compare returns which of the given rows have another position than seen says. seen
// are sums of positions, which it updates. Where they are all rows and few of them are
// expected to have moved (calm), four are compared at a time.
func (pl *place) compare(here *components, seen *[sheaf]uint64, rows uint64, calm bool) (moved uint64) {
	calm = calm && rows == ^uint64(0)
	switch {
	case calm && pl.f32:
		rows = perhapsElsewhere[uint32](here, seen, pl.x, pl.y, &pl.keys)
	case calm:
		rows = perhapsElsewhere[uint64](here, seen, pl.x, pl.y, &pl.keys)
	}
	if pl.f32 {
		return elsewhere[uint32](here, seen, rows, pl.x, pl.y, &pl.keys)
	}
	return elsewhere[uint64](here, seen, rows, pl.x, pl.y, &pl.keys)
}

// perhapsElsewhere returns the rows of all those four of which one has another position.
func perhapsElsewhere[T uint32 | uint64](here *components, seen *[sheaf]uint64, atX, atY uintptr, keys *[2]uint64) (rows uint64) {
	for i := 0; i < sheaf; i += 4 {
		four, was := (*[4]unsafe.Pointer)(here[i:]), (*[4]uint64)(seen[i:])
		if (sumAt[T](four[0], atX, atY, keys)^was[0])|(sumAt[T](four[1], atX, atY, keys)^was[1])|
			(sumAt[T](four[2], atX, atY, keys)^was[2])|(sumAt[T](four[3], atX, atY, keys)^was[3]) != 0 {
			rows |= 0xf << i
		}
	}
	return rows
}

// sumAt is the sum of a position.
func sumAt[T uint32 | uint64](at unsafe.Pointer, atX, atY uintptr, keys *[2]uint64) uint64 {
	return product(uint64(*schema.At[T](at, atX))^keys[0], uint64(*schema.At[T](at, atY))^keys[1])
}

func elsewhere[T uint32 | uint64](here *components, seen *[sheaf]uint64, rows uint64, atX, atY uintptr, keys *[2]uint64) (moved uint64) {
	_, _ = here[0], seen[0] // spares the loop the check for nil
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if sum := sumAt[T](here[i], atX, atY, keys); sum != seen[i] {
			seen[i] = sum
			moved |= 1 << i
		}
	}
	return moved
}

// note writes the positions of some rows, less the bias, to their nodes' spots. It
// returns the rows that are farther than a slack from where the grid has them.
func (pl *place) note(positions []spatial.Position, slots *[sheaf]uint32, here *components, rows uint64, slack float64) (displaced uint64) {
	if pl.f32 {
		return noted[float32](positions, slots, here, rows, pl, slack)
	}
	return noted[float64](positions, slots, here, rows, pl, slack)
}

func noted[T float32 | float64](positions []spatial.Position, slots *[sheaf]uint32, here *components, rows uint64, pl *place, slack float64) (displaced uint64) {
	atX, atY, bias, most := pl.x, pl.y, pl.q.Bias, spatial.Apart(slack, 0)
	_, _ = here[0], slots[0] // as in elsewhere
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		s := &positions[slots[i]]
		x, y := float64(*schema.At[T](here[i], atX))-bias, float64(*schema.At[T](here[i], atY))-bias
		s.X, s.Y = x, y
		if spatial.Apart(x-float64(s.GridX), y-float64(s.GridY)) > most {
			displaced |= 1 << i
		}
	}
	return displaced
}

// clamped is a coordinate, less the bias, clamped to the range of its quantiser.
func (pl *place) clamped(v float64) float64 {
	if x := v * pl.q.Scale; x > pl.q.Lo && x < pl.q.Hi {
		return v
	}
	return float64(pl.q.Outside(v*pl.q.Scale)) * pl.step
}
