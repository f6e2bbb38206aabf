package rpl

// Bits is what the authority has planned to send, in bits of the coder's upper
// bound (a few percent above what leaves), by what it says.
type Bits struct {
	Updates   uint64 // differences of rows
	Keyframes uint64 // rows without a base, in updates
	Arrivals  uint64 // rows in arrivals
}

// ItemBits is the account of one item type; nil Item is what belongs to none:
// names of nodes, owners, parents, removals.
type ItemBits struct {
	Item *ItemType
	Bits
	Removals uint64 // of nodes; with Item nil only
}

// account takes what a row cost, in bits, into the account of its item type.
func (a *Authority) account(t *rowType, bits int, kind int) {
	b := &a.bits[t.account]
	switch kind {
	case accountUpdate:
		b.Updates += uint64(bits)
	case accountKeyframe:
		b.Keyframes += uint64(bits)
	case accountArrival:
		b.Arrivals += uint64(bits)
	}
}

const (
	accountUpdate = iota
	accountKeyframe
	accountArrival
)

// BitsByItem is what was planned since the core began, by item type in the
// order of names, and last what belongs to none; appended to dst. The net
// graph and the bench read it.
func (a *Authority) BitsByItem(dst []ItemBits) []ItemBits {
	for i, t := range a.cfg.Schema.Items() {
		dst = append(dst, ItemBits{Item: t, Bits: a.bits[i]})
	}
	return append(dst, ItemBits{Bits: a.otherBits, Removals: a.removalBits})
}
