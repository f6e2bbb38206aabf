package clock

import (
	"math"
	"time"
)

const (
	// needed commands: the lead is what all but leadMiss of the last leadSpan seconds'
	// reports would have needed, what rarer ones will, and leadSpare ticks.
	leadSpan  = 3.0
	leadMiss  = 0.02
	leadSpare = 0.25
	leadLeast = 8    // reports before they are believed: where they come more seldom than that, leadSpan is longer …
	leadRare  = 1.25 // … as if they came so many seconds apart at most: what is longer is a silence
	leadFirst = 1    // seconds after the first command, in which the first estimate of the round trip is not taken back
	mostLate  = 8    // commands that a late report stands for

	// Of commands that come at once, more than outage seconds of them, all but the newest have waited for
	// a line that was down, or have come again and again until it was up: that says nothing of the line since.
	outage = 0.25

	// So few reports have not met what is rare. What a line loses or delays falls off about
	// evenly: from half of them to leadMiss they become a 25th, and over leadTail of that way
	// again a fifth of what is left. It is less than a tick, which is what the next loss costs.
	leadTail = 0.5
	mostTail = 0.75

	// A lead that has been more than overOne ticks too long for shrinkEvery is made a tick shorter, and one that is
	// more than overTwo too long at once. Changes by less than a tick would swing for ever, and each makes
	// some command late. One that is too long for a moment only, since a rare loss is forgotten just before the next,
	// would be made longer again: each tick that is left out or doubled shows. These are for leadHz ticks a second;
	// where there are more they are made the sooner, so that it is as long until the lead is right.
	overOne     = 1.25
	overTwo     = 2.25
	shrinkEvery = 3.0
	growEvery   = 0.1
	hasteEvery  = 0.03
	leadHz      = 60.0

	// A client's steps are counted over slowSpan of the server's ticks, unless slowMost of them or more
	// passed without one, which is a stall. With more than slowRate ticks for a step, fewer than 60 % of
	// the steps, nobody plays. Of up to slowLeast, uneven frames make as much, and growEvery is enough.
	slowSpan  = 60.0
	slowMost  = 6.0
	slowRate  = 1 / 0.6
	slowLeast = 1.03

	// The server is slow if less than slowServer of a tick has passed in a step on the mean of some
	// slowMean. Then a client leaves out as many commands as it takes, not every second one at most: else
	// those of a server below half of its steps come ever earlier. It makes at least one in slowFewest
	// ticks: what is drawn of it must not stand for long.
	slowServer = 0.6
	slowMean   = 32
	slowFewest = 2

	// leadJump is the error in ticks that no single ticks make up for.
	leadJump = 10

	// After a stall, in which so many ticks more than usually in a frame have passed, those that are missing
	// are made at once. Steps that a client makes up for then, between which less than caughtUp of a tick
	// passes, make no ticks: as many as were made for them, or all if those were more than leadJump. What is
	// usual is a mean of frameMean frames: a game of 240 steps that draws 30 times a second makes 8 in each.
	stalled   = 2.0
	caughtUp  = 0.25
	frameMean = 8

	// leadRing is how many of the newest commands' leads are remembered until they are
	// reported on.
	leadRing = 256
)

// A Lead says for which tick a client makes its next command: so far ahead of the server
// that hardly any comes too late, and no farther. A Lead with its Hz is ready; its ticks are
// counted by a Clock.
type Lead struct {
	Bound float64 // the most ticks of margin that the game allows; 0: no bound
	Hz    float64 // ticks a second, by which steps that are made at once are known from a server that stands still

	needs   window
	made    [leadRing]struct{ tick, at float64 }
	tick    float64 // of the newest command, 0 before the first
	smooth  float64 // the lead of late commands, without the unevenness of updates
	want    float64
	before  float64 // the server's tick in the step before
	at      float64 // when that was
	margin  float64 // mean of what the server reports, in ticks
	heard   float64 // when it last reported …
	between float64 // … and a mean of the seconds between two reports
	met     bool    // a command has come in time
	known   bool    // want is by reports
	begun   float64 // when the first command was made
	paid    float64 // steps made at once whose ticks are made already
	skipped float64 // ticks that Behind has gone on by
	frame   float64 // the server's ticks that usually pass between steps that are not made at once
	ticking float64 // the same over more of them, less 1
	left    float64 // steps in turn that were left out
	pace    pace
	grown   float64
	shrunk  float64
	right   float64    // when it was last not too long
	were    [2]float64 // grown and shrunk before the last step without a command
}

