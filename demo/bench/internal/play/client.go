package play

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A client is a proxy that receives bytes only, and what it holds. It is its
// proxy's handler: what the proxy tells is noted and judged afterwards, so that
// judging is not in the measured time.
type client struct {
	index  int
	proxy  *rpl.Proxy
	end    end
	phase  *phase
	joined int // the trace's tick at which it had everything, -1 before

	held   []*holding
	bySlot []*holding // the newest of each slot
	claims []*holding // those whose item changed in the last Apply
	came   []*holding
	went   []*holding
	spare  []*holding
	mail   int // messages of the reliable lane in it
	odd    int // told of nodes or items that do not exist
	spend  spend
	words  []int32 // scratch

	// For tests of the judgement: what a broken client does. tamper changes what
	// it holds, deaf has it miss a removal.
	tamper func(h *holding, words []int32)
	deaf   func(h *holding) bool
}

// A holding is a node that a client holds. It is read after every receive, of
// every client, so it is small, and those of a client lie side by side: what the
// bench reads washes out of the caches what the library has in them.
type holding struct {
	replica    *rpl.Replica
	life, slot int32
	born, died int32 // the life's
	at         int32 // in held
	right      int32 // the newest tick of the trace at which its value was right
}

// lives reports whether its life lasts at a row of the trace.
func (h *holding) lives(row int) bool { return int(h.born) <= row && row < int(h.died) }

// hold makes a holding, from one that is gone or side by side with the last.
func (c *client) hold(life int, r *rpl.Replica) *holding {
	if len(c.spare) == 0 {
		fresh := make([]holding, 64)
		for i := range fresh {
			c.spare = append(c.spare, &fresh[len(fresh)-1-i])
		}
	}
	h := c.spare[len(c.spare)-1]
	c.spare = c.spare[:len(c.spare)-1]
	l := &c.phase.lives.All[life]
	*h = holding{
		replica: r, life: int32(life), slot: int32(l.Slot), born: int32(l.Born), died: int32(l.Died),
		at: int32(len(c.held)), right: -1,
	}
	return h
}

func (c *client) begin(p *phase) {
	c.phase, c.joined = p, -1
	c.held, c.went, c.bySlot = nil, nil, make([]*holding, p.t.Slots)
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
	c.mail = len(messages)
	c.spare = append(c.spare, c.went...)
	c.claims, c.came, c.went = c.claims[:0], c.came[:0], c.went[:0]
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
	h := c.hold(life, r)
	r.Entity = h
	c.held = append(c.held, h)
	c.bySlot[h.slot] = h
	c.came = append(c.came, h)
	c.claims = append(c.claims, h)
}

func (c *client) Gone(r *rpl.Replica, _ rpl.Tick, _ bool) {
	h, ok := r.Entity.(*holding)
	if !ok || c.deaf != nil && c.deaf(h) {
		return
	}
	last := c.held[len(c.held)-1]
	c.held[h.at], last.at = last, h.at
	c.held = c.held[:len(c.held)-1]
	h.at = -1
	if c.bySlot[h.slot] == h {
		c.bySlot[h.slot] = nil
	}
	c.went = append(c.went, h)
}

func (c *client) Changed(r *rpl.Replica, ordinal int, _ rpl.Tick) {
	if h, ok := r.Entity.(*holding); ok {
		c.claims = append(c.claims, h)
	}
}

// value is what the client has for a node at the newest tick that it received;
// valid until the next call of value or claim.
func (c *client) value(h *holding) []int32 {
	c.words = h.replica.Words(0, c.words[:0])
	if c.tamper != nil {
		c.tamper(h, c.words)
	}
	return c.words
}

// claim is what it has received last, and the server tick that this is of.
func (c *client) claim(h *holding) ([]int32, rpl.Tick) {
	var t rpl.Tick
	c.words, t = h.replica.Confirmed(0, c.words[:0])
	if c.tamper != nil {
		c.tamper(h, c.words)
	}
	return c.words, t
}

// The rest of rpl.ProxyHandler: nothing here is drawn or called.

func (c *client) Loaded(*rpl.Replica)                          {}
func (c *client) Advanced(*rpl.Replica, int, rpl.Tick)         {}
func (c *client) ItemAdded(*rpl.Replica, int)                  { c.odd++ }
func (c *client) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) { c.odd++ }
func (c *client) Owned(*rpl.Replica, rpl.Peer)                 {}
func (c *client) Parented(*rpl.Replica, rpl.Node)              {}
func (c *client) Run(rpl.Call)                                 {}
