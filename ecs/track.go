package ecs

// track: the values of an item at the last few ticks, for drawing between them.

import (
	"math"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A track keeps the newest samples of the drawn fields of one item, ascending
// by tick.
type track struct {
	comp   *component
	ticks  []rpl.Tick
	cuts   []bool      // the way to this sample is a teleport, not a movement
	values [][]float64 // by sample, by field
	every  rpl.Tick    // how long after the state before the newest one came
	saved  []float64   // what the fields held before Frame wrote in place; empty: nothing is written
}

func newTrack(c *component) *track {
	if len(c.drawn) == 0 {
		return nil
	}
	return &track{comp: c}
}

// push adds the state of a tick. before is the newest tick that was received before t. If
// the item had changed by then, that packet would have said so; so it stood still until
// then.
func (k *track) push(t, before rpl.Tick, words []int32) {
	n := len(k.ticks)
	if n > 0 && t <= k.ticks[n-1] {
		if t == k.ticks[n-1] {
			k.fill(k.values[n-1], words)
		}
		return
	}
	if n > 0 {
		k.every = t - k.ticks[n-1]
		if before > k.ticks[n-1] && before < t {
			last := k.values[n-1]
			copy(k.grow(before, false), last)
		}
	}
	v := k.grow(t, false)
	k.fill(v, words)
	k.cuts[len(k.cuts)-1] = k.jumped()
}

// paced reports whether a state of tick t would come about as long after the newest one as
// that came after the one before.
func (k *track) paced(t rpl.Tick) bool {
	gap := t - k.newest()
	return gap < 2*k.every && k.every < 2*gap
}

// newest returns the tick of the newest sample, 0 if there is none.
func (k *track) newest() rpl.Tick {
	if len(k.ticks) == 0 {
		return 0
	}
	return k.ticks[len(k.ticks)-1]
}

// follows reports whether the state of a tick is about where the item was going: nothing
// has changed what its values are relative to.
func (k *track) follows(t rpl.Tick, words []int32) bool {
	n := len(k.ticks)
	if n == 0 {
		return false
	}
	ticks := float64(max(t, k.ticks[n-1]+1) - k.ticks[n-1])
	for i := range k.comp.drawn {
		f, fastest := &k.comp.drawn[i], 0.0
		for j := range k.comp.drawn {
			for s := 1; s < n && k.comp.drawn[j].prop == f.prop; s++ {
				if v := math.Abs(f.way(k.values[s-1][j], k.values[s][j])) / float64(k.ticks[s]-k.ticks[s-1]); !k.cuts[s] && v > fastest {
					fastest = v
				}
			}
		}
		if math.Abs(f.way(k.values[n-1][i], f.value(words))) > 2*(fastest*ticks+math.Abs(f.step)) {
			return false
		}
	}
	return true
}

// restart forgets all earlier samples: the item is drawn at the state of tick t from now
// on, like one that has just arrived.
func (k *track) restart(t rpl.Tick, words []int32) {
	k.ticks, k.cuts, k.values = k.ticks[:0], k.cuts[:0], k.values[:0]
	k.every = 0
	k.fill(k.grow(t, false), words)
}

func (k *track) fill(v []float64, words []int32) {
	for i := range k.comp.drawn {
		v[i] = k.comp.drawn[i].value(words)
	}
}

// grow appends a sample, replacing the oldest when there are maxSamples.
func (k *track) grow(t rpl.Tick, cut bool) []float64 {
	var v []float64
	if len(k.ticks) == maxSamples {
		v = k.values[0]
		copy(k.ticks, k.ticks[1:])
		copy(k.cuts, k.cuts[1:])
		copy(k.values, k.values[1:])
		k.ticks, k.cuts, k.values = k.ticks[:maxSamples-1], k.cuts[:maxSamples-1], k.values[:maxSamples-1]
	} else {
		v = make([]float64, len(k.comp.drawn))
	}
	k.ticks, k.cuts, k.values = append(k.ticks, t), append(k.cuts, cut), append(k.values, v)
	return v
}

// jumped reports whether the newest sample is a teleport: some prop has moved much faster
// than before, and faster than the eye can follow. If it has moved like that twice in a
// row, it is quick, as a bullet is, and the way before was no teleport either.
func (k *track) jumped() bool {
	n := len(k.ticks)
	if n < 2 {
		return false
	}
	quick := false
	for i := 0; i < len(k.comp.drawn); {
		f := &k.comp.drawn[i]
		end := i + 1
		for end < len(k.comp.drawn) && k.comp.drawn[end].prop == f.prop {
			end++
		}
		if f.turn == 0 {
			fastest := 0.0
			for s := 1; s < n-1; s++ {
				if v := k.speed(s, i, end); !k.cuts[s] && !math.IsNaN(v) {
					fastest = max(fastest, v)
				}
			}
			floor := min(jumpUnits, jumpQuanta*math.Abs(f.step))
			if k.speed(n-1, i, end) > max(jumpRatio*fastest, floor) {
				if !k.goesOn(i, end) {
					return true
				}
				quick = true
			}
		}
		i = end
	}
	if quick {
		k.cuts[n-2] = false
	}
	return false
}

// goesOn reports whether the newest way of fields i to end is about as fast as the one
// before, and not backwards.
func (k *track) goesOn(i, end int) bool {
	n := len(k.ticks)
	if n < 3 {
		return false
	}
	along := 0.0
	for f := i; f < end; f++ {
		along += (k.values[n-1][f] - k.values[n-2][f]) * (k.values[n-2][f] - k.values[n-3][f])
	}
	now, before := k.speed(n-1, i, end), k.speed(n-2, i, end)
	return along > 0 && now <= jumpRatio*before && before <= jumpRatio*now
}

// speed returns the speed of fields i to end on the way to sample s, per tick.
func (k *track) speed(s, i, end int) float64 {
	sum := 0.0
	for ; i < end; i++ {
		d := k.values[s][i] - k.values[s-1][i]
		sum += d * d
	}
	return math.Sqrt(sum) / float64(k.ticks[s]-k.ticks[s-1])
}

// draw writes the fields at a render time, in ticks, to the tagged struct at p; if
// inPlace is set, only those tagged `interp=inplace`.
func (k *track) draw(p unsafe.Pointer, render float64, inPlace bool) {
	n := len(k.ticks)
	if n == 0 {
		return
	}
	to := 0
	for to < n && float64(k.ticks[to]) <= render {
		to++
	}
	for i := range k.comp.drawn {
		f := &k.comp.drawn[i]
		if inPlace && !f.inPlace {
			continue
		}
		switch {
		case to == 0:
			f.set(p, k.values[0][i])
		case to == n || k.cuts[to]:
			f.set(p, k.values[to-1][i])
		case math.IsNaN(k.values[to-1][i]) || math.IsNaN(k.values[to][i]): // an optional value comes or goes
			f.set(p, k.values[to-1][i])
		default:
			from, until := float64(k.ticks[to-1]), float64(k.ticks[to])
			f.set(p, f.between(k.values[to-1][i], k.values[to][i], (render-from)/(until-from)))
		}
	}
}

// save stores the values of the drawn fields; restore writes those drawn in place back.
func (k *track) save(p unsafe.Pointer) {
	if k.saved == nil {
		k.saved = make([]float64, 0, len(k.comp.drawn))
	}
	k.saved = k.saved[:0]
	for i := range k.comp.drawn {
		k.saved = append(k.saved, k.comp.drawn[i].get(p))
	}
}

func (k *track) restore(p unsafe.Pointer) {
	for i, v := range k.saved {
		if k.comp.drawn[i].inPlace {
			k.comp.drawn[i].set(p, v)
		}
	}
	k.saved = k.saved[:0]
}
