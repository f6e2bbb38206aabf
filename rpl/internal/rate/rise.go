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
	was    time.Duration // the empty line's round trip before the way became longer, as long as that is doubted; 0: it is not …
	lost   float32       // … and the share that was lost then

	quick     mark    // the quickest packet of the period that is being measured
	low, flat level   // of the newest period without a queue, and of the first behind it from which on the queue is about the same
	usual     float64 // bytes a second that came up to low
}

// A level is the quickest packet of a period, and the queue that it met. With jitter only that tells how long the way is.
type level struct {
	mark
	queue time.Duration
}

const (
	// contradicts is how many times as fast as a queue allows packets come where there is none: jitter and stalls make
	// no such difference for long, …
	contradicts = 2.5
	// … it is waited for where at least so many times as much is sent, and comes, …
	hopeful = 1.7
	// … and it takes at least so long to see it: a peer says to a few milliseconds when a packet came.
	seen = 25 * time.Millisecond
	// much is how many bytes leave at once where something comes into view. That makes queues, and nothing is waited for.
	much = 600
	// patient is for how many periods at most what comes behind it is waited for.
	patient = 3
	// busier is how many times as fast as before packets come at most: where so much more is sent it makes queues, and as
	// what comes into view leaves as fast as what left before arrives (Line.Room), they stay the same.
	busier = 2
	// doubted is for how long a longer way is doubted: if much is lost on it, it was a queue, which is full now. If it is
	// so full that only what is long finds no room, little is lost, but more than before, and that is seen later.
	doubted  = 2 * time.Second
	believed = 8 * time.Second
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
		crept := r.first.at == 0 && r.level > trip-queue+target/2
		r.first, r.level = mark{}, trip
		if up := trip - r.trip; up > target/2 && !crept { // else it has risen bit by bit
			r.first = mark{total, at}
			r.builds, r.much = float64(more)/(up+sent-r.sent).Seconds(), more > much
		}
	}
	r.total, r.sent, r.trip, r.level = total, sent, trip, min(r.level, trip)
}

// period ends a period, by the queue that its quickest packet met.
func (r *rise) period(queue time.Duration) {
	now := level{r.quick, queue}
	if queue <= target/2 {
		if took := now.at - r.low.at; took > period/2 {
			r.usual = float64(now.bytes-r.low.bytes) / took.Seconds()
		}
		r.low, r.flat = now, level{}
		return
	}
	came, took := float64(now.bytes-r.flat.bytes), now.at-r.flat.at
	if (queue-r.flat.queue).Abs() > r.flat.queue/4 || came > busier*r.usual*took.Seconds() {
		r.flat = now
	}
}

// isWay is whether the way has become longer, by the newest packet that came. A share of what comes now is lost.
func (r *rise) isWay(last mark, loss float64) bool {
	took := last.at - r.first.at
	return r.first.at != 0 && took >= seen && (1-loss)*float64(last.bytes-r.first.bytes) > contradicts*r.builds*took.Seconds() ||
		r.isFlat(loss)
}

// isFlat is whether a queue has come fast and stays as it is, while more arrives than a line carries that it is the queue
// of. Both ways become longer one after the other, by two steps each of which jitter may hide; what has come between low
// and flat holds both. A line that drops what its short queue does not hold has one that stays the same, too.
func (r *rise) isFlat(loss float64) bool {
	took := r.quick.at - r.flat.at
	up, rose := r.flat.queue-r.low.queue, r.flat.at-r.low.at
	faster := min(1+up.Seconds()/2/max(rose-up, time.Millisecond).Seconds(), contradicts) // halfway to what it is without a queue
	return took >= period &&
		(1-loss)*float64(r.quick.bytes-r.flat.bytes)*rose.Seconds() > faster*float64(r.flat.bytes-r.low.bytes)*took.Seconds()
}

// waits is whether nothing has come behind the rise yet that tells, where so many bytes a second are sent. Both ways may
// become longer, one after the other, so it waits for a few periods, and no longer. Where each packet takes longer than
// the one before, the line rather breaks down: then it waits for one.
func (r *rise) waits(last mark, sends float64) bool {
	took := last.at - r.first.at
	switch {
	case r.quick.at > r.flat.at && r.quick.at-r.flat.at < period:
		return true // it has not grown
	case r.waited == patient, r.first.at == 0, took == 0 && (r.much || r.waited > 0), sends < hopeful*r.builds,
		took >= seen && float64(last.bytes-r.first.bytes) < hopeful*r.builds*took.Seconds():
		return false
	}
	r.waited++
	return true
}
