package proxy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Proxy is the core of a client: it holds the nodes that the authority shows
// it. It starts no goroutine and reads no clock; call its methods from one goroutine.
//
// A tick: Receive and ReceiveMessage for what has arrived, Step, Apply, the game, Send.
//
// This file has the state of a proxy and its entry points. decode.go reads packets,
// commit.go applies them, report.go reports to the adapter, proxysend.go sends.
type Proxy struct {
	cfg  ProxyConfig
	me   ids.Peer
	tick ids.Tick // the local step, stamped on calls
	held holdings
	in   incoming
	dec  decoding
	mend mending
	out  outgoing

	events   events         // what Apply is to report
	local    wire.CallQueue // calls that were routed to this machine
	counters ProxyCounters
	tracer   func([]byte)
}

// holdings is what the proxy holds of nodes (commit.go, report.go, replica.go).
type holdings struct {
	types   []*rowtype.Type
	typesOf [][]*rowtype.Type
	layouts map[uint32]*wire.NodeLayout

	handles  []handleState
	runs     []rowRun // of the entries' nodes, by handle
	rows     replicaRows
	byNode   map[ids.Node]*Replica
	writs    map[*Replica][]writ // by ordinal; only of items with references in lists or maps (recall.go)
	orphans  []*Replica          // whose parents have not arrived, or have gone
	removed  []removal
	spent    []*Replica // gone; their rows are freed after this Apply
	outdated []rowRun   // rows to free after this Apply, of nodes that are still here

	newest   ids.Tick
	newestAt time.Duration // when it was received
	advanced ids.Tick      // up to which moving rows were reported to the adapter rows

	scratch     []int32
	scratchVars []any
}

// incoming is what was received and waits to be applied, and what was applied so far.
type incoming struct {
	inbox   []inPacket
	inBytes []byte
	mail    [][]byte
	parts   []byte          // the parts so far of an incomplete message (fragment.go)
	held    []wire.WireCall // reliable calls for nodes that have not arrived yet
	applied uint32          // count of reliable messages applied
	history receivedHistory // which packets were applied
	named   wire.SentRing   // which handles the newest of them told of
	latest  wire.Latest     // of the unreliable calls

	complete completeness // for what this peer predicts
}

// decoding is the state that reading a packet needs (decode.go).
type decoding struct {
	models    [4]*coder.Model
	since     [4]uint64 // by table number: the first packet that may use the tables now there
	tables    uint8     // number of the newest learned tables
	defaults  *coder.Model
	stage     stage
	estimate  tickEstimate
	reading   uint64        // the number of the packet being read
	readingAt time.Duration // when the packet being read was received
	base      uint64        // the number of its base packet, 0 without
	named     wire.SentSet  // the handles that its updates are about
	timely    bool          // it has a whole tick, and no newer packet was applied
	parts     bool          // it says at its end how complete it is …
	together  uint32        // … together with those before it, so many in all; 1 where it says nothing
	lines     lineWindow
	seconds   rowtype.Second // the version from which the lines of the record being read start
}

// mending is what the proxy must report to the authority because something went
// wrong (keyframerequest.go, checksum.go, resync.go).
type mending struct {
	skipped  []uint64 // packets whose speculative updates were skipped (readSpeculative)
	requests []keyframeRequest
	desync   desync
	toCheck  []wire.Check
}

// outgoing is what is sent, and when (proxysend.go).
type outgoing struct {
	mustAck  bool
	lastSent time.Duration
	calls    [][]byte      // unreliable, to be sent
	spares   wire.Spares   // of calls
	reliable [][]byte      // calls that wait for the lane
	trip     wire.Estimate // of the round trip …
	rough    bool          // … of which no good sample has come
	sentAt   [wire.RecordLen]seqTime
	enc      prefix.Encoder
	buf      []byte
	tmp      []prefix.Sym
}

// A handleState is what the proxy keeps of one handle.
type handleState struct {
	rep     *Replica
	last    *Replica // the previous tenant, for late packets
	removed ids.Tick // of the newest removal: no arrival up to it is honoured
	sure    uint64   // the packet that the authority names as a base at the earliest when it knows of the arrival
	again   uint64   // the same of its newest arrival, until which nothing else is told of it
	gen     uint8    // generation of rep, or of the last tenant removed

	mended time.Duration // when rep was last asked for again because a checksum differed
}

// A seqTime is when a packet was sent.
type seqTime struct {
	seq uint64
	at  time.Duration
}

