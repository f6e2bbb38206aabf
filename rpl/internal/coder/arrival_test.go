package coder

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Heads of arrivals come back as they were, whatever stands before them.
func TestHeadsComeBack(t *testing.T) {
	m := defaultEntry()
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.Custom(func(t *rapid.T) ArrivalHead {
			return ArrivalHead{
				Handle: rapid.Uint32Range(0, 1<<16-1).Draw(t, "handle"), Slot: rapid.Uint32Range(0, 1<<20-1).Draw(t, "slot"),
				Tenant: rapid.Uint32Range(1, 1<<30).Draw(t, "tenant"), Layout: rapid.Uint32Range(0, 3).Draw(t, "layout"), Gen: rapid.Uint8().Draw(t, "gen"),
			}
		})
		heads := rapid.SliceOfN(head, 1, 20).Draw(t, "heads")
		says := rapid.IntRange(0, ArriveLayout-1).Draw(t, "says")
		var syms []prefix.Sym
		before := NoArrival
		for i := range heads {
			syms = m.AppendHead(syms, says, &heads[i], &before)
			before = heads[i]
		}
		var e prefix.Encoder
		e.Reset(nil)
		e.Put(syms...)
		var d prefix.Decoder
		d.Reset(e.Finish())
		before = NoArrival
		for i := range heads {
			flags := d.Symbol(m.Arrive.T) - 1
			if flags&^ArriveLayout != says {
				t.Fatalf("head %d says %d, not %d", i, flags, says)
			}
			if before = m.ReadHead(&d, flags, &before); before != heads[i] {
				t.Fatalf("head %d is %+v, not %+v", i, before, heads[i])
			}
		}
	})
}

// What is usual costs little: a byte for a node that comes behind another of its kind.
func TestUsualHeadIsAByte(t *testing.T) {
	m := defaultEntry()
	before := ArrivalHead{Handle: 900, Slot: 7000, Tenant: 1, Layout: 3, Gen: 9}
	is := ArrivalHead{Handle: 901, Slot: 7001, Tenant: 1, Layout: 3, Gen: 9}
	bits := 0
	for _, s := range m.AppendHead(nil, 0, &is, &before) {
		bits += s.Bits()
	}
	if bits > 8 {
		t.Errorf("it takes %d bits", bits)
	}
}
