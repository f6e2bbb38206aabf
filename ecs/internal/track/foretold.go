package track

// foretold: what goes where its velocities take it has not leapt, however fast that is.

import "github.com/tendonengine/tendon/rpl"

// foretoldShare is how far beside the way that the velocities foretell an item may be, as a share of
// that way: a velocity that has changed since, and a start between two sends, are within it.
const foretoldShare = 1. / 4

// An Item names the state of an item that has come: of which node, and which of its items.
type Item struct {
	Replica *rpl.Replica
	Ord     int
}

// moved leaves in ahead what an item comes to by itself in the send after a tick. It reports false if that
// is where it is.
func (sc *Screen) moved(of Item, t rpl.Tick) bool {
	if of.Replica == nil || !of.Replica.IsMoving(of.Ord) {
		return false
	}
	sc.ahead = of.Replica.WordsAt(of.Ord, t+sc.Every(), sc.ahead[:0])
	return true
}

// cameFrom adds where an item that has just arrived, on its way, was a send before, if it has gone as it goes
// on: so it is drawn going on even while nothing else of it has come.
func (sc *Screen) cameFrom(k *Track, of Item, t rpl.Tick, words []int32) bool {
	if t <= sc.Every() || !sc.moved(of, t) {
		return false
	}
	was := k.grow(t - sc.Every())
	for i := range k.set.Fields {
		f := &k.set.Fields[i]
		is := f.value(words)
		was[i] = is
		if !f.steps {
			was[i] = f.plus(is, -f.way(is, f.value(sc.ahead)))
		}
	}
	return true
}

// foretold reports whether an item that seems to have leapt to its state of tick t, the newest sample, is on
// the way on which its velocities move it on from there: then it has come from behind on that.
func (sc *Screen) foretold(k *Track, of Item, t rpl.Tick) bool {
	if !sc.moved(of, t) {
		return false
	}
	n := int(k.n)
	was, is, sends := k.values(n-2), k.values(n-1), k.ticks(n-1)/float64(sc.Every())
	for i, end := range k.set.Props {
		if !k.set.Fields[i].moves() || k.speed(n-1, i, end) <= youngShare*k.set.Fields[i].jump() {
			continue
		}
		along, pace := 0.0, 0.0
		for j := i; j < end; j++ {
			v := k.set.Fields[j].value(sc.ahead) - is[j]
			along += v * (is[j] - was[j])
			pace += v * v
		}
		share, off := min(max(0, along/pace), sends), 0.0
		for j := i; j < end; j++ {
			d := is[j] - was[j] - share*(k.set.Fields[j].value(sc.ahead)-is[j])
			off += d * d
		}
		if most := foretoldShare * sends; !(off <= most*most*pace) {
			return false
		}
	}
	return true
}
