package rpl

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The list of packet records grows while more packets are in flight than it has room
// for, up to recordLen, and forgets no packet until then.
func TestPacketsInFlightAreKept(t *testing.T) {
	p := &peer{}
	p.prepare()
	a, l := &Authority{}, &p.link
	for seq := uint64(1); seq <= wire.RecordLen; seq++ {
		l.begin(a, p, seq, Tick(seq), time.Millisecond)
		for _, old := range []uint64{1, seq / 2, seq} {
			if r := l.record(max(old, 1)); r.seq != max(old, 1) || r.state != recFlight {
				t.Fatalf("packet %d has forgotten packet %d", seq, old)
			}
		}
	}
	if len(l.records) != wire.RecordLen {
		t.Errorf("%d places for %d packets", len(l.records), wire.RecordLen)
	}
	for seq := uint64(1); seq <= wire.RecordLen; seq++ {
		l.record(seq).state = recAcked
	}
	l.begin(a, p, wire.RecordLen+1, 1, time.Millisecond)
	if len(l.records) != wire.RecordLen || p.tally.lost > 0 {
		t.Errorf("%d places, %d lost, after all were acked", len(l.records), p.tally.lost)
	}
}

// The entries of a packet that was judged lost are kept as long as the peer may still
// apply the packet.
func TestLostPacketsAreKept(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, seed))
	p := &peer{}
	p.prepare()
	a, l, most := &Authority{}, &p.link, 0
	var done [4*wire.RecordLen + 1]bool // the packet was acked
	for seq := uint64(1); seq < uint64(len(done)); seq++ {
		rec := l.begin(a, p, seq, Tick(seq), time.Duration(seq)*time.Millisecond)
		for i := range r.IntN(12) { // a few entries are in the record itself, more are in a list
			l.carries(rec, []recEntry{{handle: uint32(seq), ver: uint32(i)}})
		}
		if old := seq - min(seq-1, 20); l.record(old).seq == old && l.record(old).state == recFlight {
			l.record(old).state = recLost
		}
		for range r.IntN(3) {
			old := seq - min(seq-1, uint64(r.IntN(1<<r.IntN(11))))
			rec := l.record(old)
			if rec.seq != old {
				rec = l.lateRecord(old)
			}
			if rec == nil || rec.state == recAcked {
				if !done[old] && old+wire.MaxLate > l.base && old+wire.RecordLen >= l.next {
					t.Fatalf("seed %d: at packet %d nothing is known of packet %d", seed, seq, old)
				}
				continue
			}
			for i, e := range rec.entries {
				if e != (recEntry{handle: uint32(old), ver: uint32(i)}) {
					t.Fatalf("seed %d: at packet %d entry %d of packet %d is %+v", seed, seq, i, old, e)
				}
			}
			if done[old] = true; seq < 3*wire.RecordLen { // after that the peer sends no more acks that raise base
				l.base = max(l.base, old)
			}
			rec.state = recAcked
			l.recycle(rec)
		}
		most = max(most, len(l.late))
	}
	if len(l.records) != wire.FewRecords || most < wire.MaxLate/2 || most > wire.RecordLen || len(l.late)+len(l.idle) > most {
		t.Errorf("%d places, %d more and %d idle, at most %d", len(l.records), len(l.late), len(l.idle), most)
	}
}

// openFrom returns the packets whose acks would be news, so that only those acks of a
// datagram need work.
func TestOpenPackets(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	p := &peer{}
	p.prepare()
	a, l, acked := &Authority{}, &p.link, map[uint64]bool{}
	for seq := uint64(1); seq <= 300; seq++ {
		l.begin(a, p, seq, Tick(seq), time.Duration(seq)*time.Millisecond)
		for old := seq - min(seq-1, 70); old <= seq; old++ {
			if rec := l.record(old); r.IntN(30) == 0 && rec.seq == old && rec.state == recFlight {
				l.noteAck(&up{}, ack{seq: old})
				acked[old] = true
			}
		}
		newest := seq - min(seq-1, uint64(r.IntN(5)))
		open := l.openFrom(newest)
		for i := range min(newest, 64) {
			old := newest - i
			if is := open>>i&1 != 0; is == acked[old] && seq-old < 64 {
				t.Fatalf("seed %d: at packet %d packet %d is acked: %v, but open is %x from %d", seed, seq, old, acked[old], open, newest)
			}
		}
	}
}

// came sets the bits of the acked packets that a run covers, and no others.
func TestRunsOfAcks(t *testing.T) {
	for _, from := range []uint{0, 1, 63, 64, 100} {
		for _, n := range []uint{1, 2, 63, 64, 65, 200} {
			var u up
			u.came(from, n)
			for i := range uint(wire.AckWindow) {
				if has := u.acks[i/64]>>(i%64)&1 != 0; has != (i >= from && i < from+n) {
					t.Fatalf("%d from %d: bit %d is %v", n, from, i, has)
				}
			}
		}
	}
}
