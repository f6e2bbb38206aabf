package rpl

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// How a proxy that was misled by damaged packets is put right (protocol rule 11).
//
// A damaged packet may read well. The proxy then has a node that the authority has not
// given it, or lacks one. Packets after that cannot be read, because each record tells
// where the next one begins. So the proxy refuses handles whose node is not what
// packets make of it, and all nodes after several packets in a row that it cannot read.
// The authority sends these anew, as arrivals of the same handle and gen, coded with
// the default tables. Last it sends a reliable message with the tick since when it has:
// what the proxy has from before goes.
//
//	refused: handle, row 255: the node; handle 65,536: all, row 1: no whole tick has
//	been taken since
//	type 1 byte = 4, tick 4 bytes

// wholeNode is the row by which a whole node is refused; allNodes is the handle by
// which all nodes are. No row and no node has such a number.
const (
	wholeNode = maxRows
	allNodes  = maxHandles
)

// astray is what a proxy knows to be wrong with its nodes.
type astray struct {
	lost     int           // packets in a row that could not be read for an unknown reason
	trouble  int           // rises by readable with each packet that cannot be read, falls by 1 with each that can
	since    time.Duration // when trouble last rose from 0
	all      bool          // everything must be sent anew
	asked    time.Duration // when that was last asked for, 0: not yet
	timeless bool          // the next whole tick is believed, whatever it is
	again    bool          // that tick was earlier than what is here: ask once more
	timed    time.Duration // when that tick came
	nodes    []strayNode
}

// Resync asks the authority for the whole state of everything that this peer holds. A
// proxy does so by itself after three packets in a row that it could not read. Nodes
// that are right stay and are corrected; nodes that should not be there go. It costs
// what a join does. A peer is answered every three seconds at most.
func (c *Proxy) Resync() {
	s := &c.astray
	s.timeless, s.trouble, s.lost = true, 0, 0
	if !s.all {
		s.all = true
		if c.counters.Resyncs++; toBeLogged(c.counters.Resyncs) {
			c.cfg.Log.Warn("what is here is not what the authority says: all is asked for anew", "times", c.counters.Resyncs)
		}
	}
}

// toBeLogged reports whether to log what has happened for the nth time: the first,
// second, fourth … time. The other end can cause it as often as it likes, and must not
// be able to fill the disk.
func toBeLogged(n uint64) bool { return n&(n-1) == 0 }

// unread counts a packet that could not be read. One that newer packets have overtaken is
// not counted: what it builds on may have gone for good reasons.
func (c *Proxy) unread(err error) {
	s := &c.astray
	if s.trouble == 0 {
		s.since = c.readingAt
	}
	s.trouble = min(s.trouble+readable, 2*unreadable*readable)
	if !isNamed(err) {
		s.lost++
	}
	if s.lost >= unreadable || s.trouble > unreadable*readable && c.readingAt-s.since > hopeless {
		c.Resync()
	}
}

// read counts a packet that was read.
func (c *Proxy) read() {
	if s := &c.astray; s.trouble > 0 {
		s.trouble--
		s.lost = 0
	}
}

// isNamed reports whether the error is of the kind for which the proxy tells the
// authority which node or row was missing.
func isNamed(err error) bool { return errors.Is(err, errNotHere) || errors.Is(err, errNoBase) }

// A strayNode is a handle of which packets speak as if it had a node here, or another
// one.
type strayNode struct {
	handle uint32
	due    bool          // to be told to the authority in the next packet
	asked  time.Duration // when the authority was last told
	tries  int           // how often it was told
}

// stray notes a stray node. If the authority does not hear of it, the next packet about
// the node cannot be read either, and stray is called again.
func (c *Proxy) stray(h uint32) {
	s := &c.astray
	i := slices.IndexFunc(s.nodes, func(n strayNode) bool { return n.handle == h })
	if i < 0 {
		if len(s.nodes) == maxRefusals {
			s.nodes = slices.Delete(s.nodes, 0, 1)
		}
		i, s.nodes = len(s.nodes), append(s.nodes, strayNode{handle: h})
	}
	n := &s.nodes[i]
	if !c.askDue(n.asked, c.readingAt) {
		return
	}
	if n.tries++; n.tries > doubtTries {
		c.Resync() // the answers have not been taken
	}
	n.due, n.asked = true, max(c.readingAt, 1)
}

// found notes that a handle has the node that it should have.
func (c *Proxy) found(h uint32) {
	if s := &c.astray; len(s.nodes) > 0 {
		s.nodes = slices.DeleteFunc(s.nodes, func(n strayNode) bool { return n.handle == h })
	}
}

