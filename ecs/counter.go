package ecs

// Counters: events that no callback reports, counted by name.

import "iter"

// Counter returns a counter of this session by name, made on first use: a plugin's own,
// or one of the library's. It counts as long as the Replication exists.
func (r *Replication) Counter(name string) *uint64 {
	return r.faults.Counter(name)
}

// Counters returns all counters, in order of their names. The library counts what it
// drops or refuses ("rpc dropped", "packet refused", "stale give"), what it repairs
// ("state differs": on a client, found by a checksum; "resync": packets could not be
// read, so everything was sent anew), what comes and goes ("stream in", "stream out"),
// and what is lost on the link ("packet ignored", "packet dropped", "read failed", "write
// failed": see transport.Counters).
func (r *Replication) Counters() iter.Seq2[string, uint64] {
	return r.faults.Counters()
}

// noteMended counts what this machine's core has refused and repaired since the last
// call.
func (r *Replication) noteMended() {
	if r.auth != nil {
		now := r.auth.Counters().Resyncs
		r.faults.Add("resync", now-r.resyncs)
		r.resyncs = now
		return
	}
	now, was := r.proxy.Counters(), r.client.read
	r.faults.Add("packet refused", now.Refused-was.Refused)
	r.faults.Add("state differs", now.Mismatches-was.Mismatches)
	r.faults.Add("resync", now.Resyncs-was.Resyncs)
	r.client.read = now
}