// Reported takes the server's report on a command: margin is how many ticks before its
// time it came, below zero if it was late; got is the newest that had come by then. How far ahead it was
// made is judged by what c knows by now: after a silence the server's tick may have been taken for a much
// older one.
func (l *Lead) Reported(c *Clock, tick, got uint32, margin float64, now time.Duration) {
	if more := float64(got) - float64(tick); margin < 0 && more > outage*l.Hz {
		tick, margin = got, margin+more
	}
	m := &l.made[tick%leadRing]
	if tick == 0 || m.tick != float64(tick) || m.at < c.resume { // of a command from before a pause it says how long that was
		return
	}
	if l.needs.ring == nil {
		l.needs, l.margin = newWindow(), margin
	}
	if margin >= 0 && !l.met {
		l.met, l.margin = true, margin
	}
	l.margin += (margin - l.margin) / 16
	if gap := math.Min(now.Seconds()-l.heard, leadRare); l.heard > 0 {
		l.between += (gap - l.between) / 4
	}
	l.heard = now.Seconds()
	for late := 0.0; late == 0 || late < min(-margin, mostLate); late++ { // those behind it were late, too, and would have needed less and less
		l.needs.add(now.Seconds(), m.tick-c.ServerRaw(m.at)-margin-late)
	}
	l.needs.forget(now.Seconds() - math.Max(leadSpan, (leadLeast+1)*l.between))
	if l.needs.len() >= leadLeast {
		l.known = true
		most, half := l.needs.quantile(1-leadMiss, 0), l.needs.quantile(0.5, 0)
		l.want = most + math.Min(leadTail*(most-half), mostTail) + leadSpare
		if l.Bound > 0 {
			l.want = math.Min(l.want, half+l.Bound)
		}
	}
}

// Margin is the mean of the margins reported of late, in ticks.
func (l *Lead) Margin() float64 { return l.margin }

// Meets is the tick that the server is about to run when it has what is sent now; server is its tick
// as in Steps.
func (l *Lead) Meets(server float64) uint32 { return uint32(server + l.want) }

// Tick is the tick of the newest command, 0 before the first.
func (l *Lead) Tick() uint32 { return uint32(l.tick) }

