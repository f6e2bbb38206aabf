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
