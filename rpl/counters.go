package rpl

// Counters returns the core's counts since it was made.
func (a *Authority) Counters() Counters {
	c := a.sender.Accounts.Counters
	c.DistanceChecks, c.FarOut, c.TooLong = a.interest.DistanceChecks, a.interest.FarOut, c.TooLong+a.store.Long.Count
	return c
}

// BitsByItem appends to dst what was planned since the core was made: one entry per
// item type in the order of names, then the one that belongs to no item. The net graph
// and the bench read it.
func (a *Authority) BitsByItem(dst []ItemBits) []ItemBits {
	for i, t := range a.cfg.Schema.Items() {
		dst = append(dst, ItemBits{Item: t, Bits: a.sender.Accounts.Bits[i]})
	}
	return append(dst, ItemBits{Bits: a.sender.Accounts.OtherBits, Removals: a.sender.Accounts.RemovalBits})
}
