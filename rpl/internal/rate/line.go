// Package rate estimates what the line to a peer carries, from when packets were sent,
// when they arrived, and which were lost. It has no clock: the caller passes the time.
//
// It follows two models. As LEDBAT (RFC 6817) does, it takes the least round trip of the
// last while for the empty line, what a round trip takes beyond that for a queue, and
// keeps that queue below a target. As BBR does, it measures at which rate bytes arrive,
// and takes that rate, while a queue stands, for what the line carries. Loss alone says
// nothing: lines by radio lose packets at any rate. So before loss is taken for a line
// that is too slow, a trial shows whether sending less loses less.
package rate

import (
	"cmp"
	"math"
	"time"
)

// A Line estimates what one peer's line carries. Most lines carry all that is asked of
// them: then there is no limit, and nothing is held back. The zero value is such a line.
type Line struct {
	limit  float64       // bytes a second; 0: none
	step   float32       // by which share the limit grows next
	behind uint32        // total of when the newest packet left that is known to have arrived
	raised time.Duration // when the limit was raised last
	total  uint32        // bytes sent since the session began, modulo 2³²
	asked  uint16        // rounds of this period in which all that the limit gave was used …
	round  uint16        // … of so many

	now    span // the period that is being measured
	begun  time.Duration
	before span // the one before it

	least   [2]time.Duration // the quickest round trip of this window and the one before; 0: none
	renewed time.Duration    // when this window began

	rise     *rise // nil until a packet has come
	cut      cut
	trial    trial
	calm     time.Duration // since when nothing has spoken for a slow line
	shy      time.Duration // no trial of loss before
	wait     time.Duration // how long after the next trial that finds nothing
	floor    float32       // share that is lost whatever is sent
	mean     float32       // share lost, over a few seconds …
	sure     float32       // … and up to the last period but one in which packets came
	received uint32        // when a packet came last, in milliseconds modulo 2³²; 0: none has
	burst    burst
}

// A span is what was measured in one period.
type span struct {
	quickest    time.Duration // round trip; 0: none
	trips       uint16
	came, lost  uint16        // packets
	oldest      time.Duration // when the first of the packets that came was sent
	sent        uint32        // Line.total at its start …
	sentAt      time.Duration // … and when that was
	first, last mark          // the first and the newest packet that came
}

// A mark is a packet that came: bytes sent up to it, and when it came.
type mark struct {
	bytes uint32
	at    time.Duration
}

// A trial sends less for a while, to see whether less is lost.
type trial struct {
	begun      time.Duration // 0: none is under way
	from       time.Duration // when news of what was sent in it may come first
	sent       uint32        // Line.total as it began
	less       float32       // bytes a second that are sent in it
	loss, mean float32       // share lost just before it, and over a few seconds
	came, lost uint16        // since from
	all        bool          // it holds back everything, not only what newer state replaces
}

const (
	target = 100 * time.Millisecond // a queue that is longer stands in the way of the game
	most   = 2 * target             // so long a queue need not stand for two periods
	least  = 4800                   // bytes a second: what a game of few things sends is not held back by mistake …
	slow   = 500 * time.Millisecond // … but where the queue is longer than this the line does carry less, …
	slower = 1200                   // … if not less than a packet

	leastBurst = 1200 // bytes: one packet

	period  = 150 * time.Millisecond // of measuring, at least, …
	longest = time.Second            // … and at most, where few packets come …
	enough  = 4                      // … that is, fewer than these, …
	few     = 2                      // … or these, where a queue shows that the line has a limit

	window = 10 * time.Second // for which the quickest round trip is believed

	slowly  = 0.03 // the first growth after a sign of a slow line; it doubles in each period …
	quickly = 0.25 // … up to this

	forget = 10 * time.Second // without a sign, an unused limit grows, too

	lossy     = 0.08                    // more loss than this, beyond what is lost in any case, is looked into
	try       = 0.75                    // of what was sent is sent in a trial
	tryLeast  = 16 << 10                // bytes a second; lines that lose so little because they carry less are rare, and have queues
	tryAfter  = 3 * time.Second         // from when the session began: what is lost of a join is sent again anyway
	paused    = 400 * time.Millisecond  // who has said nothing for so long has stood, or was cut off: that says nothing of how much the line carries
	tryAtOnce = 100 * time.Millisecond  // of what is tried may leave at once
	tryDebt   = 0.1                     // so many seconds of it, …
	tryBurst  = 2400                    // … and so many bytes, may leave beyond that before the trial is over
	radio     = 0.3                     // more loss than this is rarely a radio's: then a trial holds back everything
	tryFor    = 1500 * time.Millisecond // a trial takes so long, or twice as long for …
	tried     = 60                      // … so many packets
	helps     = 0.25                    // it has helped if less than this share is still lost, …
	certain   = 1.6                     // … so little that chance, at the usual loss, does it in one of twenty: so many standard deviations less
	tryRest   = 10 * time.Second        // after a trial that found nothing, at least …
	tryMost   = 80 * time.Second        // … and after several
)

