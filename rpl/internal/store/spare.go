package store

// spareSlots are what is free beside FreeSlots.
type spareSlots struct {
	items [][]itemSlot // by item type
	trim  slotTrim
}

// TrimSlots gives back what the free slots that were not used since the last call keep of
// their nodes: lists that are as long as a crowd once was. It is called once a second or so.
func (st *Store) TrimSlots() {
	t := &st.spare.trim
	for ; t.done < t.least; t.done++ {
		n := &st.Nodes[st.FreeSlots[t.done]]
		n.Holders, n.rare = nil, nil
	}
	t.least = len(st.FreeSlots)
}

// A slotTrim says which free slots were not used for long: those at the bottom of FreeSlots.
type slotTrim struct {
	least int // how many there have been since the last trim, at least
	done  int // how many of them have given back what they kept
}

// took notes that the topmost of the free slots is in use again.
func (t *slotTrim) took(left int) { t.least, t.done = min(t.least, left), min(t.done, left) }
