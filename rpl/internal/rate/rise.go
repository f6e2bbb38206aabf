package rate

import "time"

// A rise is a round trip that has become longer at once. A queue of what is sent here grows with that: where
// little was sent meanwhile, it is one only if the line carries next to nothing. If what came since then came
// much faster, the way has become longer, as where a phone goes over to another mast, and to send less would
// only harm.
type rise struct {
	total  uint32        // bytes sent up to the newest packet that came, …
	sent   time.Duration // … when it was sent; 0: none has come …
	trip   time.Duration // … and how long its round trip took
	level  time.Duration // the least round trip since the rise
	first  mark          // the first packet behind the rise; at 0: there was none
	builds float64       // bytes a second that the line carries at most, if the rise was a queue …
	much   bool          // … of much that left at once
	waited uint8         // so many periods for what comes behind it
}

const (
	// contradicts is how many times as fast as a queue allows packets come where there is none: jitter and stalls make
	// no such difference for long, …
	contradicts = 2.5
	// … and it takes at least so long to see it: a peer says to a few milliseconds when a packet came.
	seen = 25 * time.Millisecond
	// much is how many bytes leave at once where something comes into view. That makes queues, and nothing is waited for.
	much = 600
	// patient is for how many periods at most what comes behind it is waited for.
	patient = 3
)

// note takes a packet that came at a time, sent when total bytes had been, after a round trip that is so much longer
// than the empty line's.
func (r *rise) note(total uint32, sent, at, trip, queue time.Duration) {
	more := int32(total - r.total)
	switch {
	case r.sent == 0, queue <= target/2:
		r.first, r.level, r.waited = mark{}, trip, 0
	case more <= 0 || sent < r.sent:
		return
	case trip > r.level+target/2:
		r.first, r.level = mark{}, trip
		if up := trip - r.trip; up > target/2 { // else it has risen bit by bit
			r.first = mark{total, at}
			r.builds, r.much = float64(more)/(up+sent-r.sent).Seconds(), more > much
		}
	}
	r.total, r.sent, r.trip, r.level = total, sent, trip, min(r.level, trip)
}

// isWay is whether the way has become longer, by the newest packet that came.
func (r *rise) isWay(last mark) bool {
	took := last.at - r.first.at
	return r.first.at != 0 && took >= seen && float64(last.bytes-r.first.bytes) > contradicts*r.builds*took.Seconds()
}

// waits is whether nothing has come behind the rise yet that tells, where so many bytes a second are sent. Both ways may
// become longer, one after the other, so it waits for a few periods, and no longer.
func (r *rise) waits(last mark, sends float64) bool {
	if r.waited == patient || r.much || r.first.at == 0 || last.at-r.first.at >= seen || sends < contradicts*r.builds {
		return false
	}
	r.waited++
	return true
}
