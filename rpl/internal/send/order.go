package send

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// rotate has the updates of a send that takes several packets begin at another one in
// each send, and those before that come last. A full queue on the way drops the last packets
// of each send: without this it would be the same nodes that are never sent.
func rotate(updates []bundle, send uint32) {
	bits := 0
	for i := range updates {
		if !updates[i].skip {
			bits += int(updates[i].bits)
		}
	}
	if bits <= 8*wire.PacketRoom {
		return
	}
	n := uint32(len(updates))
	first := (send * 2654435769 >> 8) % n // as good as random
	for updates[first].skip {
		first = (first + 1) % n // the next one's name counts from one that does not come before it any more
	}
	b := &updates[first]
	b.codes, b.name = b.bare(), 0 // the update before it, from which its name counts, comes last
	slices.Reverse(updates[:first])
	slices.Reverse(updates[first:])
	slices.Reverse(updates)
}

// ownershipFirst puts the updates that carry another parent or owner in front, so that all of
// a send travel in one datagram, and arrive or are lost together (protocol rule 20). More of
// them than a datagram holds are split. A packet that has room for all updates needs no such order,
// in which a lower handle behind a higher one begins another packet.
func (k *packer) ownershipFirst() {
	updates := k.p.plan.updates.in(k.sender.Updates.bundles.updates)
	slices.SortStableFunc(updates, func(x, y bundle) int {
		if x.ownership && y.ownership {
			return cmp.Compare(x.handle, y.handle) // rotate may have parted them
		}
		return flag(y.ownership) - flag(x.ownership)
	})
	for i := range updates { // a name depends on the update before, so it is made again
		if b := &updates[i]; b.name != cohortName {
			b.codes, b.name = b.bare(), 0
		}
	}
	k.p.plan.together = false
	k.scanPredicted()
}
