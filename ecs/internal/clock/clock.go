// Package clock estimates, on a client, the server's tick and the rate at which ticks
// pass there, and moves the time that is drawn.
//
//	clock.go    Clock: what was received, the server's tick and rate, the time that is drawn
//	lead.go     Lead: how far ahead of the server a client makes its commands
//	window.go   the samples of the last seconds, and their quantiles
//
// All of it is arithmetic on arrival times: it starts nothing and reads no clock.
package clock

import (
	"math"
	"time"
)

// The constants were chosen by simulation, over lines of 0 to 300 ms with jitter, loss in
// bursts, stalls and slow hosts; clock_test.go keeps the ones that users complain of.
const (
	// needSpan is the time whose arrivals set how far drawn time trails: long enough to
	// meet the line's usual jitter, short enough to be back soon after it.
	needSpan = 3.0

	// needShare is the share of arrivals that may come too late for drawn time. What is
	// missing then is extrapolated.
	needShare = 0.05

	// needSends is how many sends that time has where they are farther apart than what is drawn
	// past the newest state. There each lost packet would be seen, so one that was lost among so
	// many is waited for.
	needSends = 60

	// The rate of ticks is the median of rateSpan seconds of slopes, each across
	// slopeSpan: a stall or a step of the line's delay bends few of them. Within rateSure
	// of what it should be it counts as that, because jitter alone bends it as much. It is believed from
	// rateLeast slopes on, or from rateFew where it is as far off as rateFar: so slow a server sends seldom.
	rateSpan  = 4.0
	slopeSpan = 1.0
	rateSure  = 0.015
	rateLow   = 0.1
	rateHigh  = 1.25
	rateLeast = 20
	rateFew   = 8
	rateFar   = 0.3

	// catchUp is the time in which an error of drawn time is made up for, as long as that
	// makes it neither fast faster nor slow slower than time. What it is late by beyond jumpBehind, up to
	// hasteMost, makes it faster by haste a second more.
	catchUp = 0.2
	fast    = 0.10
	slow    = 0.50
	haste   = 0.60

	hasteMost = 0.25

	// hurry is how much faster than time it makes up for a wait in which the server had nothing to say.
	hurry = 3

	// ahead is how far drawn time may run past the newest state.
	ahead = 0.1

	// jumpBehind and jumpAfter: drawn time that is farther behind, by hasteMost more, for longer, jumps once.
	// No player waits until a clock that runs a quarter fast has made up for a second. Where sends are
	// far apart, two more or less that are waited for are no reason to jump.
	jumpBehind = 0.25
	jumpAfter  = 1.0

	// waits is how long the server's tick is estimated on while nothing comes: a server
	// says something four times a second even if nothing changes.
	waits = 1.0

	// What comes within backlog after nothing has come for pause has waited somewhere, on this
	// machine, on the server or on the way: only the newest of it tells the server's tick, and what
	// was known before is of another time. Where sends are far apart, pauseSends of them are a pause.
	// So it is with what comes sooner than all before it by fresh, more than jitter makes: those had
	// waited, or had come by a slower way. Only within wakes of a pause drawn time leaps with it: else
	// all that was under way on the slower way is still to be seen.
	pause      = 0.75
	pauseSends = 3.0
	backlog    = 0.05
	fresh      = 0.25
	wakes      = 2.0
)

