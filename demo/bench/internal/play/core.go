package play

import "github.com/tendonengine/tendon/rpl"

// This file is all that the bench asks of a core's insides.

// records is how many records the authority has sent, and how many of them said
// again what had been said.
func records(a *rpl.Authority) (sent, repeats uint64) {
	c := a.Counters()
	return c.Records + c.Arrivals + c.Removals, c.Repeats
}
