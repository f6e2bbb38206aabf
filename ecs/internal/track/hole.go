package track

// hole: after a line was down. The first packets that come then say nothing of what was told meanwhile: that
// is sent again when the server knows that it was lost, about a round trip later. What moved is on its way
// still, or has turned long ago, and nobody here can tell: it is not moved on over the hole until then.

import "github.com/tendonengine/tendon/rpl"

const (
	// A hole is packets for holeSeconds that did not come, holePackets at least unless what was lost in one
	// has not come again. Shorter losses are drawn over: who has turned in one is not far from where it seems.
	holeSeconds = 0.45
	holePackets = 5

	// holeTrips is how many times as long as it takes until what was lost comes again something waits for it
	// at most, if nothing comes that others wait for: on a line that goes on losing packets it is never quite
	// certain that all of it has come.
	holeTrips = 2
)

// isHole reports whether there is a hole before the packets that are being applied, of which the newest is of
// tick t. Missing packets are taken to be as far apart as those that came.
func (sc *Screen) isHole(t rpl.Tick) bool {
	rd := &sc.Received
	if rd.Lost < holePackets && (rd.Lost == 0 || rd.complete(sc.hole-1, t) >= sc.hole) {
		return false
	}
	return float64(t-rd.Newest())*float64(rd.Lost) >= holeSeconds*float64(sc.Steps)*float64(rd.Sent)
}

// mayLack reports whether what has been told of an item since the packet of a tick may have been lost in a hole,
// and not have come again by the newest one. Where news come of what waits, those of the rest may be in the next
// packets.
func (sc *Screen) mayLack(since, newest rpl.Tick) bool {
	rd := &sc.Received
	if newest > rd.Newest() && sc.isHole(newest) {
		return true
	}
	long := rpl.Tick(sc.calm)*sc.Every() >= holeTrips*rd.resend
	return since < sc.hole && (sc.calm <= copySends || !long && rd.complete(since, newest) < sc.hole)
}

// Waits reports whether an item is not to be moved on by itself to the newest packet's tick, since the packet of
// tick sent was the last that told of it. Then it is drawn moving on no farther than if nothing had come. k may
// be nil, for what is not drawn between states.
func (sc *Screen) Waits(k *Track, sent, newest rpl.Tick) bool {
	waits := k != nil && sent < newest && sc.mayLack(sent, newest)
	if waits {
		k.waits = true
	}
	return waits
}

// Lacks reports whether it is not known yet where an item is, because its news may have been lost in a hole.
func (sc *Screen) Lacks(k *Track) bool { return sc.mayLack(k.heard, sc.Received.Newest()) }

// comesOver reports whether the state of an item that comes with a packet may be the first one after a hole, and
// drawn time leaps with it, or has since.
func (sc *Screen) comesOver(k *Track, newest rpl.Tick) bool {
	leaps := newest-sc.Received.Newest() > copySends*sc.Every()
	return k.waits || leaps && !sc.isYoung(k) && sc.mayLack(k.heard, newest)
}

// land has an item be where it is after a hole, in its newest state, and go over to there from where it was
// drawn: drawn time leaps over the hole, and what is drawn must not run after it. What is so far that no eye
// could follow it leaps.
func (sc *Screen) land(k *Track, of Item, t rpl.Tick, words []int32) {
	k.first, k.n, k.cuts, k.marks, k.every = 0, 0, 0, 0, 0
	sc.cameFrom(k, of, t, words)
	k.fill(k.grow(t), words)
	b := k.beyond
	if b == nil {
		b = newBeyond(k)
	}
	b.past = 0
	w := k.wayAt(sc.Render)
	b.add(k, &w, sc.drawn, sc.Render, sc.Now().Seconds())
	if b.over = evenSeconds; sc.isFar(k) {
		b.end()
	}
}

// isFar reports whether the error of an item is so far that no eye could follow it as it is drawn away.
func (sc *Screen) isFar(k *Track) bool {
	for i, end := range k.set.Props {
		f, sum := &k.set.Fields[i], 0.0
		for j := i; j < end; j++ {
			sum += k.beyond.off[j] * k.beyond.off[j]
		}
		pace := float64(JumpUnits)
		if f.step != 0 {
			pace = f.jump()
		}
		if most := pace * evenSeconds * float64(sc.Steps); f.moves() && sum > most*most {
			return true
		}
	}
	return false
}
