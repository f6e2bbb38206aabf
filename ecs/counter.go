package ecs

// Counters: events that no callback reports, counted by name. What is wrong is logged too:
// by report each time, by refuse ever more rarely, by scold (debug.go) in debug mode alone,
// with the remedy.

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Counter returns a counter of this session by name, made on first use: a plugin's own,
// or one of the library's. It counts as long as the Replication exists.
func (r *Replication) Counter(name string) *uint64 {
	return r.counter(name)
}

// Counters returns all counters, in order of their names. The library counts what it
// drops or refuses ("rpc dropped", "packet refused", "stale give"), what it repairs
// ("state differs": on a client, found by a checksum; "resync": packets could not be
// read, so everything was sent anew), what comes and goes ("stream in", "stream out"),
// and what is lost on the link ("packet ignored", "packet dropped", "read failed", "write
// failed": see transport.Counters).
func (r *Replication) Counters() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for _, name := range slices.Sorted(maps.Keys(r.counters)) {
			if !yield(name, *r.counters[name]) {
				return
			}
		}
	}
}

// noteMended counts what this machine's core has refused and repaired since the last
// call.
func (r *Replication) noteMended() {
	if r.auth != nil {
		now := r.auth.Counters().Resyncs
		r.countTo("resync", now-r.resyncs)
		r.resyncs = now
		return
	}
	now, was := r.proxy.Counters(), r.client.read
	r.countTo("packet refused", now.Refused-was.Refused)
	r.countTo("state differs", now.Mismatches-was.Mismatches)
	r.countTo("resync", now.Resyncs-was.Resyncs)
	r.client.read = now
}

func (sh *shared) counter(name string) *uint64 {
	c := sh.counters[name]
	if c == nil {
		c = new(uint64)
		sh.counters[name] = c
	}
	return c
}

func (sh *shared) countTo(name string, n uint64) {
	if n > 0 {
		*sh.counter(name) += n
	}
}

// report counts and logs a fault that no other machine can repeat at will.
func (sh *shared) report(what string, err error) {
	if err != nil {
		*sh.counter(what)++
		sh.config.Log.Warn(what, "err", fmt.Sprint(err))
	}
}

// refuse counts a fault that another machine, or a rule of the game, may repeat at will.
// It logs the first, the second, the fourth …, so that neither can fill a disk.
func (sh *shared) refuse(what string, err error) {
	if err == nil {
		return
	}
	n := sh.counter(what)
	if *n++; *n&(*n-1) == 0 {
		sh.config.Log.Warn(what, "times", *n, "err", fmt.Sprint(err))
	}
}
