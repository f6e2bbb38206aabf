// Package mtu finds how long the packets may be that a path carries (RFC 8899), and notices
// when it carries less than before without a word: a black hole. It has no clock and sends
// nothing: the endpoint does both.
//
// A new path is taken to carry Base, which nearly all do. Once there is a longer packet, it
// is sent in parts, and probes are: the first of the greatest size, which mostly ends the
// search within a round trip. After that the receiver is asked, now and then, whether a long packet
// has come (hole.go): of those that do not pass nothing else tells.
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
	tries    = 4                      // probes that must be lost
	wait     = 250 * time.Millisecond // for an answer
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
	lost   bool          // not even Least passes
	watch  *watch        // nil until a packet is sent that a path may be too narrow for
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
