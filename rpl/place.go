package rpl

import "unsafe"

// place reads where a component says that its node is, without quantising all
// of it: what stands in the range of its words is taken as it is.
type place struct {
	x, y uintptr
	q    quantiser
	step float64
	size uintptr  // of each
	seen [2]probe // the bytes of both
	f32  bool
	ok   bool
}

func newPlace(t *ItemType) place {
	if t.Pos[0] < 0 {
		return place{}
	}
	for i := range t.lay.plan {
		o := &t.lay.plan[i]
		if o.kind != opFloat64 && o.kind != opFloat32 || t.Pos[0] < int(o.word) || t.Pos[1] >= int(o.end) {
			continue
		}
		size := uintptr(8)
		if o.kind == opFloat32 {
			size = 4
		}
		x := o.off + size*uintptr(t.Pos[0]-int(o.word))
		y := o.off + size*uintptr(t.Pos[1]-int(o.word))
		seen := keyed([]probe{probeOf(x, size, t.Size), probeOf(y, size, t.Size)})
		return place{x: x, y: y, q: o.quant, step: t.PosStep, size: size, seen: [2]probe(seen), f32: size == 4, ok: true}
	}
	return place{}
}

// sum mixes what a component shows of it.
func (pl *place) sum(p unsafe.Pointer) uint64 { return pl.seen[0].with(&pl.seen[1], p) }

// raw is read without the clamping.
func (pl *place) raw(p unsafe.Pointer) (x, y float64) {
	if pl.f32 {
		return float64(*at[float32](p, pl.x)) - pl.q.bias, float64(*at[float32](p, pl.y)) - pl.q.bias
	}
	return *at[float64](p, pl.x) - pl.q.bias, *at[float64](p, pl.y) - pl.q.bias
}

func (pl *place) read(p unsafe.Pointer) (x, y float64) {
	if pl.f32 {
		return pl.within(float64(*at[float32](p, pl.x))), pl.within(float64(*at[float32](p, pl.y)))
	}
	return pl.within(*at[float64](p, pl.x)), pl.within(*at[float64](p, pl.y))
}

// within clamps a coordinate as its quantiser does.
func (pl *place) within(v float64) float64 {
	v -= pl.q.bias
	if x := v * pl.q.scale; x > pl.q.lo && x < pl.q.hi {
		return v
	}
	return float64(pl.q.outside(v*pl.q.scale)) * pl.step
}
