package track

// foretold: what goes where its velocities take it has not leapt, however fast that is.

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// foretoldShare is how far beside the way that the velocities foretell an item may be, as a share of
// that way: a velocity that has changed since, and a start between two sends, are within it.
const foretoldShare = 1. / 4

// An Item names the state of an item that has come: of which node, and which of its items.
type Item struct {
	Replica *rpl.Replica
	Ord     int
}

// moved leaves in ahead what the fields of an item come to by themselves in the send after a tick. It reports
// false if they stay.
func (sc *Screen) moved(k *Track, of Item, t rpl.Tick) bool {
	if of.Replica == nil || !of.Replica.IsMoving(of.Ord) {
		return false
	}
	sc.words = of.Replica.WordsAt(of.Ord, t+sc.Every(), sc.words[:0])
	sc.ahead = sc.ahead[:0]
	for i := range k.set.Fields {
		sc.ahead = append(sc.ahead, k.set.Fields[i].value(sc.words))
	}
	return true
}

// cameFrom adds where an item that has just arrived, on its way, was a send before, if it has gone as it goes
// on: so it is drawn going on even while nothing else of it has come.
func (sc *Screen) cameFrom(k *Track, of Item, t rpl.Tick, words []int32) bool {
	if t <= sc.Every() || !sc.moved(k, of, t) {
		return false
	}
	was := k.grow(t - sc.Every())
	k.fill(was, words)
	sc.back(k, was, 1)
	return true
}

// back moves values back by a share of the way to ahead.
func (sc *Screen) back(k *Track, v []float64, share float64) {
	for i := range v {
		if f := &k.set.Fields[i]; !f.steps {
			v[i] = f.plus(v[i], -share*f.way(v[i], sc.ahead[i]))
		}
	}
}

// Ahead writes what an item comes to by itself in the send after its first sample to the tagged struct at p. It
// reports false for what does not move on by itself.
func (sc *Screen) Ahead(k *Track, of Item, p unsafe.Pointer) bool {
	if k.n == 0 || !sc.moved(k, of, k.tick(0)) {
		return false
	}
	for i := range k.set.Fields {
		k.set.Fields[i].set(p, sc.ahead[i])
	}
	return true
}

// Begin has an item that Ahead was asked about, and of which less has come than is kept, have begun its way so many
// sends before its first sample.
func (sc *Screen) Begin(k *Track, sends float64) {
	if sends <= 0 || k.first > 0 || k.n == maxSamples {
		return
	}
	k.grow(0)
	for i := int(k.n) - 1; i > 0; i-- {
		copy(k.sample(i), k.sample(i-1))
	}
	k.cuts, k.marks = k.cuts<<1, k.marks<<1
	k.sample(0)[0] -= sends * float64(sc.Every())
	sc.back(k, k.values(0), sends)
}

// Behind returns how many sends ago, up to so many, something was about where it was that is where it is, if it has
// come as it goes on, to where it is ahead in a send. It reports false if that is not on its way.
func Behind(was, is, ahead []float64, sends float64) (ago float64, ok bool) {
	along, pace := 0.0, 0.0
	for i := range is {
		v := ahead[i] - is[i]
		along += v * (is[i] - was[i])
		pace += v * v
	}
	ago = min(max(0, along/pace), sends)
	off := 0.0
	for i := range is {
		d := is[i] - was[i] - ago*(ahead[i]-is[i])
		off += d * d
	}
	most := foretoldShare * sends
	return ago, off <= most*most*pace
}

// foretold reports whether an item that seems to have leapt to its state of tick t, the newest sample, is on
// the way on which its velocities move it on from there: then it has come from behind on that.
func (sc *Screen) foretold(k *Track, of Item, t rpl.Tick) bool {
	if !sc.moved(k, of, t) {
		return false
	}
	n := int(k.n)
	was, is, sends := k.values(n-2), k.values(n-1), k.ticks(n-1)/float64(sc.Every())
	for i, end := range k.set.Props {
		if !k.set.Fields[i].moves() || k.speed(n-1, i, end) <= youngShare*k.set.Fields[i].jump() {
			continue
		}
		if _, ok := Behind(was[i:end], is[i:end], sc.ahead[i:end], sends); !ok {
			return false
		}
	}
	return true
}
