package netsim

import (
	"math/rand/v2"
	"time"
)

// A Path is one direction of a simulated network: Send puts packets on it, Receive
// takes them off when they are due.
//
// A benchmark runs two Paths for each of many clients at each tick, besides the code
// that it measures. So the fields that each packet needs come first, in two cache
// lines, and Receive needs only the first line.
type Path struct {
	queue     []packet // a heap by due time, then order; beyond its length the lent buffer, then spare ones
	lent      int      // 1 while the bytes that Receive returned are valid
	sent      uint64
	bytes     uint64
	delivered uint64

	rng           rand.PCG
	delay, jitter time.Duration // as in c
	maxSize       int           // as in c
	idle          time.Duration // when the line of limited rate has sent all queued packets
	plain         bool          // c neither loses, nor duplicates, nor limits the rate
	bad           bool          // in a run of losses

	c       Conditions
	dropped Counters // those of Send, and Duplicated
	_       [8]byte  // pads to 256 bytes, which the allocator aligns to cache lines
}

// Counters count what has happened on a Path since it was made.
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
	order uint64 // grows with each packet sent: it orders packets that are due at the same time
	b     []byte
}

func (p packet) before(q packet) bool {
	return p.due < q.due || p.due == q.due && p.order < q.order
}

// NewPath makes a path. It panics if the conditions are out of range, which is a
// programmer's mistake: check those that a user gives with Conditions.Check.
func NewPath(seed uint64, c Conditions) *Path {
	p := &Path{}
	p.rng.Seed(seed, 0x6e657473696d)
	p.SetConditions(c)
	return p
}

// SetConditions changes the conditions for packets sent from now on; packets that
// are under way keep their times. It panics if the conditions are out of range.
func (p *Path) SetConditions(c Conditions) {
	if err := c.Check(); err != nil {
		panic(err)
	}
	p.c, p.delay, p.jitter, p.maxSize = c, c.Delay, c.Jitter, c.MaxSize
	p.plain = c.Late == 0 && c.Loss == 0 && c.Burst <= 1 && c.Duplicate == 0 && c.Rate == 0
}

// Conditions returns the conditions in force.
func (p *Path) Conditions() Conditions { return p.c }

// Counters returns the path's counts so far.
func (p *Path) Counters() Counters {
	c := p.dropped
	c.Sent, c.Bytes, c.Delivered = p.sent, p.bytes, p.delivered
	return c
}

// InFlight is the number of packets under way, duplicates included.
func (p *Path) InFlight() int { return len(p.queue) }

// Send puts a packet on its way. b is copied. now must not go backwards.
func (p *Path) Send(now time.Duration, b []byte) {
	p.sent++
	p.bytes += uint64(len(b))
	// Always draw four values, so that a run with other conditions sees the same ones.
	loss, double, jitter, jitter2 := p.draw(), p.draw(), p.draw(), p.draw()
	if p.maxSize > 0 && len(b) > p.maxSize {
		p.dropped.Oversize++
		return
	}
	if p.plain {
		p.idle, p.bad = 0, false
		p.put(now, jitter, 0, b)
		return
	}
	departs, ok := p.depart(now, len(b))
	if !ok {
		p.dropped.Overflow++
		return
	}
	if p.loses(loss) {
		p.dropped.Lost++
		return
	}
	if jitter2 < p.c.Late { // no value of its own, so that other runs see the same ones
		departs += p.c.LateBy
	}
	p.put(departs, jitter, 0, b)
	if double < p.c.Duplicate {
		p.dropped.Duplicated++
		p.put(departs, jitter2, 1, b)
	}
}

// draw returns a random value from 0 to 1 (not 1 itself), made like rand.Float64's.
func (p *Path) draw() float64 { return float64(p.rng.Uint64()<<11>>11) / (1 << 53) }

// Receive returns the packet that is due first, if it is due by now, and the
// time at which it was due. The bytes are valid until the next Receive.
func (p *Path) Receive(now time.Duration) (b []byte, due time.Duration, ok bool) {
	p.lent = 0
	if len(p.queue) == 0 || p.queue[0].due > now {
		return nil, 0, false
	}
	first := p.pop()
	p.delivered++
	return first.b, first.due, true
}

// Next returns the time at which the first packet under way is due; false when no
// packet is.
func (p *Path) Next() (due time.Duration, ok bool) {
	if len(p.queue) == 0 {
		return 0, false
	}
	return p.queue[0].due, true
}

// depart returns the time at which a packet of n bytes has left a line of limited
// rate; false when the line's queue is full.
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

// put queues a packet: copy is 0 for the packet itself, 1 for its duplicate.
func (p *Path) put(departs time.Duration, jitter float64, copy uint64, b []byte) {
	due := departs + p.delay + time.Duration(jitter*float64(p.jitter))
	p.push(packet{due: due, order: 2*p.sent + copy, b: append(p.room(), b...)})
}

// leastRoom is the smallest capacity of a packet's buffer: a cache line.
const leastRoom = 64

// room returns an empty buffer for the next push: a spare one, or a new one if there
// is none. If a buffer is lent, it moves to the spare one's place behind the queue.
func (p *Path) room() []byte {
	n := len(p.queue)
	if n+p.lent == cap(p.queue) {
		longer := make([]packet, 2*cap(p.queue)+4)
		copy(longer, p.queue[:cap(p.queue)])
		p.queue = longer[:n]
	}
	behind := p.queue[n : n+p.lent+1]
	spare := behind[p.lent].b
	behind[p.lent].b = behind[0].b
	if spare == nil {
		return make([]byte, 0, leastRoom)
	}
	return spare[:0]
}

// push adds a packet to the queue. push and pop implement a binary heap, because
// container/heap allocates for every packet that passes through its interface.
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

// pop removes and returns the first packet. Its buffer is lent until the next Receive.
func (p *Path) pop() packet {
	q := p.queue
	first, n := q[0], len(q)-1
	x := q[n]
	q[n].b = first.b
	p.queue, p.lent = q[:n], 1
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