// Limit is what the peer may be sent, in bytes a second; 0 means that the line has not
// shown a limit.
func (l *Line) Limit() float64 {
	if l.trial.all {
		return float64(l.trial.less)
	}
	return l.limit
}

// Tries is whether it is tried if less is lost when less is sent.
func (l *Line) Tries() bool { return l.trial.begun != 0 }

// Spare is how many bytes may leave now of what newer state replaces, within Limit; less than 0: too much has left.
// Only this is held back for a trial. A trial is a guess, and on most lines that lose packets a wrong one: what is
// said once would be late for nothing.
func (l *Line) Spare(now time.Duration) float64 {
	if t := &l.trial; t.begun != 0 && !t.all {
		return float64(t.less)*(now-t.begun+tryAtOnce).Seconds() - float64(l.total-t.sent)
	}
	return math.MaxFloat32
}

// Total stands for all that was sent so far; pass it to Arrived with the packet that it
// was taken for.
func (l *Line) Total() uint32 { return l.total }

// Sent counts bytes sent, of any kind.
func (l *Line) Sent(bytes int) { l.total += uint32(bytes) }

// Arrived says that a packet has arrived that was sent then, with Total of that time.
// at is when the news of it came, less what the peer has kept it for. Packets that other
// packets have overtaken are to be counted (Count) and not reported here. together is how
// many bytes had left in that send up to its end.
func (l *Line) Arrived(total, together uint32, sent, at time.Duration) {
	ms := uint32(at.Milliseconds())
	if l.received != 0 && int32(ms-l.received) > int32(paused.Milliseconds()) {
		l.resume(at)
	}
	l.received = ms
	if l.rise == nil {
		l.rise = new(rise)
	}
	s := &l.now
	trip := max(at-sent, time.Microsecond)
	if s.trips++; s.quickest == 0 || trip < s.quickest {
		s.quickest, l.rise.quick = trip, mark{total, at}
	}
	if l.least[0] == 0 || trip < l.least[0] {
		l.least[0] = trip
	}
	l.rise.note(total, sent, at, trip, trip-l.base())
	l.measureBurst(together, trip, at)
	if s.trips == 1 || sent < s.oldest {
		s.oldest = sent
	}
	m := mark{total, at}
	if s.first.at == 0 {
		s.first = m
	}
	if int32(total-s.last.bytes) > 0 || s.last.at == 0 {
		s.last = m
	}
}

// resume forgets what was judged lost while the peer, or the way from it, stood. What was lost then is
// known in the next few seconds.
func (l *Line) resume(at time.Duration) {
	for _, s := range []*span{&l.now, &l.before} {
		s.came, s.lost = 0, 0
	}
	l.trial = trial{}
	l.mean, l.shy = l.sure, max(l.shy, at+tryAfter)
}

// Count counts packets that arrived, and packets that were judged lost; less than 0 of
// these have arrived after all.
func (l *Line) Count(came, lost int) {
	l.now.came = uint16(min(int(l.now.came)+came, math.MaxUint16))
	l.now.lost = uint16(min(max(int(l.now.lost)+lost, 0), math.MaxUint16))
}

// base is the round trip of the empty line; 0: not known.
func (l *Line) base() time.Duration {
	if l.least[1] == 0 || l.least[0] != 0 && l.least[0] < l.least[1] {
		return l.least[0]
	}
	return l.least[1]
}

