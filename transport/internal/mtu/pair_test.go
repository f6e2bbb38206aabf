package mtu

import (
	"testing"
	"time"
)

// How far apart the answers to two probes come says how fast the path is.
func TestPair(t *testing.T) {
	var p Pair
	if p.Came(1, Max); p.Rate() != 0 {
		t.Errorf("%d B/s without a pair", p.Rate())
	}
	if !p.Begin() || p.Begin() || p.Rate() != 1 {
		t.Errorf("it is not sent once; %d B/s", p.Rate())
	}
	p.Came(100*time.Millisecond, Base)
	if p.Rate() != 1 {
		t.Errorf("%d B/s after the short one", p.Rate())
	}
	p.Came(250*time.Millisecond, Max)
	if p.Rate() != 8000 {
		t.Errorf("%d B/s for %d bytes in 150 ms", p.Rate(), Max)
	}
	if p.Came(time.Second, Max); p.Rate() != 8000 {
		t.Errorf("a repeated probe changes it to %d B/s", p.Rate())
	}
	for _, size := range []int{Base, Max} { // at once, or in the other order
		var p Pair
		p.Begin()
		p.Came(time.Second, size)
		if p.Came(time.Second, Max); p.Rate() < 1_000_000 {
			t.Errorf("%d B/s at once", p.Rate())
		}
	}
}
