package send

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/pages"
)

// Memory is given back after a burst: a join, a level that ends, a crowd that has passed. What
// has grown to four times of what was needed in the last trimEvery sends shrinks to that. So
// what grows and shrinks in every second allocates nothing.

const (
	// trimEvery is the sends from one look at what a peer keeps to the next.
	trimEvery = 64

	// trimAfter is how long the highest handles must not have been in use for what was
	// known of them to be forgotten.
	trimAfter = 20 * time.Second

	// leastTrim is the elements up to which no list of all handles is worth the trouble.
	leastTrim = 64

	// leastList is the same for lists that are mostly empty: what a peer begins with.
	leastList = 16
)

// trimming is what trim knows of a peer.
type trimming struct {
	above    int32         // so many handles at most were in use …
	since    time.Duration // … since then
	firstGen uint8         // the generation of a handle that is new
}

// peaks are how long the lists of a send have been since the last trim.
type peaks struct{ syms, recs, removals, arrivals, arriving, updates, speculative, order, joined, queueing, decisions int }

// trimScratch gives back what the sends needed, and runs before one.
func (s *Sender) trimScratch() {
	const least = 64
	u, k := &s.Updates, &s.peaks
	k.syms, k.recs = max(k.syms, len(u.syms)), max(k.recs, len(u.recs))
	k.removals, k.arrivals = max(k.removals, len(u.bundles.removals)), max(k.arrivals, len(u.bundles.arrivals))
	k.arriving = max(k.arriving, len(u.bundles.arriving))
	k.updates, k.speculative = max(k.updates, len(u.bundles.updates)), max(k.speculative, len(u.bundles.speculative))
	k.order, k.joined = max(k.order, len(u.priorities.order), len(s.Planner.order)), max(k.joined, len(u.Cohorts.joined))
	k.queueing = max(k.queueing, len(s.Planner.queueing))
	if s.store.Send%trimEvery != 0 {
		return
	}
	s.store.TrimSlots()
	u.syms, u.recs = pages.Trim(u.syms, k.syms, least), pages.Trim(u.recs, k.recs, least)
	u.bundles.removals, u.bundles.arrivals = pages.Trim(u.bundles.removals, k.removals, least), pages.Trim(u.bundles.arrivals, k.arrivals, least)
	u.bundles.arriving = pages.Trim(u.bundles.arriving, k.arriving, least)
	u.bundles.updates, u.bundles.speculative = pages.Trim(u.bundles.updates, k.updates, least), pages.Trim(u.bundles.speculative, k.speculative, least)
	u.priorities.order, s.Planner.order = pages.Trim(u.priorities.order, k.order, least), pages.Trim(s.Planner.order, k.order, least)
	u.Cohorts.joined = pages.Trim(u.Cohorts.joined, k.joined, least)
	s.Planner.queueing = pages.Trim(s.Planner.queueing, k.queueing, least)
	s.Planner.leaving.Trim()
	s.interest.Decisions = pages.Trim(s.interest.Decisions, k.decisions, least)
	s.peaks = peaks{}
}

// trim gives back what a peer does not need any more.
func (p *Peer) trim(now time.Duration) {
	p.arrivals.queue = pages.Trim(p.arrivals.queue, 0, leastList)
	p.coming, p.going = pages.Trim(p.coming, 0, leastList), pages.Trim(p.going, 0, leastList)
	p.ownerships.handles, p.ownerships.heldBack = pages.Trim(p.ownerships.handles, 0, leastList), pages.Trim(p.ownerships.heldBack, 0, leastList)
	p.checks.asked = pages.Trim(p.checks.asked, 0, leastList)
	if len(p.overload.priorities) == 0 && cap(p.overload.priorities) > leastTrim {
		p.overload.priorities = nil
	}
	p.block.syms = pages.Trim(p.block.syms[:0], 0, leastTrim)
	p.lives.trim()
	p.Link.Trim()
	p.trimEntries(now)
}

// trimEntries gives back the entries of handles that were not in use for long. A packet or a
// call that names such a handle is too old by then to be believed; should one come all the
// same, the generations of the handle have begun elsewhere.
func (p *Peer) trimEntries(now time.Duration) {
	w := p.Handles.W
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	if need := max(64*len(w), leastTrim); 4*need >= cap(p.States) || need < int(p.trimming.above) {
		p.trimming.above, p.trimming.since = int32(need), now
		return
	}
	if now-p.trimming.since < trimAfter {
		return
	}
	n := max(64*len(w), leastTrim)
	beyond := func(h uint32) bool { return h >= uint32(n) }
	p.copies = slices.DeleteFunc(p.copies, func(c rowCopy) bool { return beyond(c.handle) })
	p.ownerships.handles = slices.DeleteFunc(p.ownerships.handles, beyond)
	p.resync.nodes = slices.DeleteFunc(p.resync.nodes, beyond)
	if slices.ContainsFunc(p.checks.asked, beyond) {
		p.checks.asked, p.checks.row = slices.DeleteFunc(p.checks.asked, beyond), 0
	}
	p.States = pages.Trim(p.States[:min(n, len(p.States))], 0, leastTrim)
	p.Handles.W = pages.Trim(w, 0, 1)
	p.Shares.W = pages.Trim(p.Shares.W[:min(len(w), len(p.Shares.W))], 0, 1)
	if len(p.Marks.Of) > len(p.Marks.Few) {
		p.Marks.Of = pages.Trim(p.Marks.Of[:max(min(len(p.Marks.Of), len(w)), len(p.Marks.Few))], 0, len(p.Marks.Few))
	}
	p.bases.Trim(n, leastTrim)
	p.trimming.firstGen += 0x35
	p.plan.stale = true
}

// trim gives back chunks that were not used since the last trim.
func (s *lives) trim() {
	const kept = 1
	if drop := min(s.least, len(s.spare)-kept); drop > 0 {
		clear(s.spare[len(s.spare)-drop:])
		s.spare = pages.Trim(s.spare[:len(s.spare)-drop], 0, kept)
		s.chunks = pages.Trim(s.chunks, 0, kept)
	}
	s.least = len(s.spare)
}
