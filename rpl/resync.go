package rpl

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// Mending what a proxy was fooled into (protocol rule 11). A damaged packet may
// read well: the proxy then has a node that the authority has not given it, or
// lacks one, and what follows cannot be read, for a record tells where the next
// one begins. So the proxy names nodes that are not what packets make of them, and
// where several packets in a row cannot be read, all of them. The authority tells
// these anew, as arrivals of the same handle and gen, coded with the default tables,
// and last by a reliable message since when: what the proxy has of before goes.
//
//	refused: handle, row 255: the node; handle 65,536: all, row 1: no whole tick has
//	been taken since
//	type 1 byte = 4, tick 4 bytes

// wholeNode is the row by which a node is refused, allNodes the handle by which all
// are: no row has the one, no node the other.
const (
	wholeNode = maxRows
	allNodes  = maxHandles
)

// astray is what a proxy knows to be wrong with what it has.
type astray struct {
	lost     int           // packets in a row that could not be read, it is not known why
	trouble  int           // goes up by readable with each that cannot be read, down by one with each that can
	since    time.Duration // when it was last nothing
	all      bool          // all must be told anew
	asked    time.Duration // when that was last said, 0: not yet
	timeless bool          // the next whole tick may be any
	again    bool          // the one that was taken was another time: once more
	timed    time.Duration // when one was taken
	nodes    []strayNode
}

// Resync asks the authority for the whole state of all that this peer holds, as a
// proxy does by itself after three packets in a row that it could not read. What
// is there stays and is corrected, what should not be there goes. It costs what a
// join does; a peer is answered every three seconds at most.
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

// toBeLogged is whether the log is told of what has happened for the nth time, which the
// other end can bring about as often as it likes: the first, the second, the fourth …
// Nobody fills a disk from afar.
func toBeLogged(n uint64) bool { return n&(n-1) == 0 }

// unread counts a packet that could not be read.
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

// read counts one that was read.
func (c *Proxy) read() {
	if s := &c.astray; s.trouble > 0 {
		s.trouble--
		s.lost = 0
	}
}

// isNamed is whether the authority is told by name what a packet lacked.
func isNamed(err error) bool { return errors.Is(err, errNotHere) || errors.Is(err, errNoBase) }

// A strayNode is a handle that packets speak of as if a node were here, or another.
type strayNode struct {
	handle uint32
	due    bool          // the authority is to be told in the next packet
	asked  time.Duration // when it was told last …
	tries  int           // … and how often
}

// stray notes one. If the authority does not hear of it, the next packet about the
// node is not read either.
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
		c.Resync() // what is told of it is not taken
	}
	n.due, n.asked = true, max(c.readingAt, 1)
}

// found notes that a handle has the node that it should have.
func (c *Proxy) found(h uint32) {
	if s := &c.astray; len(s.nodes) > 0 {
		s.nodes = slices.DeleteFunc(s.nodes, func(n strayNode) bool { return n.handle == h })
	}
}

// straying is whether the authority is to be told now.
func (c *Proxy) straying(now time.Duration) bool {
	s := &c.astray
	return s.all && c.askDue(s.asked, now) || slices.ContainsFunc(s.nodes, func(n strayNode) bool { return n.due })
}

// setTime takes the authority's word, in the first packet of its answer, on when it
// is. What a proxy has of a later time than that would have it ignore what is true:
// if it was so fooled, all that it has goes. That may have been told by the answer, as
// blocks come without the packets before them: so it asks once more.
func (c *Proxy) setTime(t Tick) {
	c.astray.timeless, c.astray.timed = false, c.readingAt
	c.pace = pace{t, c.readingAt}
	if t >= c.newest {
		return
	}
	c.astray.again = true
	c.newest, c.moved, c.removed = t, t, c.removed[:0]
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

// resynced takes the word that all has been told anew since a tick. It comes by the
// reliable lane, so it is the truth about the time, too: what was taken for that may
// have been damaged.
func (c *Proxy) resynced(b []byte) bool {
	if len(b) != 4 {
		return false
	}
	t := Tick(binary.LittleEndian.Uint32(b))
	took, again := c.readingAt-c.astray.timed, c.astray.again || c.astray.timeless // it has asked since
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
	nodes []uint32      // handles of nodes that it has not, or others
	asked bool          // it wants all anew …
	lost  bool          // … and cannot read what it is being answered
	at    time.Duration // when the newest answer began, 0: never
	tick  Tick          // it has all that was told since, once its arrivals are acked; 0: it is over
}

// mend answers a peer that was fooled: in Schedule, when what has changed is known.
func (a *Authority) mend(p *peer, now time.Duration) {
	s := &p.resync
	if s.asked && (s.tick == 0 || s.lost) && (s.at == 0 || now-s.at >= mendEvery) {
		a.resync(p, now)
	}
	for _, h := range s.nodes {
		if e := &p.entries[h]; e.state == entryIn { // else it is on its way
			p.layouts.clear(a.nodes[e.node.Slot()].layout.number)
			p.refresh(a, h)
		}
	}
	s.asked, s.lost, s.nodes = false, false, s.nodes[:0]
	if s.tick != 0 {
		a.endResync(p)
	}
}

// resync has all that a peer holds told anew, as if nothing were known of what it has.
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

// forget forgets what packets carried: what acks say of them is not believed, and the
// next ones build upon none.
func (l *peerLink) forget() {
	for i := range l.records {
		l.recycle(&l.records[i])
		l.records[i].state = recFree
	}
	for _, r := range l.late {
		l.recycle(r)
	}
	l.idle, l.late = append(l.idle, l.late...), l.late[:0]
	l.baseTick = 0
}

// endResync says that a peer has all, once it has.
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
