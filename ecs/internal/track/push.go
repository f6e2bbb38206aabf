package track

// push: what a state that comes changes in what is drawn: nothing leaps because it was late. It becomes a sample; it is
// judged whether the way there was a leap; and what is drawn goes over to where it is with it.

import (
	"math"

	"github.com/tendonengine/tendon/rpl"
)

// A coming is a state of an item that comes, with what was known of the item, and drawn of it, before.
type coming struct {
	t, newest rpl.Tick  // its tick, and that of the newest packet
	sent      bool      // a packet told of it; else the client predicts it
	rd        *Received // the packets that may have told of the item
	heard     rpl.Tick  // up to when they had
	known     rpl.Tick  // up to when it is known to have stood; 0: unknown
	agreed    rpl.Tick  // up to when it is known how it went, where packets that may have told more were lost; else 0
	late      bool      // the states before it are predicted, and packets were lost that may have told of them
	holed     bool      // it may be the first one after a hole
	sure      uint8     // how many samples are left of it without estimates
	shows     bool      // what is drawn now may be another place with it: Screen.drawn is where it was …
	past      bool      // … and that was past the newest sample
}

// Push adds the state of a tick of an item to what it is drawn from, without a leap.
func (sc *Screen) Push(k *Track, of Item, t, before, newest rpl.Tick, words []int32) {
	if k.n > 0 && k.SentAt < t && !k.set.foretold && sc.isEstimate(k, t) {
		return
	}
	c := sc.comes(k, t, newest)
	k.n = c.sure
	k.thin(sc.Render)
	if sc.Paced && c.sent {
		sc.paces(k, t)
	} else if !sc.Paced && k.n > 0 && t > k.Newest() {
		k.paces(t)
	}
	if k.n == 0 && sc.cameFrom(k, of, t, words) {
		k.push(t, 0, 0, words)
		k.cuts = 0
	} else {
		k.push(t, before, c.known, words)
	}
	if k.predicted = !c.sent; c.sent {
		k.heard = t
	}
	sc.judge(k, of, &c)
	switch {
	case c.sent && sc.began(k, of, c.heard, t):
		if !c.shows {
			w := k.wayAt(sc.Render)
			sc.note(k, &w)
		}
		sc.land(k, of, t, words)
		return
	case k.cut(int(k.n) - 1):
		sc.leap(k, &c)
		return
	}
	if c.late {
		sc.mend(k, c.shows)
	}
	switch {
	case !c.shows:
	case c.holed:
		sc.land(k, of, t, words)
	default:
		sc.goOver(k, &c)
	}
}

// comes notes what is known of an item, and drawn of it, before a state comes.
func (sc *Screen) comes(k *Track, t, newest rpl.Tick) coming {
	c := coming{t: t, newest: newest, sent: k.SentAt >= t, heard: k.heard, sure: k.n}
	if c.sent {
		c.sure = sc.sure(k, t)
	}
	if last := int(c.sure) - 1; last >= 0 {
		c.holed = sc.comesOver(k, newest)
		c.shows = c.holed || sc.Render > k.sample(last)[0] || last > 0 && t == k.Newest() && sc.Render > k.sample(last - 1)[0]
	}
	if c.shows {
		var w way
		w, c.past = sc.wayOn(k, sc.Render)
		sc.note(k, &w)
	}
	c.rd = sc.received(k)
	if !c.sent {
		return c
	}
	c.late = k.predicted && c.rd.lossy()
	c.known = sc.Known(k, t, newest)
	switch {
	case k.waits:
		c.agreed, sc.calm = k.heard, 0
	case c.late, !k.predicted && sc.unsure(k, t):
		c.agreed = c.rd.complete(k.heard, t)
	}
	return c
}

