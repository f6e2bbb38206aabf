package rpl

import "fmt"

// What tests outside the package look at.

// HandlesInUse are the handles that a peer's nodes have, one past the highest,
// the nodes that it holds or is told of, and those on their way out.
func (a *Authority) HandlesInUse(id Peer) (used, most, held, going int) {
	p := a.byID.find(id)
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

// Reship makes some tables, as LoadTables takes them, the next ones of the session
// and ships them to all peers, and reports whether there was a number for them.
func (a *Authority) Reship(b []byte) bool {
	number, free := a.nextTables()
	set, err := parseTables(b[1:], a.types, a.defaults)
	if err != nil {
		panic(err)
	}
	if free {
		set.number = number
		a.ship(set, set.build(a.types, a.defaults), set.append(nil, a.types, a.defaults))
	}
	return free
}

// MisplacedBlocks says what is wrong with where blocks stand, "" if nothing, and
// counts the rows that are walked.
func (a *Authority) MisplacedBlocks() (wrong string, walked int) {
	for i := range a.slabs {
		s := &a.slabs[i]
		walked += int(s.near)
		for block, o := range s.owners {
			if r := &a.rows[o.row]; int(r.block) != block || r.walked != (block < int(s.near)) || r.walked != (o.item != NoItem) {
				return fmt.Sprintf("block %d of %d: row %d, item %d", block, s.near, o.row, o.item), walked
			}
		}
	}
	for _, c := range a.columns {
		if c == nil {
			continue
		}
		last := -1
		for row, it := range c.items {
			if it == NoItem || a.hots[it].flags&hotWalked == 0 {
				continue
			}
			block := int(c.blocks[row])
			if o := c.slab.owners[block]; o.item != it {
				return fmt.Sprintf("row %d of a column has block %d, which is of item %d", row, block, o.item), walked
			}
			if c.slab.moved == 0 && block < last {
				return fmt.Sprintf("row %d of a column has block %d, the one before %d", row, block, last), walked
			}
			last = block
		}
	}
	return "", walked
}