// Update looks at what was measured. Call it before each send. short says that more could
// have been sent than the limit, or budget, allowed. The limit ends at budget, in bytes a
// second, which the caller keeps anyway.
func (l *Line) Update(now time.Duration, short bool, budget float64) {
	if l.begun == 0 {
		l.begun, l.renewed, l.calm = max(now, 1), cmp.Or(l.renewed, now), now
		l.wait, l.shy = max(l.wait, tryRest), max(l.shy, now+tryAfter)
		l.now = span{sent: l.total, sentAt: now}
		return
	}
	if t := &l.trial; t.begun != 0 {
		t.all = t.all || l.mean > radio
		if l.Spare(now) < -float64(max(t.less*tryDebt, tryBurst)) {
			l.unanswered(now) // what is not held back is so much that no less is sent
		}
	}
	l.round++
	if short {
		l.asked++
	}
	took := now - l.begun
	if took < max(period, min(l.base(), longest)) || took < longest && l.now.trips < l.enough() {
		return
	}
	l.judge(now)
	if l.limit >= budget {
		l.limit, l.calm = 0, now
	}
	if float64(l.trial.less) >= budget {
		l.trial = trial{} // it would hold nothing back
	}
	if now-l.renewed >= window {
		l.least[1], l.least[0], l.renewed = l.least[0], 0, now
	}
	l.before, l.begun, l.asked, l.round = l.now, now, 0, 0
	l.now = span{sent: l.total, sentAt: now, first: l.before.last}
}

// enough is how many packets a short period must have.
func (l *Line) enough() uint16 {
	if l.limit == 0 && l.now.quickest-l.base() > most { // few come in a period of what fills a slow line
		return few
	}
	return enough
}

// carried is the rate at which bytes have arrived, over this period and the one before;
// 0: not known. Where a queue stands now and none did before, the line had nothing to carry
// for part of that time: then it is the rate over this period, if that is more.
func (l *Line) carried() float64 {
	both := l.since(l.before.first)
	if both == 0 || l.before.quickest-l.base() <= target/2 && l.now.quickest-l.base() > target {
		both = max(both, l.since(l.now.first))
	}
	return both * (1 - l.loss())
}

// since is the rate at which bytes left that have arrived since a packet came; 0: not known.
func (l *Line) since(from mark) float64 {
	d := l.now.last.at - from.at
	if from.at == 0 || d < period/2 {
		return 0
	}
	return float64(l.now.last.bytes-from.bytes) / d.Seconds()
}

// loss is the share of packets lost in this period and the one before.
func (l *Line) loss() float64 {
	came, lost := int(l.now.came)+int(l.before.came), int(l.now.lost)+int(l.before.lost)
	if came+lost == 0 {
		return 0
	}
	return float64(lost) / float64(came+lost)
}

// sends is the rate at which bytes were sent in this period and the one before.
func (l *Line) sends(now time.Duration) float64 {
	from, at := l.before.sent, l.before.sentAt
	if at == 0 {
		from, at = l.now.sent, l.now.sentAt
	}
	return float64(l.total-from) / max(now-at, time.Millisecond).Seconds()
}

// judge ends a period.
func (l *Line) judge(now time.Duration) {
	if n := int(l.now.came) + int(l.now.lost); n > 0 && l.now.trips > 0 {
		share := float32(l.now.lost) / float32(n)
		l.sure = l.mean
		l.mean += (share - l.mean) * min(1, float32(n)/200)
		l.floor = min(l.floor, max(l.mean, l.floor*0.98))
	}
	if l.now.trips == 0 {
		return
	}
	if r := l.rise; r.was != 0 {
		full := float64(l.now.lost) > radio*float64(l.now.came+l.now.lost) && now-l.renewed <= doubted
		if now-l.renewed > believed {
			r.was = 0
		} else if full || l.mean > 1.5*r.lost+lossy/2 {
			l.noWay()
		}
	}
	queue := l.now.quickest - l.base()
	l.rise.period(queue)
	if l.cut.at != 0 {
		l.checkCut(now, queue)
		return
	}
	stands := l.limit > 0 || l.before.trips > 0 && l.before.quickest-l.base() > target
	switch {
	case queue > target && (l.limit == 0 || 2*l.asked < l.round) && l.rise.isWay(l.now.last, l.loss()):
		l.longer(now)
		l.rise.waited = 0
	case queue > target && l.rise.waits(l.now.last, l.sends(now)):
	case queue > target && (stands || queue > most):
		l.lower(now, queue)
	case queue > target:
	case l.trial.begun != 0:
		l.checkTrial(now)
	case l.loses() && now >= l.shy:
		l.tryLess(now)
	default:
		l.grow(now, queue)
	}
}

