package track

// paced: what is told of less often than in each send (NodeData.Hz, rates by distance). Until its next update is due,
// that nothing is told of it says nothing: it goes on, and what the client predicts of it is an estimate, not a state.

import "github.com/tendonengine/tendon/rpl"

// onSeconds is how far past its newest state what is told of less often is drawn moving on at most: else for three
// paces, for updates may be lost.
const onSeconds = 0.4

// What is told of in every so many sends or more often has a pace that is learned.
const sparseSends = 8

// Begun says of a new track with which tick its item has arrived, and how often at most a second it is told of by its
// node's own rate; 0: in each send. An update is due in the first send that is so long after the one before.
func (sc *Screen) Begun(k *Track, since rpl.Tick, hz int) {
	if k.Since = since; hz == 0 || hz >= sc.Steps {
		return
	}
	every := sc.Every()
	least := rpl.Tick((sc.Steps + hz - 1) / hz)
	if pace := (least + every - 1) / every * every; pace > every {
		k.own = pace
	}
}

// Pace returns how many ticks after an item was told of nothing is told of it at least; 0 if it is told of in each send, or
// that is not known.
func (sc *Screen) Pace(k *Track) rpl.Tick {
	if sc.Paced && k.steady == evenly && k.every > max(k.own, sc.Every()) {
		return k.every
	}
	return k.own
}

// paces learns from a state that was told at a tick how often an item is told of, where that goes by distance: as often as
// the closest of the newest states. Some did not come, or had been predicted rightly, or nothing had changed: what comes very
// late says nothing.
func (sc *Screen) paces(k *Track, t rpl.Tick) {
	gap := t - k.heard
	switch {
	case k.heard == 0 || gap == 0 || gap > max(sc.often(), sparseSends*sc.Every()):
	case k.every == 0 || gap < k.every:
		k.every, k.rarer = gap, 0
		k.steady = min(k.steady+1, evenly)
	case gap == k.every:
		k.rarer = 0
		k.steady = min(k.steady+1, evenly)
	default:
		if k.rarer++; k.rarer == evenly {
			k.every, k.rarer = gap, 0
		}
	}
}

// paces notes how long after the newest sample one of tick t comes.
func (k *Track) paces(t rpl.Tick) {
	if k.steady++; !k.isSteady(t) {
		k.steady = 0
	}
	k.steady = min(k.steady, evenly)
	k.every = t - k.Newest()
}

// due returns from which tick on packets that tell nothing of an item say that it is as predicted: not before its next
// update is due, after the newest that has come, and after those that may have been lost.
func (sc *Screen) due(k *Track, pace rpl.Tick) rpl.Tick {
	return max(k.heard, sc.received(k).newestLoss()) + pace
}

// newestLoss returns the tick of the packet after the newest loss; 0 if none of late is known.
func (hd *Received) newestLoss() rpl.Tick {
	for i := range hd.packets {
		if hd.packets[i].lost {
			return hd.packets[i].tick
		}
	}
	return 0
}

// hasStood reports whether an item has been told since its newest sample to be as that says.
func (sc *Screen) hasStood(k *Track) bool {
	rd, pace := sc.received(k), sc.Pace(k)
	if pace == 0 {
		return rd.stood(k.Newest())
	}
	from, newest := max(sc.due(k, pace), k.Newest()+1), rd.Newest()
	if rd.complete(k.heard, newest+1) >= from {
		return true
	}
	loss := rd.newestLoss()
	return loss > 0 && !rd.Missing && newest >= max(from, loss+rd.resend+pace)
}

// stillAt returns up to when an item that is told of at tick t had been as it was told before: up to the newest packet that
// said so. 0: that is not known.
func (sc *Screen) stillAt(k *Track, t, pace rpl.Tick) rpl.Tick {
	rd := sc.received(k)
	if k.n == 0 || k.waits || rd.Missing {
		return 0
	}
	still := rd.complete(k.heard, t)
	if still == rd.before(t) && !k.Moving {
		still = max(still, sc.SendBefore(k, t))
	}
	if still < sc.due(k, pace) {
		return 0
	}
	return still
}

// isEstimate reports whether nobody has told that an item is at tick t as the client predicts it. What was told to be so once
// goes on so: for that losses count as for what is told of in each send.
func (sc *Screen) isEstimate(k *Track, t rpl.Tick) bool {
	pace := sc.Pace(k)
	return pace > 0 && (t < k.heard+pace || !k.predicted && t < sc.due(k, pace))
}

// sure returns how many samples of an item are left without the newest that are estimates, once its state of tick t is told.
func (sc *Screen) sure(k *Track, t rpl.Tick) uint8 {
	n := k.n
	for n > 1 && k.heard < k.tick(int(n)-1) && k.tick(int(n)-1) < t && !k.cut(int(n)-1) && sc.isEstimate(k, k.tick(int(n)-1)) {
		n--
	}
	return n
}

// goesOnBy returns for how many ticks past its newest sample an item is drawn moving on.
func (sc *Screen) goesOnBy(k *Track) float64 {
	least := beyondSeconds * float64(sc.Steps)
	return max(least, min(3*float64(sc.Pace(k)), onSeconds*float64(sc.Steps)))
}

// onPace returns for how many ticks of the way to its newest sample an item goes on in so many. That way may be shorter than
// its pace, and lead back from where it was taken to be: then it goes on little faster than before.
func (sc *Screen) onPace(k *Track, ticks float64) float64 {
	last, share := int(k.n)-1, 1.0
	if k.ticks(last) >= float64(sc.Pace(k)) {
		return ticks
	}
	for i, end := range k.set.Props {
		if v, most := k.speed(last, i, end), catchUpRatio*k.fastest(i, end); k.set.Fields[i].moves() && most > 0 && v > most {
			share = min(share, most/v)
		}
	}
	return ticks * share
}

// starts reports whether an item that is told of less often has stood before the way to its newest sample: how far it goes
// nobody knows.
func (k *Track) starts() bool {
	n := int(k.n)
	if n < 3 || k.Moving {
		return false
	}
	for i := range k.set.Fields {
		if f := &k.set.Fields[i]; !f.steps && f.way(k.values(n - 3)[i], k.values(n - 2)[i]) != 0 {
			return false
		}
	}
	return true
}

// spread has the error of a paced item be drawn away evenly until its next state, or more slowly: as fast as the item goes.
func (sc *Screen) spread(k *Track) {
	pace := float64(sc.Pace(k))
	if pace == 0 {
		return
	}
	if far := k.beyond.far(k); far > pace {
		pace = far
	}
	k.beyond.over = min(pace/float64(sc.Steps), evenSeconds)
}

// Follow has a track without samples be that of an item that had another so far.
func (k *Track) Follow(was *Track) { k.Since, k.own = was.Since, was.own }
