package rpl

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Checksums (protocol rule 30) prove, at a few bytes a second, that both ends have the
// same state. A row's checksum is of a version that the peer has acked, never of a
// tick: the proxy hashes what it stored as that version. If the proxy no longer has the
// version it says nothing; if the checksum differs it refuses the row and is sent a
// keyframe. Rows that the peer may not see are not hashed. After a node's rows the node
// itself is checked as row 255: its Node, layout, owner, parent, name and arguments, if
// the peer is known to have the newest of them.
//
//	in a packet's header: check? [handle, row, age of the version in ticks, hash 16] …
//
// `once` props are left out, because deltas do not contain them.

// check is one checksum as it is sent.
type check struct {
	handle uint32
	row    uint32
	age    uint32
	hash   uint16
	gen    uint8 // of the handle; not sent
	asked  bool  // by Check or CheckAll, so it is repeated if it is lost; not sent
}

const (
	// checkEvery is how often one row or one node of a peer is checked by default.
	checkEvery = 500 * time.Millisecond

	// maxChecks is the checksums of one send, some 80 bytes; checkBits is the bits of
	// budget that each takes.
	maxChecks = 8
	checkBits = 80

	// mendEvery is the shortest time between two repairs of a node for checksums that
	// differ, so that a recurring fault does not fill the link.
	mendEvery = 3 * time.Second
)

// Check has a node compared at all peers that hold it, from the next send on. What a
// lost packet was to compare is compared again.
func (a *Authority) Check(n Node) {
	slot, ok := a.slot(n)
	if !ok {
		return
	}
	for _, h := range a.nodes[slot].holders {
		if h.handle != noHandle {
			p := a.peers[h.peer]
			p.check(h.handle)
		}
	}
}

// CheckAll has all nodes compared at all peers, a few rows in each send.
func (a *Authority) CheckAll() {
	for _, p := range a.peers {
		if p == nil {
			continue
		}
		for h := range p.entries {
			if p.entries[h].state == entryIn {
				p.check(uint32(h))
			}
		}
	}
}

// checks is what is to be compared at one peer.
type checks struct {
	asked []uint32 // handles that Check or CheckAll asked for, each once
	row   uint32   // the next row of asked[0]
	turn  checkAt  // what to check next when nothing was asked for
	after checkAt  // what turn becomes once the planned checks have left
	plan  []check
}

// checkAt is a row of a peer's handle, from which on a check is looked for.
type checkAt struct{ handle, row uint32 }

// check has a handle's rows and node compared.
func (p *peer) check(h uint32) {
	if !slices.Contains(p.checks.asked, h) {
		p.checks.asked, p.busy = append(p.checks.asked, h), true
	}
}

// planChecks chooses the rows that this send's first packet checks, from those that
// were asked for.
func (a *Authority) planChecks(p *peer) {
	c := &p.checks
	if len(c.asked) == 0 {
		return
	}
	c.plan = c.plan[:0]
	c.after = c.turn
	for len(c.asked) > 0 && len(c.plan) < maxChecks {
		if !a.planCheck(p, c.asked[0], &c.row) {
			c.asked, c.row = c.asked[1:], 0
			continue
		}
		c.plan[len(c.plan)-1].asked = true
	}
	if len(c.plan) > 0 {
		p.plan.probe = true // a packet of its own if there is no other
		p.purse.left -= float64(len(c.plan) * checkBits)
	}
}

// planTurn plans a check of the row whose turn it is, if none was asked for. It plans
// none for a send without a packet, because a checksum must code variable-length
// values.
func (a *Authority) planTurn(p *peer, now time.Duration) {
	if a.cfg.CheckEvery < 0 || now-p.checked < a.cfg.CheckEvery || !a.sends(p, now) {
		return
	}
	c := &p.checks
	if len(c.asked)+len(c.plan) > 0 {
		return
	}
	c.after = c.turn
	for range min(len(p.entries), 64) { // skipping what has nothing to check
		if int(c.after.handle) >= len(p.entries) {
			c.after = checkAt{}
		}
		if a.planCheck(p, c.after.handle, &c.after.row) {
			return
		}
		c.after = checkAt{handle: c.after.handle + 1}
	}
	c.turn = c.after
}

// planCheck plans a check of a handle's next row from *row on, and after its rows of
// the node itself. It returns false when nothing of the handle is left.
func (a *Authority) planCheck(p *peer, h uint32, row *uint32) bool {
	e := &p.entries[h]
	slot, ok := a.slot(e.node)
	if !ok || e.state != entryIn {
		return false
	}
	n := &a.nodes[slot]
	for *row < uint32(e.nrows) {
		i := *row
		*row++
		pr, r := p.row(e, int(i)), &a.rows[n.rows[i]]
		if pr.hidden || !a.isBase(p, h, int(i), r, pr) || !a.sees(p, n, r.t.audience) {
			continue
		}
		words, vars := a.base(p, h, int(i), r, pr)
		a.addCheck(p, h, i, pr.ackedTick, r.t.checksum(words.all(r.t.width), vars))
		return true
	}
	if *row <= wholeNode {
		*row = wholeNode + 1
		if v := &p.visits[h]; v.knows(e) {
			sum := n.layout.checksum(n.id, n.owner, a.parentAt(p, n), n.spawn.Name, n.spawn.Args)
			a.addCheck(p, h, wholeNode, uint32(a.tick), sum)
			return true
		}
	}
	return false
}

func (a *Authority) addCheck(p *peer, h, row, tick uint32, sum uint16) {
	p.busy = true
	p.checks.plan = append(p.checks.plan, check{handle: h, row: row, age: uint32(a.tick) - tick, hash: sum, gen: p.entries[h].gen})
}

