package send

import "github.com/tendonengine/tendon/rpl/internal/rowtype"

// account adds a row's cost in bits to the account of its item type.
func (u *updates) account(t *rowtype.Type, bits int, kind int) {
	b := &u.sender.Accounts.Bits[t.Account]
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