// An inPacket is a datagram that waits for Apply; its bytes are in incoming.inBytes.
type inPacket struct {
	seq      uint64
	at       time.Duration
	from, to int
}

// A removal was received and is carried out at the end of Apply. A fenced one waits
// until the reliable message of the number fence has been applied (protocol rule 3).
type removal struct {
	handle    uint32
	gen       uint8
	destroyed bool
	fenced    bool
	reason    uint8
	fence     uint32
	tick      ids.Tick
	since     time.Duration
}

// ProxyCounters count what a proxy core has received since it began.
type ProxyCounters struct {
	Packets        uint64 // packets applied
	Refused        uint64 // packets and messages that could not be read
	Overtaken      uint64 // packets that came after newer ones, and build on what was dropped because of those, or on a node's former items: nothing is wrong
	Records        uint64 // row updates applied
	Arrivals       uint64
	Removals       uint64
	CallsIn        uint64
	CallsDropped   uint64
	CallsNoRoom    uint64 // of CallsDropped: unreliable calls of this machine beyond 256 in a send
	NoRoomRPC      string // the RPC that was last among CallsNoRoom
	CallsOvertaken uint64 // unreliable calls that came after a newer one of the same RPC and caller on the same node
	Checks         uint64 // versions compared with the authority's
	Mismatches     uint64 // … that differed
	Resyncs        uint64 // times that the proxy asked for everything again
	Skipped        uint64 // packets whose speculative updates were skipped: they came before their arrivals
	Waiting        int    // bytes of reliable calls that leave with the next Send; no count
}

// ProxyHandler is how Apply reports what has happened. The order is: Reparenting
// for the nodes whose Parented comes; Arrived for all new nodes, parents first; then Loaded for each of them; then the changes: ItemRemoved
// and ItemAdded by node, Owned and Parented by node, Changed, Advanced; then Run for the
// calls, each lane in its order; then Gone. A node may be reported as Arrived again before
// its old replica is Gone, but only where a damaged packet had misled the proxy (protocol
// rule 11).
type ProxyHandler interface {
	Reparenting(r *Replica) // another parent has come; the adapter's tree is as before this Apply
	Arrived(r *Replica)     // build the entity; the node's state is here and may be injected
	Loaded(r *Replica)
	ItemAdded(r *Replica, ordinal int)
	ItemRemoved(r *Replica, ordinal int, t *schema.ItemType)
	Owned(r *Replica, old ids.Peer)
	Parented(r *Replica, old ids.Node)            // also when a parent that had gone comes back
	Changed(r *Replica, ordinal int, t ids.Tick)  // state was received; once per item and Apply
	Advanced(r *Replica, ordinal int, t ids.Tick) // state moved on by prediction, maybe by less than a step
	Run(c wire.Call)
	Gone(r *Replica, t ids.Tick, destroyed bool) // its end was at tick t, and Words show what it was then
}

// NewProxy makes the core of a client. me is the client's number, given by the authority.
func NewProxy(c ProxyConfig, me ids.Peer) (*Proxy, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	p := &Proxy{cfg: c, me: me}
	if c.Former != nil {
		p.out.trip, p.out.rough, p.cfg.Former = c.Former.out.trip, c.Former.out.rough, nil
	}
	p.held.byNode, p.held.layouts = make(map[ids.Node]*Replica), make(map[uint32]*wire.NodeLayout)
	p.dec.stage.words = make([]int32, 0, 2048)
	p.mend.toCheck, p.out.buf = make([]wire.Check, 0, wire.MaxChecks), make([]byte, 0, wire.PacketRoom+16)
	p.dec.stage.updates = make([]stagedRow, 0, 256)
	p.events.changed = make([]uint32, 0, 256)
	k := coder.CodingOf(c.Schema)
	p.held.types, p.held.typesOf, p.dec.defaults, p.dec.models[0] = k.Types, k.ByItem, k.Defaults, k.Defaults
	p.held.rows = newReplicaRows(p.held.types)
	p.held.rows.reckons = rowtype.NewReckoning(c.Reckoner, c.Schema, c.Hz)
	for _, t := range c.Schema.Items() {
		p.held.scratch = append(p.held.scratch, make([]int32, max(0, len(t.Words)-len(p.held.scratch)))...)
		p.held.scratchVars = append(p.held.scratchVars, make([]any, max(0, len(t.Vars)-len(p.held.scratchVars)))...)
	}
	return p, nil
}

