package mtu

import "time"

// A Pair is a short probe and a long one right behind it. How far apart they arrive says how fast
// the path is, before it carries anything. The zero value is a pair that was not sent.
type Pair struct {
	sent, done bool
	short      time.Duration // when the answer to the short one came; 0: not yet
	rate       int
}

// Begin says that the pair is to be sent now, once.
func (p *Pair) Begin() bool {
	if p.sent {
		return false
	}
	p.sent, p.rate = true, 1
	return true
}

// Came notes the answer to a probe. A long one that is repeated, because it was lost, counts as late.
// It reports whether the rate is known by it.
func (p *Pair) Came(now time.Duration, size int) (known bool) {
	switch {
	case !p.sent || p.done:
	case size == Base:
		p.short = now
	case size == Max:
		p.done, known, p.rate = true, true, int(time.Second/time.Millisecond)*Max
		if p.short != 0 {
			p.rate = int(Max * time.Second / max(now-p.short, time.Millisecond))
		}
	}
	return known
}

// Rate is about what the path carries, in bytes a second; 1 until that is known, 0 if the pair was not sent.
func (p *Pair) Rate() int { return p.rate }
