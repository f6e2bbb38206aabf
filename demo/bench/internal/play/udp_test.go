package play

import (
	"testing"
	"time"
)

// The same over sockets, in real time: what is right does not depend on how
// fast the machine is.
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