// Receive takes a datagram from the authority, for the next Apply to apply. seq is its
// packet number, at the time at which the socket received it.
func (c *Proxy) Receive(seq uint64, at time.Duration, b []byte) {
	from := len(c.in.inBytes)
	c.in.inBytes = append(c.in.inBytes, b...)
	c.in.inbox = append(c.in.inbox, inPacket{seq, at, from, len(c.in.inBytes)})
}

// ReceiveMessage takes a message of the reliable lane, for the next Apply.
func (c *Proxy) ReceiveMessage(b []byte) {
	c.in.mail = append(c.in.mail, append([]byte(nil), b...))
}

// Step sets the local tick, which is stamped on calls. The tick set before the first
// Apply is also the proxy's first estimate of the authority's tick: until a packet has
// been applied, packets far ahead of it, and of the time since, are refused.
func (c *Proxy) Step(t ids.Tick) { c.tick = t }

// Newest is the newest tick of the authority in what has been applied.
func (c *Proxy) Newest() ids.Tick { return c.held.newest }

// NewestAt is when Newest was received, by the time given to Receive. Of packets of the same tick the
// first counts: while a peer is silent it is sent one tick again and again.
func (c *Proxy) NewestAt() time.Duration { return c.held.newestAt }

// Complete is the newest tick of which this peer has all that the authority had to say of the
// nodes that the peer owns, if it predicts them: what did not come of them is as it was. Where
// it is Newest, their state here is that of that tick, for certain. Of packets with ticks after since
// none is missing: what the authority has made in these, up to tick, for this peer to own is here.
func (c *Proxy) Complete() (tick, since ids.Tick) { return c.in.complete.tick, c.in.complete.since }

// Acked is the tick of the newest packet of which this peer knows that the authority knows it to have
// come: what was lost before it has been sent again, by the packet that says so at the latest. It is 0 if
// there is none of late.
func (c *Proxy) Acked() ids.Tick {
	if h := &c.in.history; h.base > 0 && h.has(h.base) {
		return h.tick(h.base)
	}
	return 0
}

// Replica finds a node that is held here.
func (c *Proxy) Replica(n ids.Node) (*Replica, bool) {
	r, ok := c.held.byNode[n]
	return r, ok
}

// Replicas iterates over the nodes held here, in the order of their handles.
func (c *Proxy) Replicas(yield func(*Replica) bool) {
	for i := range c.held.handles {
		if r := c.held.handles[i].rep; r != nil && !yield(r) {
			return
		}
	}
}

// RTT is the round trip of datagrams and its jitter, 0 until measured.
func (c *Proxy) RTT() (rtt, jitter time.Duration) { return c.out.trip.Time(), c.out.trip.Spread() }

// Apply applies all that was received since the last Apply: packets in the order
// of their numbers, then reliable messages, then removals. Only then does it report to
// h. now is on the same clock as the times given to Receive. If h has panicked and was
// recovered, the next Apply reports the rest first.
func (c *Proxy) Apply(now time.Duration, h ProxyHandler) {
	if c.events.progress.begun {
		c.report(h)
		c.held.release()
	}
	c.beginEstimate(now)
	c.readInbox()
	c.dec.readingAt = now
	c.readMail()
	c.removals(now)
	c.noteCertain()
	c.report(h)
	c.held.release()
}

// readInbox reads and applies the packets received, in the order of their numbers.
func (c *Proxy) readInbox() {
	slices.SortFunc(c.in.inbox, func(a, b inPacket) int { return cmp.Compare(a.seq, b.seq) })
	for _, in := range c.in.inbox {
		if c.in.history.stale(in.seq) {
			continue
		}
		c.dec.reading, c.dec.readingAt = in.seq, in.at
		err := c.packet(in.seq, c.in.inBytes[in.from:in.to])
		c.tracePacket(in.seq, in.to-in.from, err)
		if err != nil {
			c.refuse(in.seq, err)
			continue
		}
		c.counters.Packets++
		c.mend.read()
		c.out.mustAck = true
	}
	c.in.inbox, c.in.inBytes = c.in.inbox[:0], c.in.inBytes[:0]
}

// readMail reads and applies the reliable messages received.
func (c *Proxy) readMail() {
	for _, m := range c.in.mail {
		m, err := c.in.joined(m)
		if err != nil {
			c.counters.Refused++
		}
		if m == nil {
			continue
		}
		c.in.applied++
		c.message(m)
		c.out.mustAck = true // blocks and fences wait for the count of applied messages
	}
	c.in.mail = c.in.mail[:0]
}

