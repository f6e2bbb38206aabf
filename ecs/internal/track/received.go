package track

// Received: the newest packets that a client has had, to tell what stood still from what was
// lost.

import "github.com/tendonengine/tendon/rpl"

// ReceivedTicks is how many of the newest packets' ticks are remembered, to tell what stood
// still from what was lost: more than are ever reordered.
const ReceivedTicks = 16

// maxGaps is how many gaps are kept apart: of more, the oldest two become one.
const maxGaps = 16

// copySends is within how many sends a packet's copy leaves: what it told is not sent again while the
// copy is under way.
const copySends = 3

// A packet is a packet that the client has had.
type packet struct {
	tick rpl.Tick
	lost bool // a packet between it and the one before has not come by then
}

// A gap is packets that did not come, while what they may have told may not have come again. Where
// packets that may have told it again did not come either, it is one gap with theirs.
type gap struct {
	before rpl.Tick // the packet before the first of them
	after  rpl.Tick // the packet after the last of them
}

// A Received remembers the newest packets.
type Received struct {
	packets [ReceivedTicks]packet // newest first
	gaps    [maxGaps]gap          // oldest first
	open    uint8                 // how many gaps there are
	Several bool                  // the newest came with others, of whose states only the newest counts
	Missing bool                  // others have been sent since that have not come
	Lost    int                   // how many of those that have been sent have not come
	Sent    int                   // how many have been sent since the newest but one; 0: unknown
	Acked   rpl.Tick              // the newest packet of which it is known that the server knows that it came, and which before it did not
	shut    gap                   // of which the server has told again what was lost, as it closed last …
	shutAt  rpl.Tick              // … with the packet of this tick
	resend  rpl.Tick              // how long it takes until what a packet told that did not come is sent again, and comes
}

// note notes the tick of a packet that is newer than all others, given how many ticks there are from
// send to send.
func (hd *Received) note(t, every rpl.Tick) {
	last := hd.packets[0].tick
	copy(hd.packets[1:], hd.packets[:])
	hd.packets[0] = packet{t, hd.Missing}
	lost, open := gap{last, t}, 0
	for _, g := range hd.gaps[:hd.open] {
		again := hd.Acked >= g.after // the server has sent it again, by this packet
		switch {
		case hd.Missing && (again || last-g.after < copySends*every || t > g.before+hd.resend): // or its ack was overdue
			lost.before = g.before
		case !again:
			hd.gaps[open] = g
			open++
		case hd.shutAt == t:
			hd.shut.after = g.after
		default:
			hd.shut, hd.shutAt = g, t
		}
	}
	if hd.open = uint8(open); !hd.Missing {
		return
	}
	if open == maxGaps {
		hd.gaps[1].before = hd.gaps[0].before
		copy(hd.gaps[:], hd.gaps[1:])
		hd.open--
	}
	hd.gaps[hd.open] = lost
	hd.open++
}

// Newest returns the newest tick.
func (hd *Received) Newest() rpl.Tick { return hd.packets[0].tick }

// lossy reports whether a packet of late has not come: what was taken for silence may have
// been a loss.
func (hd *Received) lossy() bool {
	if hd.Missing || hd.open > 0 {
		return true
	}
	for i := range hd.packets {
		if hd.packets[i].lost {
			return true
		}
	}
	return false
}

// stood reports whether an item of which nothing came after tick t was as predicted
// in the packet after: only if that has come does silence tell so, or once what a lost one may
// have told would have come again.
func (hd *Received) stood(t rpl.Tick) bool {
	sent, loss := false, rpl.Tick(0)
	for i := range hd.packets {
		h := &hd.packets[i]
		if h.tick <= t {
			break
		}
		if sent = !h.lost; h.lost && loss == 0 {
			loss = h.tick
		}
		if i == len(hd.packets)-1 {
			sent = true // long ago
		}
	}
	return sent || loss > 0 && !hd.Missing && hd.Newest()-loss >= hd.resend
}

// complete returns the newest received tick from one tick to before another by which all has come
// that was told since the first: no packet before it is missing, or what such a one may have told
// has come again. It is from if there is none.
func (hd *Received) complete(from, to rpl.Tick) rpl.Tick {
	known := hd.before(to)
	for _, g := range hd.gaps[:hd.open] {
		if g.after > from {
			known = min(known, g.before)
		}
	}
	return max(from, known)
}

// beforeLoss returns the tick of the packet before the newest loss; 0 if none of late is known.
func (hd *Received) beforeLoss() rpl.Tick {
	if hd.Missing {
		return hd.packets[0].tick
	}
	for i := range len(hd.packets) - 1 {
		if hd.packets[i].lost {
			return hd.packets[i+1].tick
		}
	}
	return 0
}

// before returns the newest received tick that is older than t; 0 if there is none.
func (hd *Received) before(t rpl.Tick) rpl.Tick {
	for _, h := range hd.packets {
		if h.tick < t {
			return h.tick
		}
	}
	return 0
}
