package schema

import (
	"slices"
	"unsafe"
)

// A shadow is a copy of a component's replicated bytes at its last extraction. To
// compare bytes is faster than to quantise, and most components have not changed.

// A byteRange is a stretch of a component's struct that holds replicated fields, and
// its place in a shadow.
type byteRange struct {
	off  uintptr
	size int
	at   uintptr // in the shadow
}

// Unchanged reports whether the component at p has the replicated bytes of its shadow, and
// brings the shadow up to date if not. Local fields are not compared. It is false for two
// kinds of items, which are extracted and compared by content: those with values of
// variable length, whose content is elsewhere, and those that refer to an entity, which
// may have become a node since.
func (t *ItemType) Unchanged(p unsafe.Pointer, shadow []byte) bool {
	if len(t.Vars) > 0 {
		return false
	}
	old := unsafe.Pointer(unsafe.SliceData(shadow[:t.ShadowSize]))
	for i := range t.ranges {
		r := &t.ranges[i]
		// Strings are compared by the fastest code that there is.
		if unsafe.String(At[byte](p, r.off), r.size) != unsafe.String(At[byte](old, r.at), r.size) {
			t.copyShadow(p, shadow)
			return false
		}
	}
	for _, off := range t.entities {
		if *At[uint64](p, off) != 0 {
			return false
		}
	}
	return true
}

// copyShadow copies the component's replicated bytes to the shadow.
func (t *ItemType) copyShadow(p unsafe.Pointer, shadow []byte) {
	for i := range t.ranges {
		r := &t.ranges[i]
		copy(shadow[r.at:], unsafe.Slice((*byte)(unsafe.Add(p, r.off)), r.size))
	}
}

// shadow computes the ranges that unchanged compares: the bytes of the plan's fields, merged
// over padding. local are the bytes of fields that are not replicated, over which it
// must not merge.
func (t *ItemType) shadow(local []byteRange) {
	var rs []byteRange
	for i := range t.Layout.Plan {
		o := &t.Layout.Plan[i]
		if size := int(o.Size()) * o.N; size > 0 {
			rs = append(rs, byteRange{off: o.Off, size: size})
		}
		if o.Kind == OpRef {
			for k := range uintptr(o.N) {
				t.entities = append(t.entities, o.Off+8*k)
			}
		}
	}
	slices.SortFunc(rs, func(a, b byteRange) int { return int(a.off) - int(b.off) })
	merged := rs[:0]
	for _, r := range rs {
		if n := len(merged); n > 0 {
			last := &merged[n-1]
			if end := last.off + uintptr(last.size); !overlaps(local, end, r.off) {
				last.size = int(r.off-last.off) + r.size
				continue
			}
		}
		merged = append(merged, r)
	}
	size := 0
	for i := range merged {
		merged[i].at = uintptr(size)
		size += merged[i].size
	}
	t.ranges, t.ShadowSize = slices.Clip(merged), size
}

// overlaps reports whether any range has a byte in [from, to).
func overlaps(rs []byteRange, from, to uintptr) bool {
	for _, r := range rs {
		if r.off < to && from < r.off+uintptr(r.size) {
			return true
		}
	}
	return false
}
