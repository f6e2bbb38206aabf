package patience

import (
	"testing"
	"time"
)

const (
	step  = 20 * time.Millisecond
	limit = 10 * time.Second
)

// run looks every step for a while and returns when the peer was to be sent away; 0: never.
func run(w *Timer, from, d time.Duration, acks, lane func(at time.Duration) time.Duration) (when time.Duration) {
	for at := step; at <= d; at += step {
		if w.Check(from+at, acks(at), lane(at), limit) != "" {
			return at
		}
	}
	return 0
}

func none(time.Duration) time.Duration { return 0 }

func all(at time.Duration) time.Duration { return at }

func TestWhoTakesNothingIsSentAway(t *testing.T) {
	for name, x := range map[string]struct {
		acks, lane func(time.Duration) time.Duration
	}{"no acks": {all, none}, "no lane": {none, all}, "neither": {all, all}} {
		var w Timer
		if at := run(&w, time.Hour, time.Minute, x.acks, x.lane); at < limit-longestStep || at > limit+time.Second {
			t.Errorf("%s: sent away after %v", name, at)
		}
	}
}

func TestWhoTakesLittleStays(t *testing.T) {
	var w Timer
	some := func(at time.Duration) time.Duration { return at % (9 * time.Second) }
	if at := run(&w, 0, 5*time.Minute, some, some); at != 0 {
		t.Errorf("sent away after %v", at)
	}
}

// A pause of this machine, however long, does not count, nor does what came before it twice.
func TestOwnPausesDoNotCount(t *testing.T) {
	var w Timer
	run(&w, 0, 5*time.Second, all, none)
	pause := func(at time.Duration) time.Duration { return 5*time.Second + time.Minute + at }
	if at := run(&w, 65*time.Second, 4*time.Second, pause, none); at != 0 {
		t.Errorf("sent away %v after a pause", at)
	}
	if at := run(&w, 69*time.Second, 4*time.Second, func(at time.Duration) time.Duration { return 69*time.Second + at }, none); at == 0 {
		t.Error("not sent away at all")
	}
}

// What is answered after the same time again and again is answered.
func TestSteadyAnswersAreAnswers(t *testing.T) {
	var w Timer
	steady := func(time.Duration) time.Duration { return 40 * time.Millisecond }
	if at := run(&w, 0, time.Minute, steady, steady); at != 0 {
		t.Errorf("sent away after %v", at)
	}
}

// calls has a Calls look at what is called in each of some times; each look is at the end of one.
type calls struct {
	Calls
	at  time.Duration
	all uint64
}

func callsFrom(at time.Duration) calls { return calls{Calls: CallsSince(at), at: at} }

func (c *calls) look(d time.Duration, n int) (sentAway bool) {
	c.at += d
	c.all += uint64(n)
	return c.Check(c.at, c.all, 100) != ""
}

func TestCallsOverTheLimit(t *testing.T) {
	for _, d := range []time.Duration{time.Second, time.Second + step, 2 * time.Second, time.Minute} {
		c := callsFrom(time.Hour)
		c.look(time.Second, 0)
		most := int(100 * d.Seconds())
		for range 100 {
			if c.look(d, most) {
				t.Errorf("%v: sent away for %d calls", d, most)
			}
		}
		if !c.look(d, most+most/10) {
			t.Errorf("%v: not sent away for more than %d calls", d, most)
		}
	}
}

// Of calls that wait while this machine stands a part comes in the first look, and what the lane has held
// back in the next ones.
func TestCallsThatHaveWaited(t *testing.T) {
	c := callsFrom(time.Hour)
	c.look(time.Second, 90)
	for i, n := range []int{0, 900, 800, 400, 190, 90} {
		d := time.Second
		if i == 0 {
			d, n = 40*time.Second, 700
		}
		if c.look(d, n) {
			t.Errorf("sent away for %d calls at look %d", n, i)
		}
	}
}

// Who floods while this machine stands is sent away in the first look, and who begins after that within ten
// seconds, however long it has stood; at once, if that is more than a lane holds back.
func TestFloodsRoundAStandstill(t *testing.T) {
	for _, stood := range []time.Duration{5 * time.Second, time.Minute, time.Hour} {
		during := callsFrom(time.Hour)
		during.look(time.Second, 90)
		if !during.look(stood, int(110*stood.Seconds())) {
			t.Errorf("%v: not sent away for a flood meanwhile", stood)
		}
		for flood, most := range map[int]int{120: 10, mostHeld: 2, 2 * mostHeld: 1} {
			c := callsFrom(time.Hour)
			c.look(stood, 0)
			looks := 1
			for ; !c.look(time.Second, flood) && looks < 60; looks++ {
			}
			if looks > most {
				t.Errorf("%v: a flood of %d after it is ended after %d looks", stood, flood, looks)
			}
		}
	}
}

// Who has been away for long may not call more for that as it comes back.
func TestCallsOfWhoHasBeenAway(t *testing.T) {
	for _, limit := range []int{100, 250} {
		c := callsFrom(time.Hour)
		c.look(time.Second, 90)
		c.at += time.Minute
		c.Back(c.at)
		c.all = 0
		if sentAway := c.look(time.Second, limit); sentAway != (limit > 100) {
			t.Errorf("%d calls in the first second: sent away: %v", limit, sentAway)
		}
	}
}

// A new connection's calls are counted from 0.
func TestCallsOfANewConnection(t *testing.T) {
	c := callsFrom(time.Hour)
	c.look(time.Second, 90)
	c.all = 0
	if c.look(time.Second, 80) || !c.look(time.Second, 220) {
		t.Error("they are not")
	}
}
