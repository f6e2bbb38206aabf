//go:build !race

package rpl

import (
	"testing"
	"unsafe"
)

// The race detector makes pools forget on purpose, so this runs without it.

func TestNoAllocations(t *testing.T) {
	it := freezeItem(t, nine{}, nil)
	v, words, shadow := someNine(), make([]int32, len(it.Words)), make([]byte, it.ShadowSize())
	packs := freezeItem(t, pack{}, nil)
	p := somePack(12)
	pw, pv := extract(packs, &p, nil)
	if n := testing.AllocsPerRun(100, func() {
		v.X++
		it.Same(unsafe.Pointer(&v), shadow)
		it.Extract(unsafe.Pointer(&v), words, nil, nil)
		it.Inject(unsafe.Pointer(&v), words, nil, nil)
		packs.Extract(unsafe.Pointer(&p), pw, pv, nil)
		packs.Inject(unsafe.Pointer(&p), pw, pv, nil)
	}); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
