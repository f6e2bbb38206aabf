package track

// young: what has come for nodes that have just arrived. Until the server knows of an arrival, it tells of
// the node at the end of packets, and a client that lacks what stands before it there skips it. For such a
// node a packet that was skipped in part is one that did not come: its silence tells nothing, and neither does
// that of later ones until the server knows of the skipped ones.

import "github.com/tendonengine/tendon/rpl"

// knownTicks is how many of the newest packets are remembered by what the server knew when it sent them: for
// longer than a round trip.
const knownTicks = 64

// youngShare is up to which share of the pace that is a teleport (Field.jump) something has gone on its way whose
// first news since its arrival are late. Faster than that, it is taken to have stood and leapt.
const youngShare = 3. / 8

// A young remembers the newest packets without those that were skipped in part.
type young struct {
	Received
	skips uint64 // the count of these, up to the newest packet
	sends int    // how many have been sent since the newest one that was not skipped; 0: that is the newest one of all

	knew  [knownTicks]struct{ tick, acked rpl.Tick } // a ring of all packets: what Received.Acked was as of each
	notes uint                                       // how many have been in it
}

// Expect says what is known of packets before they are applied: how many have been sent since the newest
// one, 0 if that is not known, how many of these are missing, and whether several have come.
func (sc *Screen) Expect(sent, lost int, several bool) {
	rd, y := &sc.Received, &sc.young
	rd.Sent, rd.Lost, rd.Missing, rd.Several = sent, lost, lost > 0, several
	if y.Sent, y.Missing, y.Several = sent, lost > 0 || y.sends > 0, several; sent > 0 {
		y.Sent += y.sends
	}
}

// Note notes the newest packet that was applied, which is newer than all others, and the newest of which it is
// known that the server knows that it came.
func (sc *Screen) Note(t, acked rpl.Tick) {
	sc.Received.Acked, sc.young.Acked = acked, acked
	if sc.calm++; sc.isHole(t) {
		sc.hole, sc.calm = t, 0
	}
	sc.Received.note(t, sc.Every())
	y := &sc.young
	at := &y.knew[y.notes%knownTicks]
	at.tick, at.acked = t, acked
	if y.notes++; sc.skipped() {
		y.skips = sc.Skips()
		y.sends += max(1, sc.Received.Sent)
	} else {
		y.note(t, sc.Every())
		y.sends = 0
	}
}

// skipped reports whether a packet was skipped in part since the newest one that was noted.
func (sc *Screen) skipped() bool { return sc.Skips() != sc.young.skips }

// received returns what has come that may tell of an item.
func (sc *Screen) received(k *Track) *Received {
	if !sc.isYoung(k) {
		return &sc.Received
	}
	if sc.young.Several && sc.skipped() {
		sc.young.Missing = true
	}
	return &sc.young.Received
}

// isYoung reports whether the newest packet that was noted may be silent of an item that has changed, since the
// client has skipped what was told of it before its arrival was acked.
func (sc *Screen) isYoung(k *Track) bool {
	if k.Since == 0 {
		return false
	}
	if k.Since > sc.Received.Acked || sc.young.knewSince(k.Since) > sc.Received.Acked {
		return true
	}
	k.Since = 0 // it is not young for good
	return false
}

// knewSince returns the tick of the first packet of which the server, when it sent it, knew that those up to
// tick t had come; 0 if that is long ago.
func (y *young) knewSince(t rpl.Tick) (since rpl.Tick) {
	for i := y.notes; i > 0 && y.notes-i < knownTicks; i-- {
		at := &y.knew[(i-1)%knownTicks]
		if at.acked < t {
			return since
		}
		since = at.tick
	}
	return 0
}

// Before returns the newest tick before t of which a packet has come that may tell of an item; 0 if there is none.
func (sc *Screen) Before(k *Track, t rpl.Tick) rpl.Tick { return sc.received(k).before(t) }

// leftFast reports whether an item went so fast from its arrival to its first state since, of which a packet was
// silent or lost, that it is taken for a leap.
func (sc *Screen) leftFast(k *Track) bool {
	if k.n != 2 || k.ticks(1) <= float64(sc.Every()) {
		return false
	}
	for i, end := range k.set.Props {
		if f := &k.set.Fields[i]; f.moves() && k.speed(1, i, end) > youngShare*f.jump() {
			return true
		}
	}
	return false
}