// judge decides for the newest sample, which is that of c, whether the way there was a leap. By how far it is
// Track has decided already.
func (sc *Screen) judge(k *Track, of Item, c *coming) {
	last := int(k.n) - 1
	if c.rd != &sc.Received && sc.leftFast(k) {
		k.cuts |= 1 << k.at(last)
	}
	if k.cut(last) && !k.isMarked(last) && sc.foretold(k, of, c.t) {
		k.cuts &^= 1 << k.at(last)
	}
	if c.agreed > 0 && k.cut(last) && (k.turned(c.agreed, turnRatio) || k.turned(max(c.agreed, c.rd.beforeLoss()), JumpRatio)) { // it is far from where it seemed to be, and not from where it was
		k.cuts &^= 1 << k.at(last)
	}
}

// leap has an item leap to its newest sample, when drawn time is there: until then it stands where it has been
// drawn, and not where it was last known to be.
func (sc *Screen) leap(k *Track, c *coming) {
	last := int(k.n) - 1
	if c.past && sc.Render < float64(c.t) {
		before := k.sample(last - 1)
		before[0] = sc.Render
		copy(before[1:], sc.drawn)
	}
	if k.beyond != nil && k.isMarked(last) && sc.Render >= float64(c.t) {
		k.beyond.end()
	}
}

// goOver has an item go over from where it was drawn to where it is drawn with its newest sample.
func (sc *Screen) goOver(k *Track, c *coming) {
	received := *c.rd
	if c.rd == &sc.Received || !sc.skipped() {
		c.rd.note(c.newest, sc.Every())
	}
	w, _ := sc.wayOn(k, sc.Render)
	*c.rd = received
	if k.beyond == nil && (c.past || sc.differs(k, &w)) {
		newBeyond(k)
	}
	if k.beyond != nil {
		k.beyond.past = 0
		k.beyond.add(k, &w, sc.drawn, sc.Render, sc.Now().Seconds())
		sc.spread(k)
	}
}

// differs reports whether a way is elsewhere than what was drawn, beyond rounding.
func (sc *Screen) differs(k *Track, w *way) bool {
	for i := range k.set.Fields {
		f := &k.set.Fields[i]
		if !f.steps && math.Abs(f.way(w.at(k, i), sc.drawn[i])) > 2*math.Abs(f.step) {
			return true
		}
	}
	return false
}

// mend moves the samples before the newest one, which was told, to where they lead to it, if
// those are predicted and it is farther from them than the item is fast: a packet that told of a
// turn was lost, and they go on as before it. What is drawn now stays where it is, and the
// error is drawn away. compared: the caller compares what is drawn with what was drawn before that,
// and finds the error itself.
func (sc *Screen) mend(k *Track, compared bool) {
	n, now := int(k.n), sc.Now().Seconds()
	if n < 3 {
		return
	}
	from := n - 2 // what was before a marked leap did not go on to here
	for from > 0 && !k.isMarked(from) {
		from--
	}
	compared = compared || sc.Render < k.sample(from)[0] // it is not drawn from there on yet
	begun := compared
	for i := 0; i < len(k.set.Fields); {
		end := k.set.end(i)
		if k.set.Fields[i].moves() && k.catchesUp(i, end) {
			if k.beyond == nil {
				newBeyond(k)
			}
			b := k.beyond
			if !begun {
				fade := b.fade(k, sc.Render, now)
				for j := range b.off {
					b.off[j] *= fade
				}
				b.at, b.from, b.past, b.over, begun = now, sc.Render, 0, 0, true
			}
			share := k.ticks(n-1) / k.ticks(n-2)
			for j := i; j < end; j++ {
				a, l := k.values(n - 3)[j], k.values(n - 2)[j]
				off := k.values(n - 1)[j] - l - (l-a)*share
				if math.IsNaN(off) {
					continue
				}
				for s := from; s < n-1; s++ {
					k.values(s)[j] += off
				}
				if !compared {
					b.off[j] -= off
				}
			}
		}
		i = end
	}
	if begun && !compared {
		if far := k.beyond.far(k); far > turnTicks {
			k.beyond.over = min(max(fadeSeconds, far/turnPace/float64(sc.Steps)), evenSeconds)
		}
	}
}