// removals carries out the removals that need not wait for a fence any more.
func (c *Proxy) removals(now time.Duration) {
	kept := c.held.removed[:0]
	for _, r := range c.held.removed {
		e := c.held.state(r.handle)
		if r.since == 0 {
			r.since = max(now, 1)
		}
		switch {
		case e.rep != nil && (e.gen != r.gen || r.tick < e.rep.born), e.rep == nil && r.tick <= e.removed:
			continue // late: about an earlier tenant, which may have had the same gen
		case e.rep == nil:
			e.gen, e.removed = r.gen, r.tick
		case r.fenced && int16(uint16(r.fence)-uint16(c.in.applied)) > 0 && now-r.since < wire.FenceAge:
			kept = append(kept, r)
			continue
		default:
			e.rep.Reason = r.reason
			c.remove(e, r.tick, r.destroyed)
		}
		c.dropHeld(r.handle, r.gen)
	}
	c.held.removed = kept
}

// state is what is held of a handle, made where there is none yet.
func (of *holdings) state(h uint32) *handleState {
	for h >= uint32(len(of.handles)) {
		of.handles, of.runs = append(of.handles, handleState{}), append(of.runs, rowRun{})
	}
	return &of.handles[h]
}

// remove takes a node away as of a tick. Its replica is kept as the handle's last tenant, for
// packets that are late.
func (c *Proxy) remove(e *handleState, t ids.Tick, destroyed bool) {
	r := e.rep
	r.gone, r.until = true, t
	c.held.runs[r.handle] = rowRun{}
	delete(c.held.byNode, r.ID)
	c.held.rows.retire(r.rows, replicaGone)
	c.held.rows.retire(r.old, replicaGone)
	if e.last != nil {
		c.held.spent = append(c.held.spent, e.last)
	}
	e.rep, e.last, e.removed = nil, r, max(e.removed, t)
	c.counters.Removals++
	c.events.gone = append(c.events.gone, goneEvent{r, t, destroyed})
}

// release frees the rows that no packet can refer to any more. Apply calls it after
// its report, which may still have read them.
func (h *holdings) release() {
	for _, r := range h.spent {
		h.rows.remove(r.rows)
		h.rows.remove(r.old)
		r.rows, r.old = rowRun{}, rowRun{}
	}
	for _, run := range h.outdated {
		h.rows.remove(run)
	}
	clear(h.spent)
	h.spent, h.outdated = h.spent[:0], h.outdated[:0]
}

// Call calls an RPC on a node from this machine, routed by the RPC's Target. If this
// peer does not own the node, only a Broadcast, which then runs here, and an RPC that
// anyone may call have an effect; other calls are dropped and counted. An Everywhere
// call is sent to the authority; running it here, and handing it on there, is up to the
// adapters.
func (c *Proxy) Call(n ids.Node, rpc *schema.RPCType, args []byte) error {
	c.cfg.Schema.OwnRPC(rpc)
	if err := wire.CheckArgs(rpc, args); err != nil {
		return err
	}
	r := c.held.byNode[n]
	if r == nil {
		c.counters.CallsDropped++
		return fmt.Errorf("rpl: RPC %s on %v: %w", rpc.Name, n, ids.ErrNoNode)
	}
	owns := r.Owner != 0 && r.Owner == c.me
	switch {
	case rpc.To == ids.Broadcast, rpc.To == ids.ToOwner && owns:
		c.local.Add(wire.Call{Node: n, From: c.me, Tick: c.tick, RPC: rpc}, args)
	case (rpc.To == ids.ToServer || rpc.To == ids.Everywhere) && (owns || rpc.FromAnyone):
		if rpc.Lane == ids.Reliable {
			if len(c.out.reliable) >= wire.MaxCalls {
				return fmt.Errorf("rpl: RPC %s: %d calls wait for the next send: %w; call less often, or say more in one call", rpc.Name, wire.MaxCalls, ids.ErrLimit)
			}
			c.out.reliable = append(c.out.reliable, wire.AppendCall([]byte{wire.MsgCall}, r.handle, r.gen, rpc, c.tick, args))
		} else if len(c.out.calls) < wire.MaxCalls {
			c.out.calls = append(c.out.calls, wire.AppendCall(c.out.spares.Take(), r.handle, r.gen, rpc, c.tick, args))
		} else {
			c.counters.CallsDropped++
			c.counters.CallsNoRoom++
			c.counters.NoRoomRPC = rpc.Name
		}
	default:
		c.counters.CallsDropped++
	}
	return nil
}

// Due runs the queued calls that were routed to this machine; call it at the start of
// Send.
func (c *Proxy) Due(run func(wire.Call)) { c.local.Run(run) }
