package rpl

// What tests outside the package look at.

// HandlesInUse are the handles that a peer's nodes have, one past the highest,
// the nodes that it holds or is told of, and those on their way out.
func (a *Authority) HandlesInUse(id Peer) (used, most, held, going int) {
	p := a.byID[id]
	for h := range p.entries {
		if p.handles.has(uint32(h)) {
			used, most = used+1, h+1
		}
		switch p.entries[h].state {
		case entryComing, entryIn:
			held++
		case entryGoing:
			going++
		}
	}
	return used, most, held, going
}

// Corrupt adds 1 to a word of an item in every version that a proxy has: what a
// fault would do.
func (c *Proxy) Corrupt(n Node, ordinal, word int) {
	run := c.byNode[n].rows
	for i := run.first; i < run.first+uint32(run.n); i++ {
		if row := &c.rows.rows[i]; c.rows.owners[i].ordinal == ordinal {
			for slot := range row.size {
				c.rows.version(row, slot)[1+word]++
			}
		}
	}
}