// Steps returns how many commands this step makes: mostly 1, and 0 or 2 to come nearer to
// the lead that is wanted. At first, and when it is far off, it jumps to the tick instead.
// server is the server's tick as Clock.ServerRaw has it, initial the lead to begin with.
// After it call Made for each.
func (l *Lead) Steps(server, initial float64, now time.Duration) int {
	t, passed := now.Seconds(), server-l.before
	atOnce := passed < caughtUp && (t-l.at)*l.Hz < caughtUp // else the server may stand still
	l.before, l.at = server, t
	if l.tick == 0 {
		if l.shrunk, l.begun = t, t; !l.known { // else reports have told better
			l.want = math.Max(l.want, initial)
		}
		l.tick = math.Floor(server + l.want)
		l.smooth = l.want
		return 1
	}
	if atOnce && l.paid > 0 {
		l.paid--
		return 0
	}
	l.pay(l.skipped)
	stall := passed > max(1, l.frame)+stalled
	if !atOnce {
		l.frame += (min(passed, 2*l.frame+1) - l.frame) / frameMean
		l.ticking += (min(max(passed, -2), 2) - 1 - l.ticking) / slowMean
	}
	lead := l.tick + 1 - server
	l.smooth += 1 - l.pace.step(passed) // what a step takes of it, on a machine that is too slow
	if !atOnce {                        // of steps that are made at once the first is the one that may be late
		if math.Abs(lead-l.smooth) > 3 {
			l.smooth = lead
		}
		l.smooth += (lead - l.smooth) / 8
	}
	if !l.known { // the round trip is better known by now
		if l.want = math.Max(l.want, initial); t-l.begun > leadFirst { // nothing is sent of which a report would come
			l.want = initial
		}
		if l.smooth < l.want-1 {
			l.tick = math.Max(l.tick, math.Floor(server+l.want))
			l.smooth = l.want
			return 1
		}
	}
	each := min(1, leadHz/l.Hz)
	want, slow := l.want, l.pace.rate > 1
	if slow { // the next step may come a tick late
		want++
	}
	over := l.smooth - want
	if over <= overOne {
		l.right = t
	}
	switch {
	case over < -leadJump, over < -overOne && (stall || !l.met): // at first no command has come in time, and none is taken back
		to := math.Max(l.tick, math.Floor(server+l.want))
		l.pay(l.paid + to - l.tick)
		l.tick, l.smooth = to, l.want
		return 1
	case over < 0 && t-l.grown > growEvery*each, slow && lead < want:
		l.smooth++
		l.grown, l.shrunk = t, t
		return 2
	case over > overOne && atOnce,
		over > overOne && (passed < caughtUp || l.ticking < slowServer-1) && l.left < slowFewest/(1+l.ticking),
		over > overTwo && t-l.grown > hasteEvery*each, t-max(l.right, l.shrunk) > shrinkEvery*each:
		l.smooth--
		l.left++
		l.were = [2]float64{l.grown, l.shrunk}
		l.grown, l.shrunk = t, t
		return 0
	}
	return 1
}

// MadeAfterAll is Made in a step for which Steps has said 0: a key was pressed in it, which must not
// wait. A later step makes no command instead.
func (l *Lead) MadeAfterAll(now time.Duration) uint32 {
	l.smooth++
	l.grown, l.shrunk = l.were[0], l.were[1]
	return l.Made(now)
}

// Made notes that the next command was made, and returns its tick.
func (l *Lead) Made(now time.Duration) uint32 {
	l.tick++
	l.left = 0
	m := &l.made[uint32(l.tick)%leadRing]
	m.tick, m.at = l.tick, now.Seconds()
	return uint32(l.tick)
}

// Rest has no commands be made until the next Steps, which jumps to the tick as the first did: in between
// the server's tick goes on unheard.
func (l *Lead) Rest() { l.tick = 0 }

// Behind sets the newest command's tick to the server's if that has overtaken it.
func (l *Lead) Behind(server uint32) {
	l.skipped += math.Max(0, float64(server)-l.tick)
	l.tick = math.Max(l.tick, float64(server))
}

// pay has so many of the steps that are made at once now make no ticks, because those are made.
func (l *Lead) pay(ticks float64) {
	if l.paid, l.skipped = ticks, 0; ticks > leadJump {
		l.paid = math.Inf(1)
	}
}

// A pace is how many of the server's ticks pass in a step of a client that makes too few.
type pace struct {
	rate, ticks, steps, most float64
}

// step notes that so many ticks have passed, and returns how many do in a step: 1 on a machine that is
// fast enough, also where its steps are uneven.
func (p *pace) step(passed float64) float64 {
	p.ticks, p.steps, p.most = p.ticks+passed, p.steps+1, max(p.most, passed)
	if p.ticks >= slowSpan {
		if p.most < slowMost {
			p.rate = p.ticks / p.steps
		}
		p.ticks, p.steps, p.most = 0, 0, 0
	}
	if p.rate < slowLeast || p.rate > slowRate {
		p.rate = 1
	}
	return p.rate
}
