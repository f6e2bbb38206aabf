package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Corrupt adds 1 to a word of an item in every version that a proxy has, as a fault
// would.
func (c *Proxy) Corrupt(n ids.Node, ordinal, word int) {
	run := c.byNode[n].rows
	for i := run.first; i < run.first+uint32(run.n); i++ {
		if row := &c.rows.rows[i]; c.rows.owners[i].ordinal == ordinal {
			for slot := range row.size {
				c.rows.version(row, slot)[1+word]++
			}
		}
	}
}

// ForgeGuess encodes a datagram of tick t with one guess, for a generation of handle 0
// that no node has.
func (c *Proxy) ForgeGuess(t ids.Tick) []byte {
	var e prefix.Encoder
	m := &c.Defaults.Entry
	e.Reset(nil)
	e.PutBits(0, 2)
	e.Put(m.Form.Sym(coder.FormFull | coder.FormGuesses))
	e.PutBits(uint32(t), 32)
	e.Put(m.Gap.Sym(coder.GapEnd), coder.Unsigned(&m.Far, 1))
	e.PutBits(7, 8)
	return e.Finish()
}

// HeardBase returns the newest packet of which the proxy knows that the authority knows
// it as applied.
func (c *Proxy) HeardBase() uint64 { return c.heard.base }

// Lose removes a node from a proxy, as a damaged removal would.
func (c *Proxy) Lose(n ids.Node) {
	c.remove(&c.entries[c.byNode[n].handle], c.newest, false)
}

// Haunt gives a proxy a node n with the layout of another, which the authority has not
// sent, as a damaged arrival would.
func (c *Proxy) Haunt(like, n ids.Node, handle uint32) {
	l := c.byNode[like].layout
	c.stage.reset(c.newest)
	for range l.Rows {
		c.stage.whole = append(c.stage.whole, stagedRow{at: -1})
	}
	c.arrive(&stagedNode{r: &Replica{proxy: c, layout: l, Items: l.Types, ID: n, handle: handle, gen: 7, parent: wire.NoHandle, born: c.newest, meta: c.newest}})
}

// Give changes a node's owner at a proxy.
func (c *Proxy) Give(n ids.Node, to ids.Peer) { c.byNode[n].Owner = to }

// Uproot removes a node's parent at a proxy.
func (c *Proxy) Uproot(n ids.Node) {
	r := c.byNode[n]
	r.parent = wire.NoHandle
	r.hang(nil)
}

// Mistake gives a proxy's node the id of another.
func (c *Proxy) Mistake(n, other ids.Node) {
	r := c.byNode[n]
	delete(c.byNode, n)
	r.ID, c.byNode[other] = other, r
}

// Hasten moves a proxy's newest tick ahead, as a damaged packet would.
func (c *Proxy) Hasten(by ids.Tick) {
	c.newest += by
	for _, l := range c.layouts {
		l.Since += by
	}
}

// Misdate makes a proxy's record of packets that it has heard older by some ticks.
func (c *Proxy) Misdate(by ids.Tick) {
	for i := range c.heard.ticks {
		c.heard.ticks[i] -= by
	}
}

// Dress gives a proxy's node the items of another node, as a damaged arrival would.
func (c *Proxy) Dress(n, as ids.Node) {
	r, l := c.byNode[n], c.byNode[as].layout
	c.stage.reset(c.newest)
	for _, t := range l.Rows {
		row := stagedRow{row: uint32(t.Index), vars: c.stage.newVars(t)}
		row.at, _ = c.stage.room(t.Width)
		c.stage.whole = append(c.stage.whole, row)
	}
	other := *r
	other.layout, other.Items, other.born, other.meta = l, l.Types, c.newest, c.newest
	r.born--
	c.arrive(&stagedNode{r: &other})
}
