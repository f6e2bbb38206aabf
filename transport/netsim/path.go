package netsim

import (
	"math/rand/v2"
	"time"
)

// A Path is one direction of a simulated network.
type Path struct {
	c     Conditions
	rng   *rand.Rand
	bad   bool          // in a run of losses
	idle  time.Duration // when the limited line has sent what it has
	order uint64        // of packets, to keep those due at once in the order sent
	queue []packet      // a heap by due time, then order
	free  [][]byte      // buffers of received packets
	last  []byte        // what Receive returned, until it is called again
	count Counters
}

// Counters are what a Path has done since it was made.
type Counters struct {
	Sent       uint64 // packets given to Send
	Bytes      uint64 // … and their bytes
	Delivered  uint64 // packets that Receive returned, duplicates included
	Lost       uint64 // by Loss
	Overflow   uint64 // dropped because the queue of a limited rate was full
	Oversize   uint64 // dropped because longer than MaxSize
	Duplicated uint64 // packets that were given a second copy
}

// Dropped is every packet that was sent and will not arrive.
func (c Counters) Dropped() uint64 { return c.Lost + c.Overflow + c.Oversize }

type packet struct {
	due   time.Duration
	order uint64
	b     []byte
}

func (p packet) before(q packet) bool {
	return p.due < q.due || p.due == q.due && p.order < q.order
}

// NewPath makes a path. Conditions out of range (see Conditions.Check) panic:
// they are a programmer's mistake, and flags are checked before.
func NewPath(seed uint64, c Conditions) *Path {
	p := &Path{rng: rand.New(rand.NewPCG(seed, 0x6e657473696d))}
	p.SetConditions(c)
	return p
}

// SetConditions changes the conditions for packets sent from now on; those
// under way arrive as they were to.
func (p *Path) SetConditions(c Conditions) {
	if err := c.Check(); err != nil {
		panic(err)
	}
	p.c = c
}

// Conditions are those in force.
func (p *Path) Conditions() Conditions { return p.c }

// Counters are what the path has done so far.
func (p *Path) Counters() Counters { return p.count }

// InFlight is the number of packets under way, duplicates included.
func (p *Path) InFlight() int { return len(p.queue) }

// Send puts a packet on its way. b is copied. now must not go backwards.
func (p *Path) Send(now time.Duration, b []byte) {
	p.count.Sent++
	p.count.Bytes += uint64(len(b))
	// Always four draws: a run with other conditions sees the same values.
	loss, double, jitter, jitter2 := p.rng.Float64(), p.rng.Float64(), p.rng.Float64(), p.rng.Float64()
	if p.c.MaxSize > 0 && len(b) > p.c.MaxSize {
		p.count.Oversize++
		return
	}
	departs, ok := p.depart(now, len(b))
	if !ok {
		p.count.Overflow++
		return
	}
	if p.loses(loss) {
		p.count.Lost++
		return
	}
	p.put(departs, jitter, b)
	if double < p.c.Duplicate {
		p.count.Duplicated++
		p.put(departs, jitter2, b)
	}
}

// Receive returns the packet that is due first, if it is due by now, and the
// time at which it was due. The bytes are valid until the next Receive.
func (p *Path) Receive(now time.Duration) (b []byte, due time.Duration, ok bool) {
	if p.last != nil {
		p.free = append(p.free, p.last)
		p.last = nil
	}
	if len(p.queue) == 0 || p.queue[0].due > now {
		return nil, 0, false
	}
	first := p.pop()
	p.last = first.b
	p.count.Delivered++
	return first.b, first.due, true
}

// Next is when the first packet under way is due.
func (p *Path) Next() (due time.Duration, ok bool) {
	if len(p.queue) == 0 {
		return 0, false
	}
	return p.queue[0].due, true
}

// depart is when a packet of n bytes has left a line of limited rate, or false
// when its queue is full.
func (p *Path) depart(now time.Duration, n int) (time.Duration, bool) {
	if p.c.Rate == 0 {
		p.idle = 0
		return now, true
	}
	p.idle = max(p.idle, now)
	waiting := float64(p.idle-now) * float64(p.c.Rate) / float64(time.Second)
	if waiting+float64(n) > float64(p.c.queue()) && p.idle > now {
		return 0, false
	}
	p.idle += time.Duration(float64(n) * float64(time.Second) / float64(p.c.Rate))
	return p.idle, true
}

// loses draws one step of the two-state loss model: within a run every packet
// is lost, and after each the run ends with a chance of 1/Burst.
func (p *Path) loses(draw float64) bool {
	switch {
	case p.c.Burst <= 1 || p.c.Loss >= 1:
		p.bad = false
		return draw < p.c.Loss
	case p.bad:
		p.bad = draw >= 1/p.c.burst()
	default:
		p.bad = draw < p.c.begins()
	}
	return p.bad
}

func (p *Path) put(departs time.Duration, jitter float64, b []byte) {
	var buf []byte
	if n := len(p.free); n > 0 {
		buf, p.free = p.free[n-1], p.free[:n-1]
	}
	p.order++
	due := departs + p.c.Delay + time.Duration(jitter*float64(p.c.Jitter))
	p.push(packet{due: due, order: p.order, b: append(buf[:0], b...)})
}

// push and pop are a binary heap by hand: container/heap allocates for every
// packet that passes through its interface.
func (p *Path) push(x packet) {
	p.queue = append(p.queue, x)
	q, i := p.queue, len(p.queue)-1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(q[up]) {
			break
		}
		q[i], i = q[up], up
	}
	q[i] = x
}

func (p *Path) pop() packet {
	q := p.queue
	first, n := q[0], len(q)-1
	x := q[n]
	q[n] = packet{}
	p.queue = q[:n]
	if n == 0 {
		return first
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(x) {
			break
		}
		q[i], i = q[down], down
	}
	q[i] = x
	return first
}
