package rpl

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// A Proxy is the core of a client: it holds the nodes that the authority shows
// it. It starts nothing and reads no clock; all methods are for one goroutine.
//
// A tick: Receive and ReceiveMessage for what came, Apply, the game, Send.
type Proxy struct {
	cfg  ProxyConfig
	me   Peer
	tick Tick // the local step, stamped on calls
	holdings
	incoming
	decoding
	mending
	outgoing

	events   events    // that Apply tells
	local    callQueue // calls that run here
	counters ProxyCounters
	tracer   func([]byte)
}

// holdings are the nodes that are here (commit.go, tell.go, replica.go).
type holdings struct {
	types   []*rowType
	typesOf [][]*rowType
	layouts map[uint32]*nodeLayout

	entries  []proxyEntry
	runs     []rowRun // of the entries' nodes
	rows     replicaRows
	byNode   map[Node]*Replica
	writs    map[*Replica][]writ // by ordinal, of those that refer to nodes from lists or maps
	orphans  []*Replica          // whose parents are not here, or not any more
	removed  []removal
	spent    []*Replica // whose rows nobody needs after this Apply
	outdated []rowRun   // rows of the same kind, of nodes that are here

	newest Tick
	moved  Tick // to which the adapter knows what drifts advanced

	scratch     []int32
	scratchVars []any
}

// incoming is what has come and is not applied yet.
type incoming struct {
	inbox   []inPacket
	inBytes []byte
	mail    [][]byte
	parts   []byte     // of a message of which more is to come
	held    []wireCall // for nodes that are not here yet
	applied uint32     // reliable messages
	heard   heard      // which packets were applied
}

// decoding is what a packet is read with (decode.go).
type decoding struct {
	models    [4]*model
	since     [4]uint64 // by model: packets before were coded with another of its number
	tables    uint8     // number of the newest learned one
	defaults  *model
	stage     stage
	pace      pace
	readingAt time.Duration // when the packet being read was received
}

// mending is what the authority is to be told of what went wrong (doubt.go,
// checksum.go, resync.go).
type mending struct {
	skipped []uint64 // packets whose guesses came before their arrivals
	doubts  []doubt
	astray  astray
	toCheck []check
}

// outgoing is what is sent, and when (proxysend.go).
type outgoing struct {
	mustAck  bool
	lastSent time.Duration
	calls    [][]byte // unreliable, to be sent
	reliable [][]byte // messages that wait for the lane
	rtt      peerLink // for its smoothing alone
	sentAt   [recordLen]seqTime
	enc      prefix.Encoder
	buf      []byte
	tmp      []prefix.Sym
}

type proxyEntry struct {
	rep     *Replica
	last    *Replica // the tenant before, for late packets
	removed Tick     // of the newest removal: no older arrival is honoured
	gen     uint8    // of rep, or of the last tenant removed

	mended time.Duration // when rep was last asked for anew because a checksum differed
}

type seqTime struct {
	seq uint64
	at  time.Duration
}

type inPacket struct {
	seq      uint64
	at       time.Duration
	from, to int
}

// removal is one that waits for its fence.
type removal struct {
	handle    uint32
	gen       uint8
	destroyed bool
	fenced    bool
	fence     uint32
	tick      Tick
	since     time.Duration
}

// ProxyCounters tell what a proxy core has received, since it began.
type ProxyCounters struct {
	Packets      uint64 // applied
	Refused      uint64 // that could not be read
	Records      uint64 // updates of rows applied
	Arrivals     uint64
	Removals     uint64
	CallsIn      uint64
	CallsDropped uint64
	Checks       uint64 // versions compared with the authority's
	Mismatches   uint64 // of them, different
	Resyncs      uint64 // times that all was asked for anew
	Skipped      uint64 // packets whose guesses came before their arrivals
}

// ProxyHandler is told by Apply what has happened, in this order: all Arrived,
// parents first; then Loaded; then of what has changed ItemRemoved and ItemAdded by
// node, Owned and Parented by node, Changed, Advanced; then Run for the calls in the
// order of their lanes; then Gone. Only a proxy that was fooled (rule 11) may be told
// that a node has Arrived anew before the one that it took for it is Gone.
type ProxyHandler interface {
	Arrived(r *Replica) // build it; its state is there and may be injected
	Loaded(r *Replica)
	ItemAdded(r *Replica, ordinal int)
	ItemRemoved(r *Replica, ordinal int, t *ItemType)
	Owned(r *Replica, old Peer)
	Parented(r *Replica, old Node)            // also where the parent has gone, and comes again
	Changed(r *Replica, ordinal int, t Tick)  // state was received: once an item and Apply
	Advanced(r *Replica, ordinal int, t Tick) // state moves on by itself, maybe by less than a step
	Run(c Call)
	Gone(r *Replica, t Tick, destroyed bool)
}