// A Clock is a client's estimate of its server's time. Ticks are the server's; local
// times are of the client's own clock. The zero Clock is not usable: see New.
type Clock struct {
	step     float64 // seconds of a tick, as the server should make them
	interval float64 // ticks between two sends
	needSpan float64 // seconds whose arrivals set how far drawn time trails …
	share    float64 // … and the share of them that may come too late for it
	patience float64 // seconds that drawn time may be late for jumpAfter without a jump
	pause    float64 // seconds in which something comes, if nobody pauses

	newest float64 // the newest tick received
	at     float64 // when it was received, at the socket
	resume float64 // when packets came again after a pause, or by a way that is much faster …
	woke   float64 // … and after a pause
	snaps  bool    // drawn time has stood, or news came after a pause: it does not hasten, but leaps
	silent float64 // ticks that the server has last left out on purpose
	quiet  float64 // up to here it had nothing to say: what still moves there goes on as before

	socket window // ticks by their time at the socket
	slopes window // ticks a tick's time, across slopeSpan
	needs  window // what drawn time could at most be when news came, less rate × time

	rate    float64 // ticks that pass in a tick's time
	target  float64 // what drawn time should be, less rate × time
	server  float64 // the same of the server's tick, as the usual packet tells it
	soonest float64 // the same at full speed, as the fastest packet of the last whole second told it, and any since
	sure    bool    // target is known
	last    float64 // the last answer of Server

	drawn   float64 // drawn time, in ticks
	moved   float64 // when it was last moved
	started bool
	behind  float64 // for how long drawn time has been more than jumpBehind late
	jumps   int
}

// New makes a clock for a server that makes a tick in step and a send in every interval
// ticks.
func New(step time.Duration, interval float64) *Clock {
	c := &Clock{
		step: step.Seconds(), interval: interval, rate: 1, soonest: math.Inf(-1),
		socket: newWindow(), slopes: newWindow(), needs: newWindow(),
	}
	c.needSpan, c.share, c.patience, c.pause = needSpan, needShare, jumpBehind, math.Max(pause, pauseSends*interval*c.step)
	if apart := interval * c.step; apart > ahead {
		c.needSpan, c.share, c.patience = math.Max(needSpan, needSends*apart), 0, math.Max(jumpBehind, 2.25*apart)
	}
	return c
}

// Hear takes the tick of a packet that is newer than all before it: at is when the socket
// received it, now when the game takes it up. lost is how many packets between it and the
// one before have not come; silence without a loss is the server's own, and no lateness.
func (c *Clock) Hear(tick uint32, at, now time.Duration, lost int) {
	t := float64(tick)
	if t <= c.newest {
		return
	}
	before, stamp := c.newest, at.Seconds()
	first := c.newest == 0
	c.newest, c.at = t, math.Max(c.at, stamp)
	c.hearRate(t, stamp)
	if first {
		c.server = t - c.rate*stamp/c.step
		c.last = math.Max(c.last, t)
		return
	}
	taken := now.Seconds()
	if taken-c.moved > c.pause { // the program has stood: when it takes this up says nothing of the line
		taken = stamp
	}
	if c.backlogged(stamp) && c.woke > 0 && stamp-c.woke < wakes { // what is missing from before is not waited for
		lost, c.needs.n, c.snaps = 0, 0, true
		before = t - c.interval
	}
	could := t - float64(1+lost)*c.interval // the newest that was said, if all between had been sent
	c.silent = math.Max(0, could-before)
	c.needs.add(taken, math.Max(before, could))
	c.needs.forget(taken - c.needSpan)
	c.target, c.sure = c.needs.quantile(c.share, c.rate/c.step), true
	if c.silent > ahead/c.step {
		c.quiet = could
	}
}

// hearRate takes a tick into the estimates that go by the socket.
func (c *Clock) hearRate(t, stamp float64) {
	switch n := c.socket.len(); {
	case n == 0:
	case stamp-c.socket.at(n-1).at > c.pause:
		c.resume, c.woke = stamp, stamp
	case t-c.rate*stamp/c.step-c.socket.quantile(1, c.rate/c.step) > fresh*c.rate/c.step:
		c.resume = stamp
	}
	if c.backlogged(stamp) {
		c.socket.n = 0
	}
	c.socket.add(stamp, t)
	c.socket.forget(stamp - slopeSpan - 0.2)
	if from, ok := c.socket.latest(stamp - slopeSpan); ok {
		c.slopes.add(stamp, (t-from.v)*c.step/(stamp-from.at))
		c.soonest = c.socket.quantile(1, 1/c.step)
	} else {
		c.soonest = math.Max(c.soonest, t-stamp/c.step)
	}
	c.slopes.forget(stamp - rateSpan)
	c.rate = 1
	if n := c.slopes.len(); n >= rateFew {
		if off := c.slopes.quantile(0.5, 0) - 1; math.Abs(off) > rateSure && n >= rateLeast || math.Abs(off) > rateFar {
			c.rate = math.Min(math.Max(1+off, rateLow), rateHigh)
		}
	}
	c.server = c.socket.quantile(0.5, c.rate/c.step)
}

