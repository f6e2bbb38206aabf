package send

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Bits counts the bits of what the authority planned to send, by kind. They are the
// coder's upper bound, a few percent above what leaves.
type Bits struct {
	Updates   uint64 // rows in updates, against a base
	Keyframes uint64 // rows in updates, without a base
	Arrivals  uint64 // rows in arrivals
}

// ItemBits is the account of one item type. The entry whose Item is nil holds what
// belongs to no item: names of nodes, owners, parents, removals.
type ItemBits struct {
	Item *schema.ItemType
	Bits
	Removals uint64 // of nodes; only where Item is nil
}

// account adds a row's cost in bits to the account of its item type.
func (a *updates) account(t *rowtype.Type, bits int, kind int) {
	b := &a.sender.Accounts.Bits[t.Account]
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
