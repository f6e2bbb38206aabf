package proxy

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// desync is what a proxy knows to be wrong with its nodes.
type desync struct {
	lost     int           // packets in a row that could not be read for an unknown reason
	trouble  int           // rises by readable with each packet that cannot be read, falls by 1 with each that can
	since    time.Duration // when trouble last rose from 0
	all      bool          // everything must be sent anew
	asked    time.Duration // when that was last asked for, 0: not yet
	timeless bool          // the next whole tick is believed, whatever it is
	again    bool          // that tick was earlier than what is here: ask once more
	timed    time.Duration // when that tick came
	nodes    []wrongNode
}

// Resync asks the authority for the whole state of everything that this peer holds. A
// proxy does so by itself after three packets in a row that it could not read. Nodes
// that are right stay and are corrected; nodes that should not be there go. It costs
// what a join does. A peer is answered every three seconds at most.
func (c *Proxy) Resync() {
	s := &c.mend.desync
	s.timeless, s.trouble, s.lost = true, 0, 0
	if !s.all {
		s.all = true
		if c.counters.Resyncs++; wire.ToBeLogged(c.counters.Resyncs) {
			c.cfg.Log.Warn("what is here is not what the authority says: all is asked for anew", "times", c.counters.Resyncs)
		}
	}
}

// refuse notes a packet that could not be read. What one builds on that newer packets have overtaken, or
// the set of items that a node had then, may have gone for good reasons: it speaks for no damage.
func (c *Proxy) refuse(seq uint64, err error) {
	c.in.history.refused = max(c.in.history.refused, seq)
	overtaken := c.in.history.overtaken(seq)
	if overtaken && (errors.Is(err, errNoBase) || errors.Is(err, errFormer)) {
		c.counters.Overtaken++
		return
	}
	c.counters.Refused++
	c.cfg.Log.Debug("packet refused", "seq", seq, "err", err)
	if !overtaken {
		c.unread(err)
	}
}

// unread counts a packet that could not be read.
func (c *Proxy) unread(err error) {
	s := &c.mend.desync
	if s.trouble == 0 {
		s.since = c.dec.readingAt
	}
	s.trouble = min(s.trouble+wire.Readable, 2*wire.Unreadable*wire.Readable)
	if !isNamed(err) {
		s.lost++
	}
	if s.lost >= wire.Unreadable || s.trouble > wire.Unreadable*wire.Readable && c.dec.readingAt-s.since > wire.Hopeless {
		c.Resync()
	}
}

// read counts a packet that was read.
func (m *mending) read() {
	if s := &m.desync; s.trouble > 0 {
		s.trouble--
		s.lost = 0
	}
}

// isNamed reports whether the error is of the kind for which the proxy names to the
// authority which node or row was missing.
func isNamed(err error) bool {
	return errors.Is(err, errNotHere) || errors.Is(err, errFormer) || errors.Is(err, errNoBase)
}

// A wrongNode is a handle of which packets speak as if it had a node here, or another
// one.
type wrongNode struct {
	handle uint32
	due    bool          // to be reported to the authority in the next packet
	asked  time.Duration // when it was last reported
	tries  int           // how often it was reported
}

// noteWrongNode notes a wrong node. If the authority does not hear of it, the next packet about
// the node cannot be read either, and noteWrongNode is called again.
func (c *Proxy) noteWrongNode(h uint32) {
	s := &c.mend.desync
	i := slices.IndexFunc(s.nodes, func(n wrongNode) bool { return n.handle == h })
	if i < 0 {
		if len(s.nodes) == wire.MaxNacks {
			s.nodes = slices.Delete(s.nodes, 0, 1)
		}
		i, s.nodes = len(s.nodes), append(s.nodes, wrongNode{handle: h})
	}
	n := &s.nodes[i]
	if !c.out.askDue(n.asked, c.dec.readingAt) {
		return
	}
	if n.tries++; n.tries > wire.KeyframeTries {
		c.Resync() // the answers have not been taken
	}
	n.due, n.asked = true, max(c.dec.readingAt, 1)
}

// found notes that a handle has the node that it should have.
func (m *mending) found(h uint32) {
	if s := &m.desync; len(s.nodes) > 0 {
		s.nodes = slices.DeleteFunc(s.nodes, func(n wrongNode) bool { return n.handle == h })
	}
}

// desyncDue reports whether the authority is to be asked now.
func (c *Proxy) desyncDue(now time.Duration) bool {
	s := &c.mend.desync
	return s.all && c.out.askDue(s.asked, now) || slices.ContainsFunc(s.nodes, func(n wrongNode) bool { return n.due })
}

// setTime takes the authority's tick from the first packet of its answer. If the proxy
// was misled to a later tick, it would ignore true packets as old; so all that it has
// goes. Some of that may already be part of the answer, since blocks come without the
// packets before them: so the proxy asks once more.
func (c *Proxy) setTime(t ids.Tick) {
	c.mend.desync.timeless, c.mend.desync.timed = false, c.dec.readingAt
	c.dec.estimate = tickEstimate{t, c.dec.readingAt}
	if t >= c.held.newest {
		return
	}
	c.mend.desync.again = true
	c.held.newest, c.held.advanced, c.held.removed, c.held.rows.certain = t, t, c.held.removed[:0], 0
	c.in.history.last, c.in.history.before = send{}, send{}
	clear(c.held.layouts)
	for i := range c.held.handles {
		e := &c.held.handles[i]
		if e.rep != nil {
			c.remove(e, t, false)
		}
		if e.last != nil {
			c.held.spent = append(c.held.spent, e.last)
		}
		*e = handleState{}
	}
}

// resynced takes the message that everything has been sent anew since a tick. It comes
// on the reliable lane, so its tick is true; the one that setTime took may have been
// damaged.
func (c *Proxy) resynced(b []byte) bool {
	if len(b) != 4 {
		return false
	}
	t := ids.Tick(binary.LittleEndian.Uint32(b))
	took, again := c.dec.readingAt-c.mend.desync.timed, c.mend.desync.again || c.mend.desync.timeless // it has asked since, if timeless
	c.mend.desync = desync{nodes: c.mend.desync.nodes[:0]}
	if lead := time.Duration(max(c.held.newest, t)-t) * time.Second / time.Duration(c.cfg.Hz); again || c.held.newest < t || lead > took+wire.MaxLead {
		c.Resync()
		return true
	}
	for i := range c.held.handles {
		if e := &c.held.handles[i]; e.rep != nil && e.rep.born < t {
			c.remove(e, t, false)
		}
	}
	return true
}
