package lane

import "time"

// repeats holds copies of segments that wait to be emitted a second time under
// packet loss. Otherwise the machine repeats a lost segment only when later ones
// were acknowledged or its timer has run out: at best a round trip late.
type repeats struct {
	on     bool   // copy new segments that are waited for
	all    bool   // copy each segment that the machine repeats, too
	waited uint32 // bit i: the newest chunk but i that the machine was given is waited for; it holds MaxBehind at most
	copies fifo
	waits  []wait // when each copy is due, and its length
	newest uint32 // the number after the highest that the machine has emitted
	behind uint32 // the number after the highest that the machine has repeated
	said   int    // bytes of data that the machine has emitted, repeats not counted
}

type wait struct {
	until time.Duration
	size  int
}

// given notes a chunk given to the machine, and whether it is waited for.
func (r *repeats) given(waitedFor bool) {
	r.waited <<= 1
	if waitedFor {
		r.waited |= 1
	}
}

// keep looks at segments that the machine emits: it copies those that are to be
// repeated and counts the new ones. The machine was given so many chunks.
func (r *repeats) keep(now time.Duration, segments []byte, given uint32) {
	for len(segments) > 0 {
		h, data, rest, err := parse(segments)
		if err != nil {
			return
		}
		again := r.all
		switch {
		case h.cmd != push:
			again = false
		case after(h.sn, r.newest) >= 0:
			r.newest = h.sn + 1
			r.said += len(data)
			again = r.on && r.waited>>(given-1-h.sn)&1 != 0
		case after(h.sn, r.behind) >= 0:
			r.behind = h.sn + 1
		}
		if again {
			n := len(segments) - len(rest)
			r.copies.add(segments[:n])
			r.waits = append(r.waits, wait{now + RepeatAfter, n})
		}
		segments = rest
	}
}

// due removes and returns the next copy that is due, or nil. It is valid until keep
// is called.
func (r *repeats) due(now time.Duration) []byte {
	if len(r.waits) == 0 || now < r.waits[0].until {
		return nil
	}
	b := r.copies.peek(r.waits[0].size)
	r.copies.drop(len(b))
	r.waits = r.waits[:copy(r.waits, r.waits[1:])]
	return b
}
