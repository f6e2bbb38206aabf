package play

import (
	"testing"
	"time"
)

// Over real sockets, in real time, there are no mismatches either, however slow the
// machine is.
func TestOverUDP(t *testing.T) {
	o := options(smallArena(t, 2))
	o.UDP, o.Clients, o.Radius = true, 3, 12_800
	o.RTT, o.Jitter, o.Loss = 40*time.Millisecond, 10*time.Millisecond, 0.1
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches != 0 || r.StreamIns == 0 || r.Wire <= r.Payload || r.Payload <= 0 {
		t.Errorf("%+v: %s", r.Kinds, r.JSON())
	}
}
