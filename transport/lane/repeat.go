package lane

import "time"

// repeats are copies of segments that wait to be said a second time. A lost
// segment is otherwise said again only when later ones were acknowledged or its
// time is up: a round trip late at best.
type repeats struct {
	on     bool // new segments are
	all    bool // so are those that the machine repeats
	copies fifo
	waits  []wait
	newest uint32 // number of the next segment that was never said
	behind uint32 // number of the one after the last that the machine has repeated
	said   int    // bytes of data in all that were said
}

type wait struct {
	until time.Duration
	size  int
}

// keep copies the segments that are to be said again, and notes which are new.
func (r *repeats) keep(now time.Duration, segments []byte) {
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
			again = r.on
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

// due is the next copy that has waited long enough, nil when there is none.
// It is valid until keep is called.
func (r *repeats) due(now time.Duration) []byte {
	if len(r.waits) == 0 || now < r.waits[0].until {
		return nil
	}
	b := r.copies.peek(r.waits[0].size)
	r.copies.drop(len(b))
	r.waits = r.waits[:copy(r.waits, r.waits[1:])]
	return b
}
