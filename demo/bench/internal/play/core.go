package play

import "github.com/tendonengine/tendon/rpl"

// This file is all that the bench asks of a core's insides.

// claimed is the state that an item had when it last changed, with its tick.
func claimed(p *rpl.Proxy, c claim) ([]int32, rpl.Tick) {
	return p.Words(c.h.replica.ID, 0), c.tick
}

// received is the newest state that was received of a node's item.
func received(p *rpl.Proxy, h *holding) ([]int32, rpl.Tick) {
	return p.Words(h.replica.ID, 0), p.Newest()
}

// records is how many records the authority has sent, and how many of them said
// again what had been said.
func records(a *rpl.Authority) (sent, repeats uint64) {
	c := a.Counters()
	return c.Records + c.Arrivals + c.Removals, c.Repeats
}