// checksum is the checksum of one version, without `once` props.
func (t *rowType) checksum(words []int32, vars []any) uint16 {
	sum := emptySum
	for i, w := range words {
		if i < len(t.once) && t.once[i] { // phases stand behind the words
			continue
		}
		sum.word(uint32(w))
	}
	if len(vars) > 0 {
		of := emptySum
		for i, v := range vars {
			if t.onceV == nil || !t.onceV[i] {
				of.bytes(t.vars[i].Type.Append(nil, v))
			}
		}
		sum = (sum ^ of) * sumPrime
	}
	return sum.fold()
}

// checksum is the checksum of a node itself as it was last sent.
func (l *nodeLayout) checksum(id Node, owner Peer, parent uint32, name string, args []byte) uint16 {
	sum := emptySum
	for _, w := range [...]uint32{id.Slot(), id.Tenant(), uint32(owner), parent + 1, uint32(l.prefab), uint32(len(l.items))} {
		sum.word(w)
	}
	for _, i := range l.items {
		sum.word(uint32(i + 1))
	}
	sum.word(uint32(len(name)))
	sum.bytes([]byte(name))
	sum.bytes(args)
	return sum.fold()
}

// An fnv1a is a 32-bit sum (G. Fowler, L. C. Noll, K.-P. Vo, FNV-1a).
type fnv1a uint32

const (
	emptySum fnv1a = 2166136261
	sumPrime fnv1a = 16777619
)

// word adds four bytes, the lowest first.
func (s *fnv1a) word(w uint32) {
	for k := 0; k < 32; k += 8 {
		*s = (*s ^ fnv1a(w>>k&0xff)) * sumPrime
	}
}

func (s *fnv1a) bytes(b []byte) {
	for _, c := range b {
		*s = (*s ^ fnv1a(c)) * sumPrime
	}
}

func (s fnv1a) fold() uint16 { return uint16(s ^ s>>16) }

// putChecks writes the planned checks into the first packet of a send.
func (p *peer) putChecks(m *entryModel, rec *packetRecord, now time.Duration) {
	e := &p.enc
	for _, k := range p.checks.plan {
		e.Put(prefix.Raw(1, 1), unsigned(&m.handle, k.handle), unsigned(&m.length, k.row),
			unsigned(&m.baseAge, k.age), prefix.Raw(uint32(k.hash), 16))
		if k.asked {
			p.link.carries(rec, []recEntry{{handle: k.handle, kind: recCheck, gen: k.gen, row: uint8(k.row)}})
		}
	}
	e.PutBits(0, 1)
	if n := len(p.checks.plan); n > 0 {
		p.checked, p.checks.turn = now, p.checks.after
		p.tally.checks += uint32(n)
		p.checks.plan = p.checks.plan[:0]
	}
}

// readChecks reads what putChecks wrote, and returns false if there are too many. The
// comparison follows after the packet.
func (c *Proxy) readChecks(d *prefix.Decoder, m *entryModel) bool {
	for d.Bits(1) == 1 {
		if len(c.toCheck) >= maxChecks {
			return false
		}
		k := check{handle: readUnsigned(d, &m.handle), row: readUnsigned(d, &m.length), age: readUnsigned(d, &m.baseAge)}
		k.hash = uint16(d.Bits(16))
		c.toCheck = append(c.toCheck, k)
	}
	return true
}

// compare performs the checks that the packet of a tick contained.
func (c *Proxy) compare(tick Tick) {
	for _, k := range c.toCheck {
		if k.row == wholeNode {
			c.compareNode(k, tick)
			continue
		}
		if k.handle >= uint32(len(c.entries)) {
			continue
		}
		r, at := c.entries[k.handle].rep, tick-Tick(k.age)
		if r == nil || at < r.laid || k.row >= uint32(r.rows.n) {
			continue
		}
		i := r.rows.first + k.row
		row := &c.rows.rows[i]
		slot, _, found, ok := c.rows.base(row, at)
		if !ok || found != at || row.flags&replicaVisible == 0 {
			continue
		}
		var vars []any
		t := c.types[row.typ]
		if len(t.vars) > 0 {
			vars = c.rows.vars[i][slot]
		}
		c.counters.Checks++
		if t.checksum(c.rows.version(row, slot)[1:], vars) == k.hash {
			continue
		}
		c.counters.Mismatches++
		if c.mayMend(r) {
			c.doubt(r, int(k.row))
			c.cfg.Log.Warn("state differs from the authority's", "node", r.ID, "item", t.item.Name, "tick", at)
		}
	}
	c.toCheck = c.toCheck[:0]
}

// compareNode checks a node itself as of the packet's tick, unless a later packet has
// changed it. A node that is not here is refused like one that differs: the peer has
// acked its arrival, or it would not be checked.
func (c *Proxy) compareNode(k check, tick Tick) {
	r, _ := c.tenant(k.handle)
	if r == nil && !c.lacks(k.handle) || r != nil && (r.gone || r.meta > tick) {
		return
	}
	c.counters.Checks++
	if r != nil && r.layout.checksum(r.ID, r.Owner, r.parent, r.Name, r.Args) == k.hash {
		return
	}
	c.counters.Mismatches++
	if r == nil {
		c.stray(k.handle)
	} else if c.mayMend(r) {
		c.stray(k.handle)
		c.cfg.Log.Warn("a node is not the authority's", "node", r.ID, "tick", tick)
	}
}

// mayMend is whether a node whose checksum differed is to be sent anew now.
func (c *Proxy) mayMend(r *Replica) bool {
	now, e := c.readingAt, &c.entries[r.handle]
	if e.mended != 0 && now-e.mended < mendEvery {
		return false
	}
	e.mended = max(now, 1)
	return true
}
