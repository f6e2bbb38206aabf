package track

// track: the values of an item at the last few ticks.

import (
	"math"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

const (
	// maxSamples is how many samples of an item are kept for drawing: the view's delay
	// spans two without jitter, the rest is for jitter, and what is beyond thins out (thin.go).
	maxSamples = 16

	// A sample is a teleport, and not glided to, if it is farther from the one before
	// than JumpRatio times the greatest speed seen so far, and also farther than
	// JumpUnits units or jumpQuanta quantiser steps a tick, whichever is less: nothing
	// that eyes can follow starts that fast.
	JumpRatio  = 4
	JumpUnits  = 32
	jumpQuanta = 1024

	// What has gone at most turnRatio times as fast as before, since it was known for certain where it
	// was, has only turned. That may be long ago, and so less is allowed than JumpRatio.
	turnRatio = 2

	// A way that is catchUpRatio times faster than all before leads back to the truth.
	catchUpRatio = 1.5
)

// A Track keeps the newest samples of the drawn fields of one item, ascending by tick.
// It is little more than a cache line, and all of its samples are one piece of memory: a picture of
// thousands of things finds none of them in the caches.
type Track struct {
	set       *Fields
	samples   []float64 // a ring of samples; each is its tick, then the values by field
	first     uint8     // where the oldest sample is
	n         uint8     // number of samples
	steady    uint8     // how many states in a row came about as far apart, up to evenly
	cuts      uint16    // by place in the ring, a bit each: the way to this sample is a teleport, not a movement
	marks     uint16    // … and the game has said so: whatever else is known, it is no motion
	Ends      bool      // its node goes: it is not drawn beyond where it was
	predicted bool      // the newest sample is predicted
	own       rpl.Tick  // how many ticks after it was told of it is told of again at the soonest (paced.go); 0: in each send
	Moving    bool      // its newest state moves on by itself
	stood     bool      // it was told to have stayed at its newest state; what is lost later does not change that
	waits     bool      // what was told of it may have been lost in a hole (hole.go)
	SentAt    rpl.Tick  // when the state that is pushed next was sent; if that is before its own tick, it is predicted
	sentAt    rpl.Tick  // … and the newest sample
	heard     rpl.Tick  // the tick of the newest sample that is not predicted
	every     rpl.Tick  // how long after the state before the newest one came, or how far apart those are that are told (paced.go) …
	rarer     uint8     // … and how many in a row came later
	leapt     rpl.Tick  // when the game last said that it leapt; 0: never
	Since     rpl.Tick  // the tick of the arrival with which it came; 0 once it is not young any more (young.go)
	saved     []float64 // what the fields held before Frame wrote in place; empty: nothing is written
	beyond    *beyond   // what is drawn beside the samples; nil until they did not suffice
}

// The places in the ring are the bits of cuts.
var _ [16]struct{} = [maxSamples]struct{}{}

// New returns a track without samples, nil if there are no fields to draw.
func New(s *Fields) *Track {
	if len(s.Fields) == 0 {
		return nil
	}
	return &Track{set: s}
}

// evenly is how many states that came about as far apart make a pace.
const evenly = 3

// A way is where a render time is among the samples: at a share of the way from one to the
// next, or at the first if after is nil.
type way struct {
	before, after []float64
	share         float64
	to            int // the number of the sample after
}

// at returns the place in the ring of the i-th sample.
func (k *Track) at(i int) int { return (int(k.first) + i) % maxSamples }

// sample returns the i-th sample: its tick, then its values.
func (k *Track) sample(i int) []float64 {
	size := 1 + len(k.set.Fields)
	return k.samples[k.at(i)*size:][:size]
}

// values returns the values of the i-th sample, by field.
func (k *Track) values(i int) []float64 { return k.sample(i)[1:] }

// tick returns the tick of the i-th sample.
func (k *Track) tick(i int) rpl.Tick { return rpl.Tick(k.sample(i)[0]) }

// ticks returns how many ticks after the sample before it the i-th one is.
func (k *Track) ticks(i int) float64 { return k.sample(i)[0] - k.sample(i - 1)[0] }

// cut reports whether the way to the i-th sample is a teleport.
func (k *Track) cut(i int) bool { return k.cuts>>k.at(i)&1 != 0 }

// push adds the state of a tick. before is the newest tick that was received before t. If
// the item had changed by then, that packet would have said so; so it stood still until
// then.
//
// known is up to when it is known to have stood, though packets are missing since; 0: unknown.
// It is not drawn standing until then, but all of the way is of the time since.
func (k *Track) push(t, before, known rpl.Tick, words []int32) {
	n := int(k.n)
	newest := k.Newest()
	if n > 0 && t < newest {
		return
	}
	marked := n > 0 && k.sentAt < k.leapt && k.leapt <= k.SentAt // also if it seemed to stand, or to go on, until after that
	k.sentAt = k.SentAt
	if n > 0 && t == newest {
		if k.fill(k.values(n-1), words); marked {
			k.mark(n - 1)
		}
		return
	}
	if n > 0 {
		if before > newest && before < t {
			still := k.grow(before)
			copy(still, k.values(int(k.n)-2))
		}
	}
	k.fill(k.grow(t), words)
	k.stood, k.waits = false, false
	if marked {
		k.mark(int(k.n) - 1)
	} else if k.jumped(known) {
		k.cuts |= 1 << k.at(int(k.n)-1)
	}
}

// leapsBetween reports whether there is a marked leap between two drawn times. What only looks like a teleport
// does not count: the next state may tell that it was none.
func (k *Track) leapsBetween(a, b float64) bool {
	for i := int(k.n) - 1; i > 0 && k.sample(i)[0] > min(a, b); i-- {
		if k.isMarked(i) && k.sample(i)[0] <= max(a, b) {
			return true
		}
	}
	return false
}

// mark notes that the game has said that the way to the i-th sample is a teleport.
func (k *Track) mark(i int) {
	k.cuts |= 1 << k.at(i)
	k.marks |= 1 << k.at(i)
}

// isMarked reports whether the game has said that the way to the i-th sample is a teleport.
func (k *Track) isMarked(i int) bool { return k.marks>>k.at(i)&1 != 0 }

// Leap notes that the item leapt at a tick: however far that was, and whatever was lost, the
// way to its first state from then on is no motion.
func (k *Track) Leap(t rpl.Tick) {
	if t <= k.leapt {
		return
	}
	k.leapt = t
	for i := 1; i < int(k.n) && k.sentAt >= t; i++ { // else the first state from then on is yet to come
		if k.tick(i) >= t {
			if k.tick(i-1) < t {
				k.mark(i)
			}
			return
		}
	}
}

// isSteady reports whether a state of tick t would come about as long after the newest one as
// that came after the one before.
func (k *Track) isSteady(t rpl.Tick) bool {
	gap := t - k.Newest()
	return gap < 2*k.every && k.every < 2*gap
}

// Empty reports whether there is no sample.
func (k *Track) Empty() bool { return k.n == 0 }

// Saved reports whether the fields hold what was drawn in place.
func (k *Track) Saved() bool { return len(k.saved) > 0 }

// rests reports whether the newest state says itself that the item stands: it was told, and the
// velocities that predict what is drawn are zero.
func (k *Track) rests() bool { return k.set.foretold && !k.predicted && !k.Moving }

// Newest returns the tick of the newest sample, 0 if there is none.
func (k *Track) Newest() rpl.Tick {
	if k.n == 0 {
		return 0
	}
	return k.tick(int(k.n) - 1)
}

// Follows reports whether the state of a tick is about where the item was going: nothing
// has changed what its values are relative to.
func (k *Track) Follows(t rpl.Tick, words []int32) bool {
	n := int(k.n)
	if n == 0 {
		return false
	}
	last := k.Newest()
	ticks := float64(max(t, last+1) - last)
	for i := range k.set.Fields {
		f, fastest := &k.set.Fields[i], 0.0
		for j := range k.set.Fields {
			for s := 1; s < n && k.set.Fields[j].prop == f.prop; s++ {
				if v := math.Abs(f.way(k.values(s - 1)[j], k.values(s)[j])) / k.ticks(s); !k.cut(s) && v > fastest {
					fastest = v
				}
			}
		}
		if math.Abs(f.way(k.values(n - 1)[i], f.value(words))) > 2*(fastest*ticks+math.Abs(f.step)) {
			return false
		}
	}
	return true
}

// Restart forgets all earlier samples: the item is drawn at the state of tick t from now
// on, like one that has just arrived.
func (k *Track) Restart(t rpl.Tick, words []int32) {
	k.first, k.n, k.cuts, k.marks, k.every, k.beyond, k.sentAt, k.waits = 0, 0, 0, 0, 0, nil, t, false
	k.fill(k.grow(t), words)
}

func (k *Track) fill(v []float64, words []int32) {
	for i := range k.set.Fields {
		v[i] = k.set.Fields[i].value(words)
	}
}

// grow appends a sample, replacing the oldest when there are maxSamples, and returns its
// values.
func (k *Track) grow(t rpl.Tick) []float64 {
	size := 1 + len(k.set.Fields)
	if k.n < maxSamples {
		if k.n++; len(k.samples) < int(k.n)*size { // then the ring begins at its beginning
			more := make([]float64, max(size, 2*len(k.samples)))
			copy(more, k.samples)
			k.samples = more
		}
	} else {
		k.first = uint8(k.at(1))
	}
	v := k.sample(int(k.n) - 1)
	v[0] = float64(t)
	k.cuts &^= 1 << k.at(int(k.n)-1)
	k.marks &^= 1 << k.at(int(k.n)-1)
	return v[1:]
}

// jumped reports whether the newest sample is a teleport: some prop has moved much faster
// than before, and faster than the eye can follow. If it has moved like that twice in a
// row, it is quick, as a bullet is, and the way before was no teleport either. known is that
// of push.
func (k *Track) jumped(known rpl.Tick) bool {
	n := int(k.n)
	if n < 2 {
		return false
	}
	quick, shorter := false, 1.0
	if last := k.tick(n - 2); known > last {
		shorter = k.ticks(n-1) / (k.sample(n - 1)[0] - float64(known))
	}
	for i := 0; i < len(k.set.Fields); {
		f := &k.set.Fields[i]
		end := k.set.end(i)
		if f.moves() {
			if shorter*k.speed(n-1, i, end) > max(JumpRatio*k.fastest(i, end), f.jump()) {
				if !k.goesOn(i, end) {
					return true
				}
				quick = true
			}
		}
		i = end
	}
	if quick && !k.isMarked(n-2) {
		k.cuts &^= 1 << k.at(n-2)
	}
	return false
}

// turned reports whether the way to the newest sample is no teleport though it looks like one: the
// samples since tick agreed were not told, a packet that may have told otherwise was lost, and
// from where it was then, over all of the time since, it has gone no more than ratio times as fast as before.
// That what is slower than eyes can follow is no teleport does not count here: over a long time it is far.
func (k *Track) turned(agreed rpl.Tick, ratio float64) bool {
	n := int(k.n)
	from := n - 2
	for ; from > 0 && k.tick(from) > agreed; from-- {
		if k.cut(from) {
			return false
		}
	}
	if n < 3 || k.isMarked(n-1) || k.tick(from) > agreed && n < maxSamples {
		return false
	}
	ticks := k.sample(n - 1)[0] - float64(agreed)
	for i := 0; i < len(k.set.Fields); {
		end := k.set.end(i)
		if f := &k.set.Fields[i]; f.moves() {
			fastest := k.fastest(i, end)
			leaps := k.speed(n-1, i, end) > max(JumpRatio*fastest, f.jump())
			if leaps && (!k.catchesUp(i, end) || k.gone(from, agreed, i, end) > ratio*fastest*ticks) {
				return false
			}
		}
		i = end
	}
	return true
}

// gone returns how far it is in fields i to end from where it was at a tick to the newest sample. Sample
// s is the newest by then; if it is later, those before it have been forgotten, which led to it evenly.
func (k *Track) gone(s int, at rpl.Tick, i, end int) float64 {
	sum, back := 0.0, max(0, k.sample(s)[0]-float64(at))/k.ticks(s+1)
	for was, next, now := k.values(s), k.values(s+1), k.values(int(k.n)-1); i < end; i++ {
		d := now[i] - was[i] + (next[i]-was[i])*back
		sum += d * d
	}
	return math.Sqrt(sum)
}

// catchesUp reports whether the way of fields i to end to the newest sample, of three at least,
// is faster than the item has been, while it was on its way.
func (k *Track) catchesUp(i, end int) bool {
	n, fastest := int(k.n), k.fastest(i, end)
	return !k.cut(n-2) && fastest > 0 && k.speed(n-1, i, end) > catchUpRatio*fastest
}

// goesOn reports whether the newest way of fields i to end is about as fast as the one
// before, and not backwards.
func (k *Track) goesOn(i, end int) bool {
	n := int(k.n)
	if n < 3 {
		return false
	}
	along, last, before2, before3 := 0.0, k.values(n-1), k.values(n-2), k.values(n-3)
	for f := i; f < end; f++ {
		along += (last[f] - before2[f]) * (before2[f] - before3[f])
	}
	now, before := k.speed(n-1, i, end), k.speed(n-2, i, end)
	return along > 0 && now <= JumpRatio*before && before <= JumpRatio*now
}

// went reports whether the item has moved between its samples.
func (k *Track) went() bool {
	for i, end := range k.set.Props {
		if k.set.Fields[i].moves() && (k.fastest(i, end) > 0 || k.n > 1 && !k.cut(int(k.n)-1) && k.speed(int(k.n)-1, i, end) > 0) {
			return true
		}
	}
	return false
}

// fastest returns the greatest speed of fields i to end before the newest sample, per tick.
func (k *Track) fastest(i, end int) (fastest float64) {
	for s := 1; s < int(k.n)-1; s++ {
		if v := k.speed(s, i, end); !k.cut(s) && !math.IsNaN(v) {
			fastest = max(fastest, v)
		}
	}
	return fastest
}

// speed returns the speed of fields i to end on the way to sample s, per tick.
func (k *Track) speed(s, i, end int) float64 { return k.dist(s-1, s, i, end) / k.ticks(s) }

// dist returns how far it is from sample a to sample b in fields i to end.
func (k *Track) dist(a, b, i, end int) float64 {
	sum, from, to := 0.0, k.values(a), k.values(b)
	for ; i < end; i++ {
		d := to[i] - from[i]
		sum += d * d
	}
	return math.Sqrt(sum)
}

// at returns the value of field i. What is optional and was absent then stands where it comes next;
// NaN if it has not come since.
func (w *way) at(k *Track, i int) float64 {
	v := w.before[1+i]
	for s := w.to; math.IsNaN(v) && s < int(k.n); s++ {
		v = k.values(s)[i]
	}
	if w.after != nil && !math.IsNaN(v) && !math.IsNaN(w.after[1+i]) { // else an optional value comes or goes
		v = k.set.Fields[i].between(v, w.after[1+i], w.share)
	}
	return v
}

// wayAt finds a render time among the samples, of which there is at least one.
func (k *Track) wayAt(render float64) (w way) {
	w.to = int(k.n) // drawn time is among the newest samples, or after all of them
	for w.to > 0 && k.sample(w.to - 1)[0] > render {
		w.to--
	}
	w.before = k.sample(max(w.to, 1) - 1) // what is drawn if there is nothing to go to
	if w.to > 0 && w.to < int(k.n) && !k.cut(w.to) {
		w.after = k.sample(w.to)
		w.share = (render - w.before[0]) / (w.after[0] - w.before[0])
	}
	return w
}

// Draw writes the fields at a render time, in ticks, to the tagged struct at p; if
// inPlace is set, only those tagged `interp=inplace`. After the last sample it stands.
func (k *Track) Draw(p unsafe.Pointer, render float64, inPlace bool) {
	if k.n == 0 {
		return
	}
	w := k.wayAt(render)
	for i := range k.set.Fields {
		if f := &k.set.Fields[i]; !inPlace || f.inPlace {
			f.set(p, w.at(k, i))
		}
	}
}

// Save stores the values of the drawn fields; Restore writes those drawn in place back.
func (k *Track) Save(p unsafe.Pointer) {
	if k.saved == nil {
		k.saved = make([]float64, 0, len(k.set.Fields))
	}
	k.saved = k.saved[:0]
	for i := range k.set.Fields {
		k.saved = append(k.saved, k.set.Fields[i].Get(p))
	}
}

func (k *Track) Restore(p unsafe.Pointer) {
	for i, v := range k.saved {
		if k.set.Fields[i].inPlace {
			k.set.Fields[i].set(p, v)
		}
	}
	k.saved = k.saved[:0]
}