// NewProxy makes the core of a client. me is what the authority calls it.
func NewProxy(c ProxyConfig, me Peer) (*Proxy, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	p := &Proxy{cfg: c, me: me}
	p.byNode, p.layouts = make(map[Node]*Replica), make(map[uint32]*nodeLayout)
	p.stage.words = make([]int32, 0, 2048)
	p.toCheck, p.buf = make([]check, 0, maxChecks), make([]byte, 0, PacketRoom+16)
	p.stage.updates = make([]stagedRow, 0, 256)
	p.events.changed = make([]uint32, 0, 256)
	k := c.Schema.coding()
	p.types, p.typesOf, p.defaults, p.models[0] = k.types, k.byItem, k.defaults, k.defaults
	p.rows = newReplicaRows(p.types)
	for _, t := range c.Schema.Items() {
		p.scratch = append(p.scratch, make([]int32, max(0, len(t.Words)-len(p.scratch)))...)
		p.scratchVars = append(p.scratchVars, make([]any, max(0, len(t.Vars)-len(p.scratchVars)))...)
	}
	return p, nil
}

// Receive takes a datagram of the authority: it is applied by the next Apply.
// at is when the socket had it.
func (c *Proxy) Receive(seq uint64, at time.Duration, b []byte) {
	from := len(c.inBytes)
	c.inBytes = append(c.inBytes, b...)
	c.inbox = append(c.inbox, inPacket{seq, at, from, len(c.inBytes)})
}

// ReceiveMessage takes a message of the reliable lane.
func (c *Proxy) ReceiveMessage(b []byte) {
	c.mail = append(c.mail, append([]byte(nil), b...))
}

// Step names the local tick, which calls carry. What it names before the first Apply is
// what the authority's is taken to be then: packets far ahead of that, and of the time
// since, are refused until one was applied.
func (c *Proxy) Step(t Tick) { c.tick = t }

// Newest is the newest tick of the authority that was received.
func (c *Proxy) Newest() Tick { return c.newest }

// Me is what the authority calls this peer.
func (c *Proxy) Me() Peer { return c.me }

// Replica is a node held here.
func (c *Proxy) Replica(n Node) (*Replica, bool) {
	r, ok := c.byNode[n]
	return r, ok
}

// Replicas are the nodes held here, by handle.
func (c *Proxy) Replicas(yield func(*Replica) bool) {
	for i := range c.entries {
		if r := c.entries[i].rep; r != nil && !yield(r) {
			return
		}
	}
}

// Counters are the core's counts since it began.
func (c *Proxy) Counters() ProxyCounters { return c.counters }

// RTT and Jitter are of the datagrams, 0 until measured.
func (c *Proxy) RTT() (rtt, jitter time.Duration) { return c.rtt.rtt, c.rtt.jitter }

// Apply applies all that was received since the last one: packets in the order
// of their numbers, then reliable messages, then removals; and only then tells
// h.
func (c *Proxy) Apply(now time.Duration, h ProxyHandler) {
	c.beginPace(now)
	slices.SortFunc(c.inbox, func(a, b inPacket) int {
		switch {
		case a.seq < b.seq:
			return -1
		case a.seq > b.seq:
			return 1
		}
		return 0
	})
	for _, in := range c.inbox {
		if c.heard.stale(in.seq) {
			continue
		}
		c.readingAt = in.at
		err := c.packet(in.seq, c.inBytes[in.from:in.to])
		c.tracePacket(in.seq, in.to-in.from, err)
		if err != nil {
			c.counters.Refused++
			c.cfg.Log.Debug("packet refused", "seq", in.seq, "err", err)
			c.unread(err)
			continue
		}
		c.counters.Packets++
		c.read()
		c.mustAck = true
	}
	c.inbox, c.inBytes = c.inbox[:0], c.inBytes[:0]
	for _, m := range c.mail {
		m, err := c.joined(m)
		if err != nil {
			c.counters.Refused++
		}
		if m == nil {
			continue
		}
		c.applied++
		c.message(m)
		c.mustAck = true // blocks and fences wait for the count
	}
	c.mail = c.mail[:0]
	c.removals(now)
	c.tell(h)
	c.release()
}

