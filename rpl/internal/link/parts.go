package link

import "github.com/tendonengine/tendon/rpl/internal/wire"

// Parts is how much of what a peer predicts the packets of a send have, so far.
type Parts struct {
	Left    bool // of something that the peer may have otherwise, the send says nothing
	Any     bool // there are updates of what it predicts
	Ends    int  // one past the last of these among the plan's updates
	Begins  int  // the first of them
	Runs    bool // some are named by runs
	Arrives bool // something of what it predicts arrives anew

	Written bool   // this packet says at its end how complete it is
	first   uint64 // packet of the send
	since   uint64 // the packet with the first of them; 0: none yet
}

// Begin begins a packet, and reports whether it has to say how complete it is. whole tells whether
// all that the send has fits it for sure.
func (c *Parts) Begin(seq uint64, whole func() bool) bool {
	if c.first == 0 {
		c.first = seq
	}
	c.Written = c.Left || (c.Any || c.Arrives) && (seq != c.first || !whole())
	return c.Written
}

// End ends a packet up to which so many of the plan's updates are packed, and returns what it has to
// say, if it has to: 0 that it is not complete, else one more than how many packets before it belong
// to it. arrived is whether all arrivals are packed, which go first; runs is whether it has those updates
// that are named by runs.
func (c *Parts) End(seq uint64, arrived bool, packed int, runs bool) (n uint64, says bool) {
	if c.Arrives {
		c.since = c.first
	}
	if c.Any && c.since == 0 && (packed > c.Begins || c.Runs && runs) {
		c.since = seq
	}
	if !c.Left && packed >= c.Ends && (arrived || !c.Arrives) {
		if n = 1; c.since != 0 {
			n = seq - c.since + 1
		}
	}
	if n > wire.MaxParts {
		n = 0
	}
	return n, c.Written
}