// backlogged reports whether what has come at a time had waited.
func (c *Clock) backlogged(stamp float64) bool { return c.resume > 0 && stamp-c.resume < backlog }

// Started reports whether anything was received.
func (c *Clock) Started() bool { return c.newest > 0 }

// Server estimates the tick that a packet of usual speed would carry if it came now. It
// never goes back.
func (c *Clock) Server(now time.Duration) float64 {
	if c.newest == 0 {
		return 0
	}
	c.last = math.Max(c.last, c.ServerNow(now))
	return c.last
}

// ServerNow is ServerRaw at a local time, but not beyond what waits allows: nobody knows when a
// server that says nothing goes on.
func (c *Clock) ServerNow(now time.Duration) float64 {
	return c.ServerRaw(math.Min(now.Seconds(), c.at+math.Max(waits, c.pause)))
}

// ServerRaw is the estimate at a local time in seconds as it is, which may go back when
// the line becomes slower.
func (c *Clock) ServerRaw(now float64) float64 { return c.server + c.rate*now/c.step }

// Most is the latest that the server's tick can be: what it is if the server has not paused or been slow
// since a whole second of what it said has come at once. What comes alone after a silence may have waited
// all that time, as what is told again on a reliable lane does.
func (c *Clock) Most(now time.Duration) float64 {
	return math.Max(c.last, math.Max(c.soonest+now.Seconds()/c.step, c.ServerRaw(now.Seconds())))
}

// Draw moves drawn time on to a local time and returns it, in ticks. It never goes back.
func (c *Clock) Draw(now time.Duration) float64 {
	t := now.Seconds()
	passed := math.Max(0, t-c.moved)
	c.moved = math.Max(c.moved, t)
	if !c.sure {
		return c.drawn
	}
	want := c.target + c.rate*t/c.step
	if !c.started {
		c.started, c.drawn = true, math.Max(0, want)
		return c.drawn
	}
	ticks := c.rate * passed / c.step // that pass if nothing is wrong
	wrong := (want - (c.drawn + ticks)) * c.step
	if wrong > c.patience+hasteMost {
		c.behind += passed
	} else {
		c.behind = 0
	}
	if c.behind > jumpAfter {
		c.behind, c.drawn = 0, want
		c.jumps++
		return c.drawn
	}
	to := c.drawn + math.Max(0, ticks*(1+math.Min(math.Max(wrong/catchUp, -slow), fast+haste*math.Min(math.Max(0, wrong-c.patience), hasteMost))))
	if c.drawn < c.quiet { // it has waited for what was lost: little of that time is to be seen
		to, c.behind = math.Max(to, math.Min(c.drawn+hurry*ticks, math.Min(want, c.quiet))), 0
	}
	if passed > c.pause || c.snaps && wrong > c.patience { // nobody has seen what was meanwhile
		to, c.behind = math.Max(c.drawn, want), 0
	}
	c.snaps = false
	if limit := c.newest + c.silent + ahead/c.step; to > limit {
		to = math.Max(c.drawn, limit)
		c.snaps = c.drawn >= c.quiet
	}
	c.drawn = to
	return to
}

// Drawn is drawn time in ticks, as Draw last moved it.
func (c *Clock) Drawn() float64 { return c.drawn }

// Rate is how many ticks pass on the server in the time of one.
func (c *Clock) Rate() float64 { return c.rate }

// Jumps is how often drawn time has jumped forward.
func (c *Clock) Jumps() int { return c.jumps }

// Delay is how far drawn time trails the newest state that a packet of usual speed would
// bring now, at its target.
func (c *Clock) Delay() time.Duration {
	if !c.sure {
		return 0
	}
	return time.Duration(math.Max(0, c.server-c.target) * c.step / c.rate * float64(time.Second))
}
