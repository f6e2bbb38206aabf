package play

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A client is a proxy that receives only bytes, and the nodes that it holds. It is the
// proxy's handler: it notes the callbacks, which are judged afterwards, outside the
// measured time.
//
// What the bench reads of its clients at each tick evicts the library's memory from the
// processor's caches, so the fields that are read then come first, in two cache lines.
type client struct {
	end    end
	proxy  *rpl.Proxy
	held   []holding
	joined int32 // the trace's tick at which it first held every relevant node; -1 before
	index  int32
	mail   int32 // reliable messages in the last receive
	odd    int32 // callbacks about nodes or items that do not exist

	claims []*rpl.Replica // held nodes whose item arrived or changed in the last Apply
	phase  *phase
	// Tests of the judge break a client with tamper, which changes a value that it
	// holds, and with deaf, which makes it miss a removal.
	tamper func(h *holding, words []int32)
	deaf   func(h *holding) bool
	moved  bool // the last Apply brought an arrival or a removal

	came  []int32 // indices of the lives that arrived in the last Apply
	went  int     // how many nodes were removed in the last Apply
	spend spend
	sink  rpl.Sink // end, converted once: a conversion in each send may allocate
}

// A holding is a node that a client holds. All holdings are read after every receive,
// so they are small and a client's lie in one slice. The replica's Entity points to its
// holding and is updated when the holding moves.
type holding struct {
	replica    *rpl.Replica
	slot       int32
	born, died int32 // of its life
	right      int32 // the newest tick of the trace whose value the client has held; -1 if none yet
}

// lives reports whether its entity is alive at a row (a tick) of the trace.
func (h *holding) lives(row int) bool { return int(h.born) <= row && row < int(h.died) }

func (c *client) begin(p *phase) {
	c.phase, c.joined = p, -1
	c.held = make([]holding, 0, 64)
}

// hold adds a holding for a life.
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

// drop removes a holding and moves the last one into its place.
func (c *client) drop(h *holding) {
	h.replica.Entity = nil
	last := len(c.held) - 1
	if h != &c.held[last] {
		c.move(h, &c.held[last])
	}
	c.held[last] = holding{}
	c.held = c.held[:last]
}

// move moves a holding and points its replica to the new place.
func (c *client) move(to, from *holding) {
	*to = *from
	to.replica.Entity = to
}

// receive gives the proxy the collected packets and applies them. It is inside the
// measured time.
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

// value appends to words the client's value of a node at the newest tick that it
// received; a predicted value is advanced to that tick.
func (c *client) value(h *holding, words []int32) []int32 {
	words = h.replica.Words(0, words)
	if c.tamper != nil {
		c.tamper(h, words)
	}
	return words
}

// claim appends to words the value that the client received last, and returns that
// value's server tick.
func (c *client) claim(h *holding, words []int32) ([]int32, rpl.Tick) {
	words, t := h.replica.Confirmed(0, words)
	if c.tamper != nil {
		c.tamper(h, words)
	}
	return words, t
}

// The rest of rpl.ProxyHandler, which the bench does not need: it draws nothing and has
// no RPCs.

func (c *client) Loaded(*rpl.Replica)                          {}
func (c *client) Advanced(*rpl.Replica, int, rpl.Tick)         {}
func (c *client) ItemAdded(*rpl.Replica, int)                  { c.odd++ }
func (c *client) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) { c.odd++ }
func (c *client) Owned(*rpl.Replica, rpl.Peer)                 {}
func (c *client) Reparenting(*rpl.Replica)                     {}
func (c *client) Parented(*rpl.Replica, rpl.Node)              {}
func (c *client) Run(rpl.Call)                                 {}
