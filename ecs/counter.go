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
// what it drops or refuses ("rpc dropped", "stale give") and what passes
// ("stream in", "stream out").
func (r *Replication) Counters() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for _, name := range slices.Sorted(maps.Keys(r.counters)) {
			if !yield(name, *r.counters[name]) {
				return
			}
		}
	}
}
