// Package mtu finds how long the packets may be that a path carries (RFC 8899), and notices
// when it carries less than before without a word: a black hole. It has no clock and sends
// nothing: the endpoint does both.
//
// A new path is taken to carry Base, which nearly all do. Once there is a longer packet, it
// is sent in parts, and probes are: the first of the greatest size, which mostly ends the
// search within a round trip. After that
// the receiver is asked, now and then, whether a long packet has come: of those that do not
// pass nothing else tells.
package mtu

import "time"

// Sizes of UDP payloads, in bytes.
const (
	// Max is the longest packet.
	Max = 1200
	// Base is what a path of 576 bytes carries over IPv4, the least that hosts must take.
	Base = 576 - 20 - 8
	// Least is the shortest size that packets are cut to, for a path that is worse than
	// any host must accept.
	Least = 256
	// close is how near the search comes to what the path carries.
	near = 32
)

const (
	tries    = 4                      // probes that must be lost, or long packets that must not have come
	certain  = 9                      // short packets that must not have come for the path to be lost: losing a fifth at random is no reason to end
	wait     = 250 * time.Millisecond // for an answer
	askEvery = 500 * time.Millisecond // while long packets are sent
	askAgain = 150 * time.Millisecond // once one is missing
	settled  = 100 * time.Millisecond // how old a packet must be for its absence to mean anything
	research = 2 * time.Second        // after which a narrow path is looked at again, twice as long each time …
	seldom   = time.Minute            // … up to this
)

// A Path is one direction of a connection's way. The zero value is a new path.
type Path struct {
	wanted bool // something was longer than what passes: else there is no need to know
	good   int  // what passes; 0: Base
	bad    int  // the least that is known not to pass; 0: none
	last   int  // size of the probe under way; 0: none
	sent   int  // how often it was sent
	next   time.Duration
	pause  time.Duration // between two searches
	asking bool          // a question is under way
	asked  time.Duration
	long   packet // the newest long packet, and …
	older  packet // … one that is old enough to ask for
	missed int    // long packets in a row that have not come
	lost   bool   // not even Least passes
}

type packet struct {
	seq  uint64
	size int
	at   time.Duration
}

// Size is the longest packet that may be sent.
func (p *Path) Size() int {
	if p.good == 0 {
		return Base
	}
	return p.good
}

// Lost reports that not even packets of Least bytes pass, while shorter ones do.
func (p *Path) Lost() bool { return p.lost }

// Sent notes a packet that was sent.
func (p *Path) Sent(now time.Duration, seq uint64, size int) {
	if size <= Least*3/4 {
		return
	}
	if p.older.seq == 0 || now-p.long.at >= settled {
		p.older = p.long
	}
	p.long = packet{seq, size, now}
}

// Fits reports whether a packet of that size may be sent; if not, longer ones are looked for.
func (p *Path) Fits(size int) bool {
	if size <= p.Size() {
		return true
	}
	p.wanted = true
	return false
}

// Probe returns the size of a probe to send now; 0: none.
func (p *Path) Probe(now time.Duration) int {
	if now < p.next || p.lost || !p.wanted {
		return 0
	}
	if p.sent >= tries { // nothing came
		p.bad, p.last, p.sent = p.last, 0, 0
	}
	if p.last == 0 {
		if p.last = p.candidate(); p.last == 0 {
			if p.Size() < Max {
				p.pause = min(max(2*p.pause, research), seldom)
				p.next, p.bad = now+p.pause, 0 // then from the top, if that is still wanted
				p.wanted = false
			} else {
				p.next = 1<<63 - 1
			}
			return 0
		}
	}
	p.sent++
	p.next = now + wait
	return p.last
}

// candidate is the size to try next; 0: the search is over.
func (p *Path) candidate() int {
	switch good := p.Size(); {
	case good >= Max:
		return 0
	case p.bad == 0:
		return Max
	case p.bad-good <= near:
		return 0
	default:
		return (good + p.bad) / 2
	}
}

// Passed says that a probe was answered.
func (p *Path) Passed(size int) {
	if size > Max || size <= p.Size() {
		return
	}
	p.good = size
	if size >= p.last {
		p.last, p.sent, p.next = 0, 0, 0
	}
}

// Question returns the number of a long packet to ask the receiver for.
func (p *Path) Question(now time.Duration) (seq uint64, ok bool) {
	every := askEvery
	if p.missed > 0 {
		every = askAgain
	}
	if p.older.seq == 0 || now-p.older.at < settled || p.asked != 0 && now-p.asked < every || p.lost {
		return 0, false
	}
	p.asking, p.asked = true, now
	return p.older.seq, true
}

// Answer says whether the packet that was asked for has come; seq is the low bits of its
// number.
func (p *Path) Answer(now time.Duration, seq uint16, came bool) {
	if !p.asking || seq != uint16(p.older.seq) {
		return
	}
	p.asking = false
	size := p.older.size
	p.older = packet{}
	if came {
		p.missed = 0
		return
	}
	if p.missed++; p.missed < tries || size <= Least && p.missed < certain {
		return
	}
	p.missed = 0
	p.narrower(now, size)
}

// narrower goes back to less than a size that does not pass.
func (p *Path) narrower(now time.Duration, size int) {
	switch {
	case size > Base:
		p.good, p.bad = Base, size
	case size > Least:
		p.good, p.bad = Least, size
	default:
		p.lost = true
	}
	p.long, p.older = packet{}, packet{} // those of the old size
	p.last, p.sent, p.next, p.pause = 0, 0, now, 0
}
