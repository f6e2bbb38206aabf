package rpl

import (
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/proxy"
)

// Structs that are accessed one by one at random are as few cache lines long as
// planned.
func TestHotRecordsTakeOneLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	if n := unsafe.Sizeof(row{}); n != 64 {
		t.Errorf("a row takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(proxy.ReplicaRow{}); n != 64 {
		t.Errorf("a row of a proxy takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(Replica{}); n != 192 {
		t.Errorf("a replica takes %d bytes, not three lines: what is asked for in every frame lies across two", n)
	}
	if n := unsafe.Sizeof(node{}); n%64 != 0 {
		t.Errorf("a node takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(node{}.parent); n != 64 {
		t.Errorf("what most ticks read of a node takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(packetRecord{}); n != 128 {
		t.Errorf("a record takes %d bytes, not 128", n)
	}
	if n := unsafe.Sizeof(piece{}); n != 32 {
		t.Errorf("a piece takes %d bytes, not 32", n)
	}
	if n := unsafe.Sizeof(entry{}); n != 64 {
		t.Errorf("an entry takes %d bytes, not 64", n)
	}
}

// For a peer that has nothing to be sent, Stream reads two cache lines, Schedule and
// Encode five more. The runtime puts 8 bytes before an object of this size.
func TestQuietPeersTakeFewLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	const before, line = 8, 64
	var p peer
	watched := []uintptr{
		unsafe.Offsetof(p.streaming), unsafe.Offsetof(p.lookAgain), unsafe.Offsetof(p.looked),
		unsafe.Offsetof(p.points), unsafe.Offsetof(p.point), unsafe.Offsetof(p.watch),
		unsafe.Offsetof(p.link) + unsafe.Offsetof(p.link.next), unsafe.Offsetof(p.link) + unsafe.Offsetof(p.link.heard),
	}
	scheduled := append(watched,
		unsafe.Offsetof(p.movers), unsafe.Offsetof(p.tables),
		unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.lastSent), unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.oldest),
		unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.base), unsafe.Offsetof(p.purse)+unsafe.Offsetof(p.purse.most), unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.quiet), unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.loss),
		unsafe.Offsetof(p.link)+unsafe.Offsetof(p.link.acks),
		unsafe.Offsetof(p.marks)+unsafe.Offsetof(p.marks.of), unsafe.Offsetof(p.marks)+unsafe.Offsetof(p.marks.few),
		unsafe.Offsetof(p.busy), unsafe.Offsetof(p.tally), unsafe.Offsetof(p.checked), unsafe.Offsetof(p.plan),
		unsafe.Offsetof(p.came), unsafe.Offsetof(p.went), unsafe.Offsetof(p.purse), unsafe.Offsetof(p.purse)+unsafe.Offsetof(p.purse.left),
	)
	for _, c := range []struct {
		stage string
		reads []uintptr
		most  int
	}{{"Stream", watched, 2}, {"a send", scheduled, 7}} {
		lines := map[uintptr]bool{}
		for _, at := range c.reads {
			lines[(at+before)/line] = true
		}
		if len(lines) > c.most {
			t.Errorf("a quiet peer takes %d lines in %s, not %d", len(lines), c.stage, c.most)
		}
	}
	if n := unsafe.Sizeof(edgeNode{}); n != 12 {
		t.Errorf("a node at the edge takes %d bytes, not 12", n)
	}
}
