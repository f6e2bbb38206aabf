package ecs

// refused: clients that are not let in, as the log is told of them. Anybody who knows the address can
// have somebody refused, as often as he likes and in any name.

import "time"

// refusals is what was told of them in a while.
type refusals struct {
	since  time.Duration // when the while began, in the session's time
	told   int
	untold uint64 // since the last that was told
}

// turnedAway counts a client that was not let in, and logs the first of each while.
func (r *Replication) turnedAway(remote any, why error) {
	*r.Counter("client refused")++
	s := &r.refusals
	if now := r.now(); now-s.since >= refusedWhile {
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
	r.config.Log.Info("refused", args...)
}
