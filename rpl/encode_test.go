package rpl_test

import (
	"bytes"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// nobody is a sink that drops what it is given and counts messages.
type nobody struct {
	seq      uint64
	messages int
}

func (s *nobody) Next() (uint64, int)   { s.seq++; return s.seq, rpl.PacketRoom }
func (s *nobody) Datagram([]byte)       {}
func (s *nobody) Reliable([]byte) error { s.messages++; return nil }

// Different peers may be encoded at the same time, blocks included. Under the race
// detector this test finds data races.
func TestEncodeSideBySide(t *testing.T) {
	sch := newRandomSchema()
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: sch.s, Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	sinks := make([]nobody, 4)
	for i := range sinks {
		if err := a.Connect(rpl.Peer(i + 2)); err != nil {
			t.Fatal(err)
		}
	}
	const ticks = 30
	for k := range ticks {
		a.Step(rpl.Tick(k + 1))
		id, err := a.Spawn(rpl.Spawn{Items: sch.extra[3:]})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := a.Item(id, 0)
		a.Set(it, unsafe.Pointer(&tomeItem{Text: bytes.Repeat([]byte{byte(k)}, 2000)}))
		now := time.Duration(k+1) * time.Second / 60
		a.Stream(now)
		a.Schedule(now)
		var all sync.WaitGroup
		for i := range sinks {
			all.Go(func() { a.Encode(rpl.Peer(i+2), now, &sinks[i]) })
		}
		all.Wait()
	}
	now := time.Duration(ticks+1) * time.Second / 60
	a.Schedule(now)
	for i := range sinks {
		a.Encode(rpl.Peer(i+2), now, &sinks[i])
		if sinks[i].messages != ticks {
			t.Errorf("peer %d was sent %d blocks of %d", i+2, sinks[i].messages, ticks)
		}
	}
	if n := a.Counters().Blocks; n != uint64(ticks*len(sinks)) {
		t.Errorf("%d blocks are counted, of %d", n, ticks*len(sinks))
	}
}
