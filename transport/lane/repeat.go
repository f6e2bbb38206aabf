package lane

import "time"

// repeats holds copies of segments that wait to be emitted a second time under
// packet loss. Otherwise the machine repeats a lost segment only when later ones
// were acknowledged or its timer has run out: at best a round trip late.
type repeats struct {
	on     bool   // copy new segments that are waited for
	all    bool   // copy each segment that the machine repeats, too
	first  bool   // copy the first ones that are waited for, if they are short, and twice
	waited uint32 // bit i: the newest chunk but i that the machine was given is waited for; it holds MaxBehind at most
	copies fifo
	waits  []wait // when each copy is due, and its length
	newest uint32 // the number after the highest that the machine has emitted
	behind uint32 // the number after the highest that the machine has repeated
	said   int    // bytes of data that the machine has emitted, repeats not counted
}

type wait struct {
	until time.Duration
	size  int32
	again bool // it is to be emitted once more after that
	along bool // it is to go along with other data, for a while
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
		again, twice := r.all, false
		switch {
		case h.cmd != push:
			again = false
		case after(h.sn, r.newest) >= 0:
			r.newest = h.sn + 1
			r.said += len(data)
			twice = r.first && h.sn < FirstRepeated && len(data) <= FirstSize
			again = (r.on || twice) && r.waited>>(given-1-h.sn)&1 != 0
		case after(h.sn, r.behind) >= 0:
			r.behind = h.sn + 1
		}
		if again {
			n := len(segments) - len(rest)
			r.copies.add(segments[:n])
			r.waits = append(r.waits, wait{now + RepeatAfter, int32(n), twice, twice && !r.on})
		}
		segments = rest
	}
}

// due removes and returns the next copy that is due, or nil. It is valid until keep
// is called. along is whether other data leaves with it: without, what is repeated although nothing was
// lost waits longer, since packets of its own would seem to be lost datagrams.
func (r *repeats) due(now time.Duration, along bool) []byte {
	if len(r.waits) == 0 {
		return nil
	}
	w := r.waits[0]
	if w.along && !along {
		now -= AlongWithin
	}
	if now < w.until {
		return nil
	}
	b := r.copies.peek(int(w.size))
	if w.again { // it goes to the end: what waits there is due before
		r.copies.add(b)
		r.waits = append(r.waits, wait{w.until + 2*RepeatAfter, w.size, false, w.along})
		b = r.copies.bytes()[r.copies.len()-len(b):]
	}
	r.copies.drop(int(w.size))
	r.waits = r.waits[:copy(r.waits, r.waits[1:])]
	return b
}
