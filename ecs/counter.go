package ecs

// Counters: what happened that no callback tells, by name.

import (
	"iter"
	"maps"
	"slices"
)

// Counter is a figure of this session by name, made on first use: a plugin's
// own, or the library's. It counts for as long as the session lives.
func (r *Replication) Counter(name string) *uint64 {
	c := r.counters[name]
	if c == nil {
		c = new(uint64)
		r.counters[name] = c
	}
	return c
}

// Counters are all figures by name, in order of the names. The library counts
// what it drops or refuses ("rpc dropped", "packet refused", "stale give"), what it
// mends ("state differs": on a client, by a checksum; "resync": where packets could
// not be read, all was told anew), what passes ("stream in", "stream out") and what
// comes to nothing on the way ("packet ignored", "packet dropped", "read failed",
// "write failed": see transport.Counters).
func (r *Replication) Counters() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for _, name := range slices.Sorted(maps.Keys(r.counters)) {
			if !yield(name, *r.counters[name]) {
				return
			}
		}
	}
}

// noteMended counts what the core of this machine has refused and mended since the
// last time.
func (r *Replication) noteMended() {
	if r.auth != nil {
		now := r.auth.Counters().Resyncs
		r.countTo("resync", now-r.resyncs)
		r.resyncs = now
		return
	}
	now, was := r.proxy.Counters(), r.read
	r.countTo("packet refused", now.Refused-was.Refused)
	r.countTo("state differs", now.Mismatches-was.Mismatches)
	r.countTo("resync", now.Resyncs-was.Resyncs)
	r.read = now
}

// noteLink counts what has come to nothing on the link since the last time.
func (r *Replication) noteLink() {
	if r.link == nil { // a callback has closed it
		return
	}
	now, was := r.link.Counters(), r.linkRead
	r.countTo("packet ignored", now.Ignored-was.Ignored)
	r.countTo("packet dropped", now.Dropped-was.Dropped)
	r.countTo("read failed", now.ReadErrors-was.ReadErrors)
	r.countTo("write failed", now.WriteErrors-was.WriteErrors)
	r.linkRead = now
}

func (r *Replication) countTo(name string, n uint64) {
	if n > 0 {
		*r.Counter(name) += n
	}
}
