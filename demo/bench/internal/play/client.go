package play

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A client is a proxy that receives bytes only, and what it holds. It is its
// proxy's handler: what the proxy tells is noted and judged afterwards, so that
// judging is not in the measured time.
//
// What the bench reads of its clients at each tick washes out of the caches what
// the library has in them: it stands first, in two lines of a cache.
type client struct {
	end    end
	proxy  *rpl.Proxy
	held   []holding
	joined int32 // the trace's tick at which it had everything, -1 before
	index  int32
	mail   int32 // messages of the reliable lane in the last Apply
	odd    int32 // told of nodes or items that do not exist

	claims []*rpl.Replica // those held whose item changed in the last Apply
	phase  *phase
	// tamper and deaf are for tests of the judgement, what a broken client does:
	// tamper changes what it holds, deaf has it miss a removal.
	tamper func(h *holding, words []int32)
	deaf   func(h *holding) bool
	moved  bool // came or went in the last Apply

	came  []int32 // lives
	went  int     // nodes
	spend spend
	sink  rpl.Sink // end: to convert it in each send may allocate, in the runtime
}

// A holding is a node that a client holds. It is read after every receive, of
// every client, so it is small, and those of a client lie side by side. Its
// replica's Entity points to it, wherever it lies.
type holding struct {
	replica    *rpl.Replica
	slot       int32
	born, died int32 // its life's
	right      int32 // the newest tick of the trace at which its value was right
}

// lives reports whether its life lasts at a row of the trace.
func (h *holding) lives(row int) bool { return int(h.born) <= row && row < int(h.died) }

func (c *client) begin(p *phase) {
	c.phase, c.joined = p, -1
	c.held = make([]holding, 0, 64)
}

// hold makes a holding.
func (c *client) hold(life int, r *rpl.Replica) {
	if len(c.held) == cap(c.held) {
		was := c.held
		c.held = make([]holding, len(was), 2*cap(was))
		for i := range was {
			c.move(&c.held[i], &was[i])
		}
	}
	l := &c.phase.lives.All[life]
	c.held = append(c.held, holding{
		replica: r, slot: int32(l.Slot), born: int32(l.Born), died: int32(l.Died), right: -1,
	})
	r.Entity = &c.held[len(c.held)-1]
}

// drop forgets a holding; the last one takes its place.
func (c *client) drop(h *holding) {
	h.replica.Entity = nil
	last := len(c.held) - 1
	if h != &c.held[last] {
		c.move(h, &c.held[last])
	}
	c.held[last] = holding{}
	c.held = c.held[:last]
}

// move moves a holding to another place.
func (c *client) move(to, from *holding) {
	*to = *from
	to.replica.Entity = to
}

// receive applies what was collected; it is measured.
func (c *client) receive(now time.Duration) {
	datagrams, messages := c.end.Received()
	for _, d := range datagrams {
		c.proxy.Receive(d.Seq, d.At, d.Data)
	}
	for _, m := range messages {
		c.proxy.ReceiveMessage(m)
	}
	c.mail = int32(len(messages))
	c.claims = c.claims[:0]
	if c.moved {
		c.came, c.went, c.moved = c.came[:0], 0, false
	}
	c.proxy.Apply(now, c)
}

func (c *client) Arrived(r *rpl.Replica) {
	if r.ID == rpl.SessionNode {
		return
	}
	life, ok := c.phase.life[r.ID]
	if !ok {
		c.odd++
		return
	}
	c.hold(life, r)
	c.came, c.moved = append(c.came, int32(life)), true
	c.claims = append(c.claims, r)
}

func (c *client) Gone(r *rpl.Replica, _ rpl.Tick, _ bool) {
	h, ok := r.Entity.(*holding)
	if !ok || c.deaf != nil && c.deaf(h) {
		return
	}
	c.drop(h)
	c.went++
	c.moved = true
}

func (c *client) Changed(r *rpl.Replica, ordinal int, _ rpl.Tick) {
	if _, ok := r.Entity.(*holding); ok {
		c.claims = append(c.claims, r)
	}
}

// value is what the client has for a node at the newest tick that it received,
// appended to words.
func (c *client) value(h *holding, words []int32) []int32 {
	words = h.replica.Words(0, words)
	if c.tamper != nil {
		c.tamper(h, words)
	}
	return words
}

// claim is what it has received last, appended to words, and the server tick
// that this is of.
func (c *client) claim(h *holding, words []int32) ([]int32, rpl.Tick) {
	words, t := h.replica.Confirmed(0, words)
	if c.tamper != nil {
		c.tamper(h, words)
	}
	return words, t
}

// The rest of rpl.ProxyHandler: nothing here is drawn or called.

func (c *client) Loaded(*rpl.Replica)                          {}
func (c *client) Advanced(*rpl.Replica, int, rpl.Tick)         {}
func (c *client) ItemAdded(*rpl.Replica, int)                  { c.odd++ }
func (c *client) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) { c.odd++ }
func (c *client) Owned(*rpl.Replica, rpl.Peer)                 {}
func (c *client) Parented(*rpl.Replica, rpl.Node)              {}
func (c *client) Run(rpl.Call)                                 {}
