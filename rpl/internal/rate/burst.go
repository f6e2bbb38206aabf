package rate

import (
	"math"
	"time"
)

// A burst bounds what may wait of what is sent (Line.Room): what comes into view, as at a join, far
// more at once than the game sends otherwise. How fast the line is shows only once some of it has
// arrived, a round trip later, and on a slow line what has left until then stands in a queue. So
// a first part leaves blindly. How long its packets take, beyond the empty line's round trip, says
// how much more may leave at once.
type burst struct {
	most float32 // bytes that may leave at once; 0: the session begins
	used uint32  // when as much was last seen to arrive, in milliseconds
}

const (
	// first is how many bytes may leave at once of which it is not known how fast they arrive:
	// with packets of the game between them a queue of 1.5 s on a line of 8 kB a second.
	first = 7200
	// expected is for how long a session that begins may fill a line of which something is known.
	expected = 600 * time.Millisecond
	// widest is how many times as much may leave as has arrived without a queue.
	widest = 8
	// unused is how long more than first may leave without being needed: a phone's line may be
	// another by then.
	unused = 500 * time.Millisecond
	// noise is a delay that says nothing.
	noise = 10 * time.Millisecond
)

func milliseconds(d time.Duration) uint32 { return uint32(d / time.Millisecond) }

// Expect says at how many bytes a second packets have arrived before the session began; 0: that is
// not known.
func (l *Line) Expect(now time.Duration, rate int) {
	if rate > 0 {
		l.burst = burst{max(first, float32(rate)*float32(expected.Seconds())), milliseconds(now)}
	}
}

// Anew returns what is known of the line for another session over it: what it has shown to carry, the round trip
// of the empty line, and what it loses. What was under way, and how fast that arrived, belongs to the one before.
func (l *Line) Anew() Line {
	return Line{
		limit: l.limit, step: l.step, least: l.least, renewed: l.renewed,
		floor: l.floor, mean: l.mean, sure: l.sure, wait: l.wait, shy: l.shy,
	}
}

// Reached says that all that was sent while Total was so much, or less, has arrived or is lost.
func (l *Line) Reached(total uint32) { l.behind = total }

// Room is how many bytes may leave now of what may wait. What has left since the newest packet
// that is known to have arrived counts, but for as much as the line is seen to carry.
func (l *Line) Room(now time.Duration) float64 {
	u := &l.burst
	if u.most == 0 {
		*u = burst{math.MaxFloat32, milliseconds(now)} // nothing is known: all that the budget gives
	}
	if u.most > first && milliseconds(now)-u.used > milliseconds(unused) {
		u.most = first
	}
	return float64(u.most) + l.carried()*l.base().Seconds() - float64(l.total-l.behind)
}

// measureBurst takes a packet into the estimate that has arrived after trip. It was the last of so
// many bytes that left at once.
func (l *Line) measureBurst(bytes uint32, trip, at time.Duration) {
	u, queue, together := &l.burst, max(trip-l.base(), 0), float32(bytes)
	switch {
	case queue > most:
		u.most = min(u.most, max(together*float32(target)/float32(queue), leastBurst))
	case queue <= target/2:
		wide := float32(widest)
		if l.now.trips+l.before.trips <= 1 {
			wide = 2 // this packet's round trip is the empty line's, as far as is known
		}
		wide = max(first, together*min(wide, float32(target)/float32(max(queue, noise))))
		if wide >= u.most {
			*u = burst{wide, milliseconds(at)}
		}
	}
}
