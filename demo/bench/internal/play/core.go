package play

import "github.com/tendonengine/tendon/rpl"

// This file reads the authority's counters for the bench.

// records returns how many records the authority has sent, and how many of them
// repeated an earlier record.
func records(a *rpl.Authority) (sent, repeats uint64) {
	c := a.Counters()
	return c.Records + c.Arrivals + c.Removals, c.Repeats
}
