package rate

import "time"

// A cut is a limit that was lowered because of a queue.
type cut struct {
	at    time.Duration // 0: none is under way
	first bool          // there was no limit before, and the line is not known well
	drops bool          // more was lost since the cut than before it, so that the queue was full
	share float32       // of what the line carries is sent since then
	limit float64       // before the cut
	from  time.Duration // when the packets were sent that met the queue first after the cut; 0: none has come yet
	queue time.Duration // that they met
	worst time.Duration // the longest since the cut
}

const (
	drainIn = time.Second            // in which a queue is to go away, …
	judged  = 400 * time.Millisecond // after which it is seen whether it does, …
	leave   = 0.3                    // … but so much of what the line carries is sent all the same
)

// drops is whether so much more is lost than before that a queue is full.
func (l *Line) drops() bool { return l.loss() > lossy+1.5*float64(l.sure) }

// lower cuts the limit because of a queue, to what lets the queue go.
func (l *Line) lower(now, queue time.Duration) {
	carries := l.carried()
	if carries == 0 {
		return
	}
	if l.limit > 0 {
		l.lowerTo(now, queue, carries, l.limit)
		return
	}
	// Perhaps it is only a disturbance, in which little arrived. The next period shows.
	l.lowerTo(now, queue, max(carries, l.sends(now)/2), 0)
	l.cut.first = true
}

// lowerTo cuts the limit to a share of what the line carries.
func (l *Line) lowerTo(now, queue time.Duration, carries, before float64) {
	share := max(leave, 1-queue.Seconds()/drainIn.Seconds())
	l.cut = cut{at: now, limit: before, share: float32(share), worst: queue}
	l.limit = max(slower, carries*share)
	if queue <= slow {
		l.limit = max(l.limit, least)
	}
	l.step, l.calm, l.trial = slowly, now, trial{}
}

// checkCut looks whether a queue goes away. One that does not although less is sent is
// not made of what is sent here: somebody else fills it, or the way has become longer.
// To send less would then only harm.
func (l *Line) checkCut(now, queue time.Duration) {
	c := &l.cut
	c.worst, c.drops = max(c.worst, queue), c.drops || l.drops()
	switch {
	case l.now.oldest < c.at: // sent before it
		if c.first && queue > target {
			l.lowerTo(now, queue, l.carried(), c.limit)
		}
	case queue <= target/2 && c.from == 0 && now-c.at < judged+l.base(): // gone at once: it was a disturbance, or is over
		l.limit, c.at = c.limit, 0
	case queue <= target/2:
		c.at = 0
		carries := l.limit / float64(c.share) // since the queue went, less may have been sent, and come
		if c.drops || l.limit <= least {      // it was taken for a quicker line, or is slower than that
			carries = min(carries, l.carried())
		}
		l.limit = max(l.limit, carries)
	case c.from == 0:
		c.from, c.queue = l.now.oldest, queue
	case l.now.oldest < c.from+judged:
	case c.queue-queue >= time.Duration((1-float64(c.share))*float64(l.now.oldest-c.from)/3):
		c.from, c.queue = l.now.oldest, queue // it goes
	case l.carried() < 0.8*l.limit:
		l.lowerTo(now, queue, l.carried(), c.limit)
	case queue < c.worst/2: // most of it has gone: it was made of what is sent here, if not all of it
		c.at = 0
		l.limit = max(l.limit, min(l.carried(), l.limit/float64(c.share)))
		l.least, l.renewed = [2]time.Duration{l.now.quickest, 0}, now
	case c.drops: // it was full. What is lost is known late, so the line was taken for a quicker one
		l.lowerTo(now, queue, l.carried(), c.limit)
	case c.queue < c.worst && queue < c.worst: // what may leave at once has made it longer first, and perhaps it goes since then
		c.from, c.queue, c.worst = l.now.oldest, queue, queue
	default:
		l.limit, c.at = c.limit, 0
		l.longer(now)
	}
}
