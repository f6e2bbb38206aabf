package rpl

import (
	"testing"
	"time"
)

// The list of packets grows where more are in flight than it has place for, up
// to recordLen, and forgets none of them before.
func TestPacketsInFlightAreKept(t *testing.T) {
	p := &peer{}
	p.prepare()
	a, l := &Authority{}, &p.link
	for seq := uint64(1); seq <= recordLen; seq++ {
		l.open(a, p, seq, Tick(seq), time.Millisecond)
		for _, old := range []uint64{1, seq / 2, seq} {
			if r := l.record(max(old, 1)); r.seq != max(old, 1) || r.state != recFlight {
				t.Fatalf("packet %d has forgotten packet %d", seq, old)
			}
		}
	}
	if len(l.records) != recordLen {
		t.Errorf("%d places for %d packets", len(l.records), recordLen)
	}
	for seq := uint64(1); seq <= recordLen; seq++ {
		l.record(seq).state = recAcked
	}
	l.open(a, p, recordLen+1, 1, time.Millisecond)
	if len(l.records) != recordLen || p.tally.lost > 0 {
		t.Errorf("%d places, %d lost, after all were acked", len(l.records), p.tally.lost)
	}
}
