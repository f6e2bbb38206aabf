package ecs

// refused: how the log is told of clients that are not let in. Anybody who knows the
// address can cause refusals, without limit and under any name, so few of them are
// logged.

import "time"

// refusals counts what was logged in the present refusedWhile.
type refusals struct {
	since  time.Duration // when the present refusedWhile began, in the session's time
	told   int
	untold uint64 // not logged since the last that was
}

// turnedAway counts a client that was not let in, and logs the first maxRefusedTold in
// each refusedWhile.
func (ss *seating) turnedAway(remote any, why error) {
	*ss.counter("client refused")++
	s := &ss.refusals
	if now := ss.line.now(); now-s.since >= refusedWhile {
		s.since, s.told = now, 0
	}
	if s.told == maxRefusedTold {
		s.untold++
		return
	}
	args := []any{"remote", remote, "why", why}
	if s.untold > 0 {
		args = append(args, "untold", s.untold)
	}
	s.told++
	s.untold = 0
	ss.config.Log.Info("refused", args...)
}
