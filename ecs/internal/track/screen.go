package track

// screen: what is drawn, between the states and where they do not suffice. If state is late,
// what moved is drawn moving on for a while. What that was wrong by, when the state comes, is
// drawn away bit by bit: what is drawn never leaps because a packet was late.

import (
	"math"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

const (
	// beyondSeconds is how far past its newest sample something is drawn moving on: as far
	// as drawn time runs past the newest state.
	beyondSeconds = 0.1

	// fadeSeconds is how long an error is drawn away, half of it in the first 0.07 seconds:
	// too slow to be seen as a leap, over before anybody has looked twice. Of what is drawn away the
	// authority knows nothing: a shot that is judged meanwhile is judged beside it.
	fadeSeconds = 0.25

	// evenSeconds is how long an error is drawn away that is more than the item's way of farTicks,
	// as after a stop of which all packets that told were lost: at an even pace, for where it
	// stands by now a quick beginning looks like a leap.
	evenSeconds = 0.45
	farTicks    = 2.5

	// What has turned unheard is farther than its way of turnTicks before its error is drawn away at an even
	// pace, of turnPace times its own, in fadeSeconds at least and evenSeconds at most.
	turnTicks = 20
	turnPace  = 3
)

// A Screen is what drawing knows of time, and of what has come.
type Screen struct {
	Render       float64              // drawn time, in ticks
	Steps, Sends int                  // a second, of the server
	Paced        bool                 // what is far is told of less often (Track.Paced)
	Now          func() time.Duration // the session's time
	Received     Received
	Skips        func() uint64 // how many packets were skipped in part (young.go)
	Aside        bool          // Render is not what is drawn in this frame: nothing is noted
	Bare         bool          // what is drawn away is left out, for the moment

	young young
	hole  rpl.Tick // the packet after the newest hole (hole.go) …
	calm  int      // … and how many have come since it, and since one that told of what waited

	drawn, ahead []float64 // scratch
	words        []int32   // scratch
}

// SetTrip says how long a slow round trip of the line is, given the length of a tick. What was lost
// comes again that long after the packet that shows the loss, and a send and a step later at most.
func (sc *Screen) SetTrip(trip, step time.Duration) {
	sc.Received.resend = rpl.Tick(trip/step) + sc.Every() + 1
	sc.young.resend = sc.Received.resend
}

// A beyond is an error that is being drawn away, and what was drawn without samples.
type beyond struct {
	off   []float64 // what is added to the fields, as of at
	at    float64   // seconds
	from  float64   // … and the drawn time then: at a marked leap after that nothing is left of it
	over  float64   // it is so far that it is drawn away at an even pace, in so many seconds; 0: it fades
	drawn []float64 // the fields as they were last drawn past the samples …
	past  rpl.Tick  // … and which sample that was; 0: they were not
	when  float64   // … and when
}

func newBeyond(k *Track) *beyond {
	n := len(k.set.Fields)
	room := make([]float64, 2*n)
	k.beyond = &beyond{off: room[:n:n], drawn: room[n:]}
	return k.beyond
}

// wayOn is wayAt for what is drawn now: past the newest sample it goes on as before, if no
// packet has told that the item does not.
func (sc *Screen) wayOn(k *Track, render float64) (w way, past bool) {
	w = k.wayAt(render)
	last := int(k.n) - 1
	if w.to <= last || last < 1 || k.cut(last) || k.Ends || k.rests() {
		return w, false
	}
	if !k.stood && !k.waits {
		k.stood = sc.hasStood(k)
	}
	if k.stood || sc.Pace(k) > 0 && k.starts() {
		return w, false
	}
	w.before, w.after = k.sample(last-1), k.sample(last)
	ticks := sc.onPace(k, min(render-w.after[0], sc.goesOnBy(k)))
	w.share = 1 + ticks/(w.after[0]-w.before[0])
	return w, true
}

// Draw draws an item at the time that Frame has set.
func (sc *Screen) Draw(k *Track, p unsafe.Pointer, inPlace bool) {
	if k.n == 0 {
		return
	}
	w, past := sc.wayOn(k, sc.Render)
	b := k.beyond
	if past && b == nil {
		b = newBeyond(k)
	}
	if b == nil {
		k.Draw(p, sc.Render, inPlace)
		return
	}
	now := sc.Now().Seconds()
	if !past && b.past != 0 && !sc.Aside {
		if b.past == k.Newest() && now-b.when < beyondSeconds { // a packet tells that it has stood meanwhile
			b.add(k, &w, b.drawn, sc.Render, now)
			sc.spread(k)
		}
		b.past = 0
	}
	fade := b.fade(k, sc.Render, now)
	if sc.Bare {
		fade = 0
	}
	for i := range k.set.Fields {
		f := &k.set.Fields[i]
		v := w.at(k, i)
		if past && !sc.Aside {
			b.drawn[i] = v
		}
		if off := b.off[i]; off != 0 {
			v = f.plus(v, off*fade)
		}
		if !inPlace || f.inPlace {
			f.set(p, v)
		}
	}
	if past && !sc.Aside {
		b.past, b.when = k.Newest(), now
	}
}

// note notes what is drawn.
func (sc *Screen) note(k *Track, w *way) {
	sc.drawn = sc.drawn[:0]
	for i := range k.set.Fields {
		sc.drawn = append(sc.drawn, w.at(k, i))
	}
}

// Take has an item that was drawn otherwise so far, at these values, go over to what it is drawn at
// from now on. What is farther than most is a leap, and no way.
func (sc *Screen) Take(k *Track, drawn []float64, most float64) {
	if k.n == 0 {
		return
	}
	b := newBeyond(k)
	w, _ := sc.wayOn(k, sc.Render)
	b.add(k, &w, drawn, sc.Render, sc.Now().Seconds())
	for i := range b.off {
		if k.set.Fields[i].moves() && math.Abs(b.off[i]) > most {
			b.off[i] = 0
		}
	}
}

// fade is the share of the error of an item that is left at a drawn time.
func (b *beyond) fade(k *Track, render, now float64) float64 {
	switch {
	case k.leapsBetween(b.from, render):
		return 0
	case b.over > 0:
		return 1 - min(max(0, now-b.at)/b.over, 1)
	}
	return Fade(now - b.at)
}

// end has nothing of the error be left: the item is drawn after a marked leap.
func (b *beyond) end() {
	clear(b.off)
	b.past = 0
}

// far returns how many ticks the item takes for the way of the error, as fast as it has been.
func (b *beyond) far(k *Track) float64 {
	off, fastest := 0., 0.
	for i := range k.set.Fields {
		if !k.set.Fields[i].moves() {
			continue
		}
		off = max(off, math.Abs(b.off[i]))
		for s := 1; s < int(k.n); s++ {
			if !k.cut(s) {
				fastest = max(fastest, math.Abs(k.values(s)[i]-k.values(s - 1)[i])/k.ticks(s))
			}
		}
	}
	return off / fastest
}

// Rests reports whether an item is drawn at its newest state, and nothing is drawn away.
func (sc *Screen) Rests(k *Track) bool {
	if k.n == 0 {
		return true
	}
	if newest := k.Newest(); float64(newest) > sc.Render || k.n > 1 && (k.waits || !sc.hasStood(k)) {
		return false
	}
	b := k.beyond
	return b == nil || b.past == 0 && sc.Now().Seconds()-b.at > evenSeconds
}

// add takes the difference between what was drawn past the samples and what is drawn now
// into the error to be drawn away.
func (b *beyond) add(k *Track, w *way, drawn []float64, render, now float64) {
	fade := b.fade(k, render, now)
	for i := range b.off {
		off := b.off[i]*fade + k.set.Fields[i].way(w.at(k, i), drawn[i])
		if math.IsNaN(off) || k.set.Fields[i].steps {
			off = 0
		}
		b.off[i] = off
	}
	b.at, b.from, b.over = now, render, 0
	if fade == 0 && b.far(k) > farTicks { // what errs again and again is drawn away as quickly as can be
		b.over = evenSeconds
	}
}

// often is the longest pace (Track.Paced): what changes more seldom has stood still in between.
func (sc *Screen) often() rpl.Tick { return rpl.Tick(sc.Steps / 4) }

// StillUntil returns up to when an item stood still whose state of tick t has come. An item
// of which packets regularly say nothing (NodeData.Hz, a small budget) has moved
// meanwhile: it is drawn on its way from now on, and not from the last packet on.
func (sc *Screen) StillUntil(k *Track, t rpl.Tick) rpl.Tick {
	rd, pace := sc.received(k), sc.Pace(k)
	before := rd.before(t)
	if pace > 0 {
		return sc.stillAt(k, t, pace)
	}
	if rd.Missing || k.waits || before > k.Newest() && (!rd.stood(k.Newest()) || sc.unsure(k, t)) { // what has not come may have told that it moved
		return 0
	}
	if t-k.Newest() <= sc.often() && k.isSteady(t) {
		return min(before, rpl.Tick(sc.Render))
	}
	if k.Moving {
		return before
	}
	return max(before, sc.SendBefore(k, t))
}

// unsure reports whether an item has been on its way, or has just arrived, and may have gone on since its
// newest state, before tick t: packets were lost that may have told so.
func (sc *Screen) unsure(k *Track, t rpl.Tick) bool {
	rd := sc.received(k)
	return rd.complete(k.Newest(), t) < rd.before(t) && (k.went() || sc.isYoung(k))
}

// Known returns up to when an item is known to have stood of which the state of tick t has come,
// in a packet of tick newest: as long as it was told so, and until the first send of a packet
// since, for what moves is told of in each send, unless it has just arrived. 0: that is not known.
func (sc *Screen) Known(k *Track, t, newest rpl.Tick) rpl.Tick {
	if pace := sc.Pace(k); pace > 0 {
		return sc.stillAt(k, t, pace)
	}
	if k.n == 0 || k.waits || t-k.Newest() <= sc.often() && k.isSteady(t) {
		return 0
	}
	rd := sc.received(k)
	known := rd.complete(k.Newest(), t)
	if sent := rpl.Tick(rd.Sent) * sc.Every(); sent > 0 && newest-sent < t && !sc.isYoung(k) {
		known = max(known, newest-sent)
	}
	return known
}

// Sure returns the newest tick before t at which it is known where an item was: what it did since a
// packet was lost may not be.
func (sc *Screen) Sure(k *Track, t rpl.Tick) rpl.Tick {
	rd := sc.received(k)
	if !rd.lossy() {
		return t - 1
	}
	return min(rd.complete(k.heard, t), t-1)
}

// Every is how many ticks there are from send to send.
func (sc *Screen) Every() rpl.Tick {
	return rpl.Tick((sc.Steps + sc.Sends - 1) / max(1, sc.Sends))
}

// SendBefore returns the tick of the send before that of a tick, 0 if packets are missing that may have told
// of an item, or several have come at once, of which an earlier may have told: if nothing is missing and
// nothing came, nothing had changed by then.
func (sc *Screen) SendBefore(k *Track, t rpl.Tick) rpl.Tick {
	every := sc.Every()
	if rd := sc.received(k); rd.Missing || rd.Several || t < every {
		return 0
	}
	return t - every
}
