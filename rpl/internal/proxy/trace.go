package proxy

import (
	"encoding/json"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Tracing, for people who debug the stream: each packet that a proxy reads, as JSON
// lines: one line for the packet, then one for each thing that it says, as the proxy
// has understood it. A packet that cannot be read is one line with the reason.

// TraceLine is one line of a trace. Fields that do not apply are left out.
type TraceLine struct {
	Packet  uint64         `json:"packet,omitempty"` // the packet's number; only on the first line of a packet
	Tick    ids.Tick       `json:"tick,omitempty"`
	Bytes   int            `json:"bytes,omitempty"`
	Refused string         `json:"refused,omitempty"` // why it could not be read
	Skipped bool           `json:"skipped,omitempty"` // its speculative updates were skipped: they came before their arrivals
	What    string         `json:"what,omitempty"`    // arrival, update, forget, owner, removal, call
	Node    string         `json:"node,omitempty"`
	Handle  *uint32        `json:"handle,omitempty"`
	Prefab  string         `json:"prefab,omitempty"`
	Name    string         `json:"name,omitempty"`
	Item    string         `json:"item,omitempty"`
	Base    ids.Tick       `json:"base,omitempty"` // of an update that is not a keyframe
	Owner   *ids.Peer      `json:"owner,omitempty"`
	RPC     string         `json:"rpc,omitempty"`
	Props   map[string]any `json:"props,omitempty"` // in the props' units, by name
}

// Trace calls fn for every line of every packet that is read from now on: a JSON object
// without a newline. A nil fn ends the trace. Tracing is slow and allocates.
func (c *Proxy) Trace(fn func(line []byte)) { c.tracer = fn }

func (c *Proxy) traceLine(l TraceLine) {
	if b, err := json.Marshal(l); err == nil { // fails only for NaN, which no prop holds
		c.tracer(b)
	}
}

// tracePacket traces a packet: what the stage holds of it, or why it was refused.
func (c *Proxy) tracePacket(seq uint64, bytes int, err error) {
	if c.tracer == nil {
		return
	}
	st := &c.dec.stage
	if err != nil {
		c.traceLine(TraceLine{Packet: seq, Bytes: bytes, Refused: err.Error()})
		return
	}
	c.traceLine(TraceLine{Packet: seq, Tick: st.tick, Bytes: bytes, Skipped: st.skipped})
	for i := range st.arrivals {
		n := &st.arrivals[i]
		r := n.r
		l := TraceLine{What: "arrival", Node: r.ID.String(), Handle: &r.handle, Name: r.Name, Owner: &r.Owner}
		if r.Prefab != nil {
			l.Prefab = r.Prefab.Name
		}
		c.traceLine(l)
		for k, t := range r.layout.Rows {
			if u := &st.whole[n.rows+k]; u.at >= 0 {
				c.traceRow(TraceLine{What: "arrival", Node: l.Node}, t, u)
			}
		}
	}
	for _, i := range st.forgets {
		c.traceLine(TraceLine{What: "forget", Node: c.held.rows.owners[i].r.ID.String(), Item: c.held.types[c.held.rows.rows[i].typ].Item.Name})
	}
	for i := range st.ownership {
		m := &st.ownership[i]
		c.traceLine(TraceLine{What: "owner", Node: m.r.ID.String(), Owner: &m.owner})
	}
	for i := range st.updates {
		u := &st.updates[i]
		r := c.held.rows.owners[u.row].r
		c.traceRow(TraceLine{What: "update", Node: r.ID.String(), Handle: &r.handle, Base: u.base}, c.held.types[c.held.rows.rows[u.row].typ], u)
	}
	for i := range st.calls {
		c.traceLine(TraceLine{What: "call", Handle: &st.calls[i].Handle, RPC: st.calls[i].Rpc.Name})
	}
	for i := range st.removals {
		c.traceLine(TraceLine{What: "removal", Handle: &st.removals[i].handle})
	}
}

func (c *Proxy) traceRow(l TraceLine, t *rowtype.Type, u *stagedRow) {
	l.Item, l.Props = t.Item.Name, map[string]any{}
	wire.NameValues(t, l.Props, c.dec.stage.wordsOf(u, t), c.dec.stage.varsOf(u))
	c.traceLine(l)
}
