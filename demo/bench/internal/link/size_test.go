package link

import (
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// The fields that a send needs lie in one cache line: they come first in End, and an
// End's size is a multiple of a line.
func TestEndsTakeFewLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	var e End
	if n := unsafe.Sizeof(e); n%64 != 0 {
		t.Errorf("an end takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(e.early) + unsafe.Sizeof(e.early); n > 64 {
		t.Errorf("what a send needs takes %d bytes", n)
	}
}

// What budgets count for the seal of a packet is what the transport takes.
func TestBudgetsCountTheSeal(t *testing.T) {
	if rpl.PacketOverhead != transport.OverheadDown || rpl.PacketRoom > transport.MaxPayload {
		t.Errorf("the core counts %d bytes and fills %d; the transport takes %d and has room for %d", rpl.PacketOverhead, rpl.PacketRoom, transport.OverheadDown, transport.MaxPayload)
	}
}
