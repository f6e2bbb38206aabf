package rpl

// Counters tell what the authority did and why, since it began. The net graph
// and the bench read them.
type Counters struct {
	DistanceChecks uint64 // of nodes against observers
	FarOut         uint64 // nodes that came to where a Grid's float32s are too coarse: meanwhile peers look at all of their sight
	Records        uint64 // updates of rows sent
	Repeats        uint64 // of Records, Arrivals and Removals: said again
	Shared         uint64 // of Records: coded once for several peers
	Keyframes      uint64 // of Records: without a base
	ExplicitBases  uint64 // of Records: the base had to be named
	Starved        uint64 // updates put off for the budget
	Arrivals       uint64
	Removals       uint64
	Blocks         uint64 // pieces too large for a packet
	TooLong        uint64 // nodes that no block holds, not told, and logged
	Tables         uint64 // sets of code tables learned and shipped
	Checks         uint64 // checksums of versions sent
	PacketsLost    uint64 // judged lost
	LateAcks       uint64 // of them, acked after all
	HandlesOut     uint64 // sends in which nodes waited, as a peer held as many as there are handles
	BadPackets     uint64 // from peers, refused
	Resyncs        uint64 // peers that could not read what they were sent, and were told all anew
	CallsIn        uint64 // RPCs that ran here
	CallsDropped   uint64 // RPCs of peers who may not call them, about nodes that are gone, or for which there is no room
	CallsOut       uint64
}

// tally is what is counted for one peer while its Encode runs, beside those of
// others.
type tally struct {
	blocks, checks, lost uint32
	tooLong              Node // that no block holds
}

// count takes over what was counted for a peer.
func (a *Authority) count(p *peer) {
	t := p.tally
	if t == (tally{}) {
		return
	}
	c := &a.counters
	c.Blocks, c.Checks, c.PacketsLost = c.Blocks+uint64(t.blocks), c.Checks+uint64(t.checks), c.PacketsLost+uint64(t.lost)
	if t.tooLong != 0 {
		a.noteTooLong(t.tooLong)
	}
	p.tally = tally{}
}

// noteTooLong says which node no block holds, once for each in a row.
func (a *Authority) noteTooLong(n Node) {
	a.counters.TooLong++
	if n != a.tooLong {
		a.tooLong = n
		a.cfg.Log.Warn("a node is not told: it is too long; spread its values over several nodes", "node", n, "most bytes", maxLong)
	}
}
