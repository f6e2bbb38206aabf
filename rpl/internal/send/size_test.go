package send

import (
	"testing"
	"unsafe"
)

// For a peer that has nothing to be sent, Schedule and Encode read seven cache lines. The
// runtime puts 8 bytes before an object of this size. What is accessed one by one at random
// takes one line or less, and a peer fills a size that the runtime has.
func TestQuietPeersTakeFewLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	const before, line = 8, 64
	var p Peer
	at := unsafe.Offsetof(p.Link)
	lines := map[uintptr]bool{}
	for _, at := range []uintptr{
		unsafe.Offsetof(p.movers), unsafe.Offsetof(p.view), unsafe.Offsetof(p.Model), unsafe.Offsetof(p.tables.newest),
		at + unsafe.Offsetof(p.Link.Next), at + unsafe.Offsetof(p.Link.LastReceived), at + unsafe.Offsetof(p.Link.LastSent),
		at + unsafe.Offsetof(p.Link.Oldest), at + unsafe.Offsetof(p.Link.Base), at + unsafe.Offsetof(p.Link.Quiet),
		at + unsafe.Offsetof(p.Link.Loss), at + unsafe.Offsetof(p.Link.Flow), at + unsafe.Offsetof(p.Link.Acks),
		unsafe.Offsetof(p.Marks) + unsafe.Offsetof(p.Marks.Of), unsafe.Offsetof(p.Marks) + unsafe.Offsetof(p.Marks.Few),
		unsafe.Offsetof(p.busy), unsafe.Offsetof(p.tally), unsafe.Offsetof(p.checked), unsafe.Offsetof(p.plan),
		unsafe.Offsetof(p.came), unsafe.Offsetof(p.went), unsafe.Offsetof(p.bucket), unsafe.Offsetof(p.bucket) + unsafe.Offsetof(p.bucket.Left),
	} {
		lines[(at+before)/line] = true
	}
	if len(lines) > 7 {
		t.Errorf("a quiet peer takes %d lines, not 7", len(lines))
	}
	if n := before + unsafe.Sizeof(p); n > 2688 { // the next size that the runtime has is 3072
		t.Errorf("a peer takes %d bytes, more than 2688", n)
	}
	if n := unsafe.Sizeof(bundle{}); n != 32 {
		t.Errorf("a bundle takes %d bytes, not 32", n)
	}
	if n := unsafe.Sizeof(handleState{}); n != 52 {
		t.Errorf("an entry takes %d bytes, not 52", n)
	}
}