// removals carries out those whose fences are reached.
func (c *Proxy) removals(now time.Duration) {
	kept := c.removed[:0]
	for _, r := range c.removed {
		e := c.entry(r.handle)
		if r.since == 0 {
			r.since = max(now, 1)
		}
		switch {
		case e.rep != nil && (e.gen != r.gen || r.tick < e.rep.born), e.rep == nil && r.tick <= e.removed:
			continue // late: of a tenant before, maybe of one that had the same gen
		case e.rep == nil:
			e.gen, e.removed = r.gen, r.tick
		case r.fenced && int16(uint16(r.fence)-uint16(c.applied)) > 0 && now-r.since < fenceAge:
			kept = append(kept, r)
			continue
		default:
			c.remove(e, r.tick, r.destroyed)
		}
		c.dropHeld(r.handle, r.gen)
	}
	c.removed = kept
}

// entry is that of a handle.
func (c *Proxy) entry(h uint32) *proxyEntry {
	for h >= uint32(len(c.entries)) {
		c.entries, c.runs = append(c.entries, proxyEntry{}), append(c.runs, rowRun{})
	}
	return &c.entries[h]
}

func (c *Proxy) remove(e *proxyEntry, t Tick, destroyed bool) {
	r := e.rep
	r.gone, r.until = true, t
	c.runs[r.handle] = rowRun{}
	delete(c.byNode, r.ID)
	c.rows.retire(r.rows, replicaGone)
	c.rows.retire(r.old, replicaGone)
	if e.last != nil {
		c.spent = append(c.spent, e.last)
	}
	e.rep, e.last, e.removed = nil, r, max(e.removed, t)
	c.counters.Removals++
	c.events.gone = append(c.events.gone, goneEvent{r, t, destroyed})
}

// release gives back the rows that no packet can mean any more, once the adapter
// has been told of them.
func (c *Proxy) release() {
	for _, r := range c.spent {
		c.rows.remove(r.rows)
		c.rows.remove(r.old)
		r.rows, r.old = rowRun{}, rowRun{}
	}
	for _, run := range c.outdated {
		c.rows.remove(run)
	}
	clear(c.spent)
	c.spent, c.outdated = c.spent[:0], c.outdated[:0]
}

// Call calls an RPC on a node from this machine, routed by its target: on what
// this peer does not own only a Broadcast runs, here, and what anyone may call.
// A call Everywhere goes to the authority; the adapters run it here, and hand
// it on there.
func (c *Proxy) Call(n Node, rpc *RPCType, args []byte) error {
	if err := checkArgs(rpc, args); err != nil {
		return err
	}
	r := c.byNode[n]
	if r == nil {
		c.counters.CallsDropped++
		return fmt.Errorf("rpl: RPC %s on %v: %w", rpc.Name, n, ErrNoNode)
	}
	owns := r.Owner != 0 && r.Owner == c.me
	switch {
	case rpc.To == Broadcast, rpc.To == ToOwner && owns:
		c.local.add(Call{Node: n, From: c.me, Tick: c.tick, RPC: rpc}, args)
	case (rpc.To == ToServer || rpc.To == Everywhere) && (owns || rpc.FromAnyone):
		if rpc.Lane == Reliable {
			if len(c.reliable) >= maxCalls {
				return fmt.Errorf("rpl: RPC %s: %d calls wait already: %w", rpc.Name, maxCalls, ErrLimit)
			}
			c.reliable = append(c.reliable, appendCall([]byte{msgCall}, r.handle, r.gen, rpc, c.tick, args))
		} else if len(c.calls) < maxCalls {
			c.calls = append(c.calls, appendCall(nil, r.handle, r.gen, rpc, c.tick, args))
		} else {
			c.counters.CallsDropped++
		}
	default:
		c.counters.CallsDropped++
	}
	return nil
}

// Due runs the calls that ended on this machine, at the start of Send.
func (c *Proxy) Due(run func(Call)) { c.local.run(run) }
