package send

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Wherever a send begins, the first of its updates that leaves is named when it is packed:
// the name that it was recorded with counts from an update that comes last now.
func TestARotatedSendBeginsWithAnUpdateThatLeaves(t *testing.T) {
	const n = 64
	for left := range 8 { // of 8 updates so many are left out
		for send := range uint32(500) {
			updates := make([]bundle, n)
			for i := range updates {
				b := &updates[i]
				*b = bundle{handle: uint32(i), codes: codes(prefix.Raw(1, 9)), bits: 8 * wire.PacketRoom / 4}
				if b.skip = i%8 < left; !b.skip {
					b.call(prefix.Raw(1, 3))
				}
			}
			rotate(updates, send)
			seen, last := make(map[uint32]bool), -1
			for i := range updates {
				b := &updates[i]
				seen[b.handle] = true
				if b.skip {
					continue
				}
				if last < 0 && b.name != 0 {
					t.Fatalf("send %d, %d of 8 left out: the first update that leaves is named already", send, left)
				}
				if last >= 0 && b.name == 0 {
					t.Fatalf("send %d, %d of 8 left out: update %d has lost its name", send, left, i)
				}
				last = int(b.handle)
			}
			if len(seen) != n {
				t.Fatalf("send %d: %d of %d updates are there", send, len(seen), n)
			}
		}
	}
}
