package link

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The list of packet records grows while more packets are in flight than it has room
// for, up to recordLen, and forgets no packet until then.
func TestPacketsInFlightAreKept(t *testing.T) {
	l, lost := &Link{}, 0
	l.Prepare(64)
	begin := func(seq uint64, tick ids.Tick) {
		if l.Displaced(seq) != nil {
			lost++
		}
		l.Begin(seq, tick, time.Millisecond)
	}
	for seq := uint64(1); seq <= wire.RecordLen; seq++ {
		begin(seq, ids.Tick(seq))
		for _, old := range []uint64{1, seq / 2, seq} {
			if r := l.Record(max(old, 1)); r.Seq != max(old, 1) || r.state != recFlight {
				t.Fatalf("packet %d has forgotten packet %d", seq, old)
			}
		}
	}
	if len(l.Records) != wire.RecordLen {
		t.Errorf("%d places for %d packets", len(l.Records), wire.RecordLen)
	}
	for seq := uint64(1); seq <= wire.RecordLen; seq++ {
		l.Record(seq).state = recAcked
	}
	begin(wire.RecordLen+1, 1)
	if len(l.Records) != wire.RecordLen || lost > 0 {
		t.Errorf("%d places, %d lost, after all were acked", len(l.Records), lost)
	}
}

// The entries of a packet that was judged lost are kept as long as the peer may still
// apply the packet.
func TestLostPacketsAreKept(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, seed))
	l, most := &Link{}, 0
	l.Prepare(64)
	var done [4*wire.RecordLen + 1]bool // the packet was acked
	for seq := uint64(1); seq < uint64(len(done)); seq++ {
		l.Displaced(seq)
		rec := l.Begin(seq, ids.Tick(seq), time.Duration(seq)*time.Millisecond)
		for i := range r.IntN(12) { // a few entries are in the record itself, more are in a list
			l.Carries(rec, []Entry{{Handle: uint32(seq), Ver: uint32(i)}})
		}
		if old := seq - min(seq-1, 20); l.Record(old).Seq == old && l.Record(old).state == recFlight {
			l.Record(old).state = recLost
		}
		for range r.IntN(3) {
			old := seq - min(seq-1, uint64(r.IntN(1<<r.IntN(11))))
			rec := l.Record(old)
			if rec.Seq != old {
				rec = l.lateRecord(old)
			}
			if rec == nil || rec.state == recAcked {
				if !done[old] && old+wire.MaxLate > l.Base && old+wire.RecordLen >= l.Next {
					t.Fatalf("seed %d: at packet %d nothing is known of packet %d", seed, seq, old)
				}
				continue
			}
			for i, e := range rec.Entries {
				if e != (Entry{Handle: uint32(old), Ver: uint32(i)}) {
					t.Fatalf("seed %d: at packet %d entry %d of packet %d is %+v", seed, seq, i, old, e)
				}
			}
			if done[old] = true; seq < 3*wire.RecordLen { // after that the peer sends no more acks that raise base
				l.Base = max(l.Base, old)
			}
			rec.state = recAcked
			l.Recycle(rec)
		}
		most = max(most, len(l.Late))
	}
	if len(l.Records) > 32 || most < wire.MaxLate/2 || most > wire.RecordLen || len(l.Late)+len(l.idle) > most {
		t.Errorf("%d places, %d more and %d idle, at most %d", len(l.Records), len(l.Late), len(l.idle), most)
	}
}

// openFrom returns the packets whose acks would be news, so that only those acks of a
// datagram need work.
func TestOpenPackets(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	l, acked := &Link{}, map[uint64]bool{}
	l.Prepare(64)
	for seq := uint64(1); seq <= 300; seq++ {
		l.Displaced(seq)
		l.Begin(seq, ids.Tick(seq), time.Duration(seq)*time.Millisecond)
		for old := seq - min(seq-1, 70); old <= seq; old++ {
			if rec := l.Record(old); r.IntN(30) == 0 && rec.Seq == old && rec.state == recFlight {
				l.noteAck(&Report{}, ack{Seq: old})
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
			var u Report
			u.Came(from, n)
			for i := range uint(wire.AckWindow) {
				if has := u.acks[i/64]>>(i%64)&1 != 0; has != (i >= from && i < from+n) {
					t.Fatalf("%d from %d: bit %d is %v", n, from, i, has)
				}
			}
		}
	}
}