// longer takes the way for longer, by the quickest packet of this period. That is doubted for a while.
func (l *Line) longer(now time.Duration) {
	if r := l.rise; r.was == 0 {
		r.was, r.lost = l.base(), l.mean
	}
	l.least, l.renewed = [2]time.Duration{l.now.quickest, 0}, now
}

// noWay takes back that the way has become longer: it is a queue that is full.
func (l *Line) noWay() {
	if r := l.rise; r != nil && r.was != 0 {
		l.least[1], r.was, r.first = min(r.was, l.base()), 0, mark{}
		l.least[0] = l.least[1]
	}
}

// Starved says that what is long has not got through for some seconds, though what is short does: it finds no room in a
// queue that is always full.
func (l *Line) Starved() { l.noWay() }

// loses is whether so much more is lost than is lost in any case that it should be looked into.
func (l *Line) loses() bool { return l.loss() > lossy && l.mean > l.floor*1.5+lossy }

// tryLess begins a trial.
func (l *Line) tryLess(now time.Duration) {
	sends := l.sends(now)
	if sends < tryLeast {
		l.shy = now + l.wait
		return
	}
	// Not less than half: perhaps hardly anything arrived for another reason, and is about to.
	less := max(min(try*sends, 0.95*l.carried()), sends/2)
	l.trial = trial{
		begun: now, from: now + l.now.quickest + period/2, // what is on its way was sent before
		sent: l.total, less: float32(less), loss: max(float32(l.loss()), l.mean), mean: l.mean, all: l.mean > radio,
	}
}

// checkTrial ends a trial when its time has come.
func (l *Line) checkTrial(now time.Duration) {
	t := &l.trial
	if l.begun >= t.from {
		t.came += l.now.came
		t.lost += l.now.lost
	}
	n, lost := float64(t.came)+float64(t.lost), float64(t.lost)
	usual := float64(t.mean) * n // would be lost if it has not helped
	helped, chance := lost < helps*float64(t.loss)*n, lost > usual-certain*math.Sqrt(usual)
	switch ends := now >= t.from+2*tryFor; {
	case now < t.from+tryFor || !ends && (n < tried || helped && chance):
		return
	case helped && chance:
		l.unanswered(now)
	case helped: // the line is too slow, and this is near what it carries
		l.limit = float64(t.less)
		l.step, l.calm, l.wait = slowly, now, tryRest
		l.mean, l.shy = float32(lost/n), now+2*tryFor
	default:
		l.floor = max(l.floor, min(t.loss, 0.5))
		l.shy, l.wait = now+l.wait, min(2*l.wait, tryMost)
	}
	*t = trial{}
}

// unanswered ends a trial that has not shown anything.
func (l *Line) unanswered(now time.Duration) {
	l.trial = trial{}
	l.shy, l.wait = now+l.wait/4, min(2*l.wait, tryMost)
}

// grow raises a limit that is used, or has not been needed for long. It waits for what
// came of the last time, and does not go on once there is any queue.
func (l *Line) grow(now, queue time.Duration) {
	if l.limit == 0 || l.now.oldest < l.raised {
		return
	}
	if queue > target/3 {
		l.step = slowly
		return
	}
	if 2*l.asked < l.round && now-l.calm < forget {
		return
	}
	l.limit *= 1 + float64(l.step)
	most := quickly
	if far := l.base(); far > period { // on a long way it takes longer to see that it was too much
		most *= float64(period) / float64(far)
	}
	l.step = min(2*l.step, float32(most))
	l.raised = now
}
