package track

// Received: the newest packets that a client has had, to tell what stood still from what was
// lost.

import "github.com/tendonengine/tendon/rpl"

// ReceivedTicks is how many of the newest packets' ticks are remembered, to tell what stood
// still from what was lost: more than are ever reordered.
const ReceivedTicks = 16

// A packet is a packet that the client has had.
type packet struct {
	tick rpl.Tick
	lost bool // a packet between it and the one before has not come by then
}

// A Received remembers the newest packets.
type Received struct {
	packets [ReceivedTicks]packet // newest first
	Several bool                  // the newest came with others, of whose states only the newest counts
	Missing bool                  // others have been sent since that have not come
	Sent    int                   // how many have been sent since the newest but one; 0: unknown
	resend  rpl.Tick              // how long it takes until what a packet told that did not come is sent again, and comes
}

// Note notes the tick of a packet that is newer than all others.
func (hd *Received) Note(t rpl.Tick) {
	copy(hd.packets[1:], hd.packets[:])
	hd.packets[0] = packet{t, hd.Missing}
}

// Newest returns the newest tick.
func (hd *Received) Newest() rpl.Tick { return hd.packets[0].tick }

// lossy reports whether a packet of late has not come: what was taken for silence may have
// been a loss.
func (hd *Received) lossy() bool {
	if hd.Missing {
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
	loss := rpl.Tick(0)
	for i := len(hd.packets) - 1; i >= 0; i-- { // what is older than these is long ago
		h := &hd.packets[i]
		if h.tick <= from || h.tick >= to {
			continue
		}
		if h.lost {
			loss = h.tick
		}
		if loss == 0 || h.tick-loss >= hd.resend {
			from, loss = h.tick, 0
		}
	}
	return from
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

// Before returns the newest received tick that is older than t; 0 if there is none.
func (hd *Received) Before(t rpl.Tick) rpl.Tick {
	for _, h := range hd.packets {
		if h.tick < t {
			return h.tick
		}
	}
	return 0
}
