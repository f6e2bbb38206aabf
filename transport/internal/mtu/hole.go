package mtu

// Whether what is sent comes: a black hole takes all packets that are longer than it lets pass,
// loss takes some of each length.

import "time"

const (
	askEvery = 500 * time.Millisecond // while long packets are sent
	askAgain = 40 * time.Millisecond  // once one is missing: each time that the endpoint's timer runs
	settled  = 100 * time.Millisecond // how old a packet must be for its absence to mean anything
	stale    = 250 * time.Millisecond // how old it may be: of those that fell into a gap of the line, few are asked for
)

// Packets of one length that have not come, one after the other, are a black hole once random loss
// hardly ever takes that many in a row: 8 where less than a tenth is lost, 12 where a fifth is.
const (
	rare       = 2e-8  // how likely it would be loss
	rarest     = 2e-10 // … where that ends the connection
	leastLoss  = 0.1   // that is reckoned with: it may begin at any time
	mostLoss   = 0.5
	lossMemory = 64 // answers
)

// Packets are counted in bands of their size: that a short one comes says nothing of longer ones.
const (
	band  = 100
	bands = Max / band
)

func bandOf(size int) int { return min((size-1)/band, bands-1) }

// A watch is kept on packets that have been sent, and on what the receiver says of them.
type watch struct {
	noted  [5]packet // that may be asked for, at most one each stale/5
	newest int       // of noted
	asked  time.Duration
	asking [32]question // under way, or never answered: more than a second and a quarter of them
	last   int          // of asking
	missed [bands]uint8 // packets in a row that have not come, nor has one of a longer band
	loss   float64      // share of the packets asked for that did not come, a black hole's left out
}

type packet struct {
	seq  uint64
	size int // 0: none
	at   time.Duration
}

type question struct{ seq, size uint16 } // size 0: none

// Sent notes a packet that was sent.
func (p *Path) Sent(now time.Duration, seq uint64, size int) {
	if size <= Least*3/4 {
		return
	}
	if p.watch == nil {
		p.watch = new(watch)
	}
	w := p.watch
	if n := w.noted[w.newest]; n.size == 0 || now-n.at >= stale/time.Duration(len(w.noted)) {
		w.newest = (w.newest + 1) % len(w.noted)
	} else if bandOf(size) <= bandOf(n.size) {
		return
	}
	w.noted[w.newest] = packet{seq, size, now}
}

// Question returns the number of a packet to ask the receiver for: one of the longest, and of them
// the newest that is old enough. The question is a short packet of about the same time, so its
// answer says that those pass.
func (p *Path) Question(now time.Duration) (seq uint64, ok bool) {
	w := p.watch
	if w == nil || p.lost {
		return 0, false
	}
	var best *packet
	for i := range w.noted {
		n := &w.noted[i]
		if age := now - n.at; n.size == 0 || age < settled || age >= stale {
			continue
		}
		every := askEvery
		if w.missed[bandOf(n.size)] > 0 {
			every = askAgain
		}
		if w.asked != 0 && now-w.asked < every {
			continue
		}
		if best == nil || bandOf(n.size) > bandOf(best.size) || bandOf(n.size) == bandOf(best.size) && n.at > best.at {
			best = n
		}
	}
	if best == nil {
		return 0, false
	}
	w.asked, w.last = now, (w.last+1)%len(w.asking)
	w.asking[w.last] = question{uint16(best.seq), uint16(best.size)}
	best.size = 0
	return best.seq, true
}

// Answer says whether a packet that was asked for has come; seq is the low bits of its number.
func (p *Path) Answer(now time.Duration, seq uint16, came bool) {
	w := p.watch
	if w == nil {
		return
	}
	for i := range w.asking {
		q := &w.asking[i]
		if q.size == 0 || q.seq != seq {
			continue
		}
		b := bandOf(int(q.size))
		q.size = 0
		if came {
			w.came(b)
			return
		}
		switch chance := w.miss(b); {
		case p.Size() == Least:
			p.lost = chance < rarest
		case chance < rare:
			p.narrower(now)
		}
		return
	}
}

// came notes that a packet of a band has come, as shorter ones would have: what was missed was loss.
func (w *watch) came(b int) {
	for i := range w.missed[:b+1] {
		for ; w.missed[i] > 0; w.missed[i]-- {
			w.loss += (1 - w.loss) / lossMemory
		}
	}
	w.loss -= w.loss / lossMemory
}

// miss notes that one has not, and returns how likely random loss would miss as many in a row.
func (w *watch) miss(b int) (chance float64) {
	w.missed[b]++
	chance = 1
	for range w.missed[b] {
		chance *= min(max(w.loss, leastLoss), mostLoss)
	}
	return chance
}

// narrower goes back to what nearly all paths carry, and from there to the least.
func (p *Path) narrower(now time.Duration) {
	was := p.Size()
	if p.good = Least; was > Base {
		p.good = Base
	}
	*p.watch = watch{loss: p.watch.loss}    // the rest is of packets of the old size
	p.bad, p.last, p.sent = 0, was, tries/2 // the search begins with it: it may have been loss after all
	p.next, p.pause = now, 0
}
