package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Faults does to a proxy what faults of the line, of memory or of an authority would, and
// shows what no caller sees. It is for tests alone.
type Faults struct{ c *Proxy }

// FaultsOf returns the faults of a proxy.
func FaultsOf(c *Proxy) Faults { return Faults{c} }

// Me is the peer of the proxy.
func (f Faults) Me() ids.Peer { return f.c.me }

// SetApplied sets how many reliable messages the proxy has applied.
func (f Faults) SetApplied(n uint32) { f.c.in.applied = n }

// Defaults are the code tables that are known from the schema alone.
func (f Faults) Defaults() *coder.Model { return f.c.dec.defaults }

// Model returns the code tables of a number.
func (f Faults) Model(number int) *coder.Model { return f.c.dec.models[number] }

// Message applies a reliable message at once.
func (f Faults) Message(b []byte) { f.c.message(b) }

// SpecRow returns the words of a node's first row as they were received, followed by
// its fractions.
func (f Faults) SpecRow(n ids.Node) []int32 {
	c := f.c
	return c.held.rows.received(c.held.byNode[n].rows.first)
}

// Corrupt adds 1 to a word of an item in every version that a proxy has, as a fault
// would.
func (f Faults) Corrupt(n ids.Node, ordinal, word int) {
	c := f.c
	run := c.held.byNode[n].rows
	for i := run.first; i < run.first+uint32(run.n); i++ {
		if row := &c.held.rows.rows[i]; c.held.rows.owners[i].ordinal == ordinal {
			for slot := range row.size {
				c.held.rows.version(row, slot)[1+word]++
			}
		}
	}
}

// ForgeSpeculative encodes a datagram of tick t with one speculative update, for a generation of handle 0
// that no node has.
func (f Faults) ForgeSpeculative(t ids.Tick) []byte {
	c := f.c
	var e prefix.Encoder
	m := &c.dec.defaults.Entry
	e.Reset(nil)
	e.PutBits(0, 2)
	e.Put(m.Form.Sym(coder.FormFull | coder.FormSpeculative))
	e.PutBits(uint32(t), 32)
	e.Put(m.Gap.Sym(coder.GapEnd), coder.Unsigned(&m.Speculative, 1), coder.Signed(&m.Gen, 7))
	return e.Finish()
}

// KnownBase returns the newest packet of which the proxy knows that the authority knows
// it as applied.
func (f Faults) KnownBase() uint64 { return f.c.in.history.base }

// Lose removes a node from a proxy, as a damaged removal would.
func (f Faults) Lose(n ids.Node) {
	c := f.c
	c.remove(&c.held.handles[c.held.byNode[n].handle], c.held.newest, false)
}

// Haunt gives a proxy a node n with the layout of another, which the authority has not
// sent, as a damaged arrival would.
func (f Faults) Haunt(like, n ids.Node, handle uint32) {
	c := f.c
	l := c.held.byNode[like].layout
	c.dec.stage.reset(c.held.newest)
	for range l.Rows {
		c.dec.stage.whole = append(c.dec.stage.whole, stagedRow{at: -1})
	}
	c.arrive(&stagedNode{r: &Replica{proxy: c, layout: l, Items: l.Types, ID: n, handle: handle, gen: 7, parent: wire.NoHandle, born: c.held.newest, ownershipTick: c.held.newest}})
}

// Give changes a node's owner at a proxy.
func (f Faults) Give(n ids.Node, to ids.Peer) { f.c.held.byNode[n].Owner = to }

// Uproot removes a node's parent at a proxy.
func (f Faults) Uproot(n ids.Node) {
	c := f.c
	r := c.held.byNode[n]
	r.parent = wire.NoHandle
	r.hang(nil)
}

// Mistake gives a proxy's node the id of another.
func (f Faults) Mistake(n, other ids.Node) {
	c := f.c
	r := c.held.byNode[n]
	delete(c.held.byNode, n)
	r.ID, c.held.byNode[other] = other, r
}

// Hasten moves a proxy's newest tick ahead, as a damaged packet would.
func (f Faults) Hasten(by ids.Tick) {
	c := f.c
	c.held.newest += by
	for _, l := range c.held.layouts {
		l.Since += by
	}
}

// Misdate makes a proxy's record of packets that it has received older by some ticks.
func (f Faults) Misdate(by ids.Tick) {
	c := f.c
	for i := range c.in.history.ticks {
		c.in.history.ticks[i] -= by
	}
}

// Dress gives a proxy's node the items of another node, as a damaged arrival would.
func (f Faults) Dress(n, as ids.Node) {
	c := f.c
	r, l := c.held.byNode[n], c.held.byNode[as].layout
	c.dec.stage.reset(c.held.newest)
	for _, t := range l.Rows {
		row := stagedRow{row: uint32(t.Index), vars: c.dec.stage.newVars(t)}
		row.at, _ = c.dec.stage.room(t.Width)
		c.dec.stage.whole = append(c.dec.stage.whole, row)
	}
	other := *r
	other.layout, other.Items, other.born, other.ownershipTick = l, l.Types, c.held.newest, c.held.newest
	r.born--
	c.arrive(&stagedNode{r: &other})
}