// straying reports whether the authority is to be told now.
func (c *Proxy) straying(now time.Duration) bool {
	s := &c.astray
	return s.all && c.askDue(s.asked, now) || slices.ContainsFunc(s.nodes, func(n strayNode) bool { return n.due })
}

// setTime takes the authority's tick from the first packet of its answer. If the proxy
// was misled to a later tick, it would ignore true packets as old; so all that it has
// goes. Some of that may already be part of the answer, since blocks come without the
// packets before them: so the proxy asks once more.
func (c *Proxy) setTime(t Tick) {
	c.astray.timeless, c.astray.timed = false, c.readingAt
	c.pace = pace{t, c.readingAt}
	if t >= c.newest {
		return
	}
	c.astray.again = true
	c.newest, c.advanced, c.removed = t, t, c.removed[:0]
	clear(c.layouts)
	for i := range c.entries {
		e := &c.entries[i]
		if e.rep != nil {
			c.remove(e, t, false)
		}
		if e.last != nil {
			c.spent = append(c.spent, e.last)
		}
		*e = proxyEntry{}
	}
}

// resynced takes the message that everything has been sent anew since a tick. It comes
// on the reliable lane, so its tick is true; the one that setTime took may have been
// damaged.
func (c *Proxy) resynced(b []byte) bool {
	if len(b) != 4 {
		return false
	}
	t := Tick(binary.LittleEndian.Uint32(b))
	took, again := c.readingAt-c.astray.timed, c.astray.again || c.astray.timeless // it has asked since, if timeless
	c.astray = astray{nodes: c.astray.nodes[:0]}
	if lead := time.Duration(max(c.newest, t)-t) * time.Second / time.Duration(c.cfg.Hz); again || c.newest < t || lead > took+maxLead {
		c.Resync()
		return true
	}
	for i := range c.entries {
		if e := &c.entries[i]; e.rep != nil && e.rep.born < t {
			c.remove(e, t, false)
		}
	}
	return true
}

// resync is what a peer has asked for, and the answer that it gets.
type resync struct {
	nodes []uint32      // handles that the peer has refused
	asked bool          // it wants everything anew
	lost  bool          // and it has taken no whole tick since, so that it cannot read the answer
	at    time.Duration // when the newest answer began, 0: never
	tick  Tick          // the answer is done once the arrivals laid up to this tick are acked; 0: none
}

// mend answers a peer that was misled. It runs in Schedule.
func (a *Authority) mend(p *peer, now time.Duration) {
	s := &p.resync
	if s.asked && (s.tick == 0 || s.lost) && (s.at == 0 || now-s.at >= mendEvery) {
		a.resync(p, now)
	}
	for _, h := range s.nodes {
		if e := &p.entries[h]; e.state == entryIn { // else its arrival is on the way
			p.layouts.clear(a.nodes[e.node.Slot()].layout.number)
			p.refresh(a, h)
		}
	}
	s.asked, s.lost, s.nodes = false, false, s.nodes[:0]
	if s.tick != 0 {
		a.endResync(p)
	}
}

// resync has everything that a peer holds sent anew, as if nothing were known of what
// the peer has.
func (a *Authority) resync(p *peer, now time.Duration) {
	p.resync.at, p.resync.tick = max(now, 1), p.nextTick(a.tick)
	if a.counters.Resyncs++; toBeLogged(a.counters.Resyncs) {
		a.cfg.Log.Warn("a peer cannot read what it is sent: it is told all anew", "peer", p.id, "times", a.counters.Resyncs)
	}
	p.link.forget()
	p.layouts = bitset{}
	p.dropTables(a.defaults)
	for h := range p.entries {
		switch p.entries[h].state {
		case entryComing, entryIn:
			p.refresh(a, uint32(h))
		case entryGoing:
			v := &p.visits[h]
			v.copies, v.inflight, p.went = 0, 0, true
		}
	}
}

// forget forgets what packets carried: their acks are not believed, and the next
// packets do not build on them.
func (l *peerLink) forget() {
	for i := range l.records {
		l.recycle(&l.records[i])
		l.records[i].state = recFree
	}
	for _, r := range l.late {
		l.recycle(r)
	}
	l.idle, l.late = append(l.idle, l.late...), l.late[:0]
	l.base, l.baseTick = l.next-1, 0
}

// endResync tells the peer that it has everything, once that is so.
func (a *Authority) endResync(p *peer) {
	for _, h := range p.coming {
		if e := &p.entries[h]; e.state == entryComing && e.laid <= p.resync.tick {
			return
		}
	}
	msg := binary.LittleEndian.AppendUint32([]byte{msgResynced}, uint32(p.resync.tick))
	p.resync.tick = 0
	p.say(msg)
}
