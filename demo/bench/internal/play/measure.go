package play

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A run is the measured phase of a session.
type run struct {
	*session
	p       *phase
	judge   judge
	tally   *tally
	observe func(client int) point
	index   map[rpl.Peer]int

	decisions []decision // Stream's decisions of this tick, in order
	sends     int        // send ticks so far
	streaming bool       // Stream has made a decision at this tick
	quiet     time.Duration
}

// measure plays the measured trace and returns the report.
func (s *session) measure() (Report, error) {
	p := newPhase(s.o.Trace, s.tick())
	if err := s.connect(p); err != nil {
		return Report{}, err
	}
	r := &run{
		session: s, p: p,
		judge: judge{layout: s.layout, rel: newRelevancy(p.t, s.o.Clients, s.o.Radius), clean: s.o.clean()},
		tally: newTally(&s.o, len(p.lives.All)),
		index: map[rpl.Peer]int{},
	}
	r.observe = r.judge.rel.observer(p)
	for _, c := range s.server.peers {
		r.index[c.id] = c.index
	}
	s.decided = r.decide
	s.server.nodes = r
	sent, repeats := records(s.server.core)
	if err := r.play(); err != nil {
		return Report{}, err
	}
	return r.report(sent, repeats), nil
}

// play runs the trace to its end, and goes on until all clients equal the world, for at
// most patience.
func (r *run) play() error {
	ended := time.Duration(-1)
	for {
		r.at = r.net.wait(r.due())
		if err := r.tick(); err != nil {
			return err
		}
		if r.p.tick >= r.p.last() {
			if ended < 0 {
				ended = r.now()
				r.tally.visits.end(ended)
			}
			if r.quiet = r.now() - ended; r.settled() || r.quiet >= patience {
				return nil
			}
		}
		r.p.tick++
		r.frame++
	}
}

func (r *run) tick() error {
	now, tick := r.now(), r.p.tick
	send := r.send.due()
	r.streaming = false
	if err := r.server.run(r.p, now, r.session.tick(), send, r.observe); err != nil {
		return err
	}
	r.noteDecisions()
	steady := !r.streaming && r.p.turnover == 0
	if send {
		for i, peer := range r.server.peers {
			_, messages := peer.end.Received()
			sent := r.server.flush(peer, now)
			steady = steady && sent.Messages == 0 && sent.Reliable == 0 && len(messages) == 0
			r.tally.sent(r.clients[i], tick, now, sent)
		}
		r.tally.spent(r.clients, tick, r.server, steady)
		if tick < r.p.t.Ticks {
			r.tally.sends++
		}
	}
	if err := r.clientTick(now, tick); err != nil {
		return err
	}
	if send {
		r.sends++
		r.server.samples = samplingOf(r.sends)
	}
	return nil
}

func (r *run) clientTick(now time.Duration, tick int) error {
	took, err := r.receive()
	if err != nil {
		return err
	}
	applied, counts, steady := 0, true, true
	for _, c := range r.clients {
		applied += len(c.claims)
		counts = counts && r.tally.counts(c, tick)
		r.judge.received(c)
		steady = steady && !c.moved && c.mail == 0
		r.note(c, now)
		if c.joined < 0 && r.judge.complete(c) {
			c.joined = int32(tick)
		}
		r.tally.looked(c, tick)
	}
	if counts && r.server.samples == samplesTimes {
		r.tally.decode += took.receive
		r.tally.applied += applied
	}
	up, allocs := r.answer()
	for i, c := range r.clients {
		if r.tally.counts(c, tick) {
			r.tally.up += up[i]
		}
	}
	if steady && counts && r.server.samples == samplesCounts {
		r.tally.clients.add(took.mallocs + allocs)
	}
	return nil
}

// note counts the arrivals and removals of a client's last Apply.
func (r *run) note(c *client, now time.Duration) {
	if !c.moved {
		return
	}
	r.tally.ins += len(c.came)
	r.tally.outs += c.went
	for _, life := range c.came {
		r.tally.visits.arrived(int(c.index), int(life), now)
	}
}

// A decision of Stream: the node streams in (in is true) or out for the peer.
type decision struct {
	peer rpl.Peer
	node rpl.Node
	in   bool
}

// decide is the authority's OnDecide callback. It runs inside Stream, in the measured
// time, so it only stores the decision; noteDecisions evaluates it later.
func (r *run) decide(p rpl.Peer, n rpl.Node, in bool) {
	r.decisions = append(r.decisions, decision{p, n, in})
}

func (r *run) noteDecisions() {
	for _, d := range r.decisions {
		life, ok := r.p.life[d.node]
		if !ok || r.p.tick > r.p.last() {
			continue // the session's own node, or the trace is over
		}
		r.streaming = true
		c := r.clients[r.index[d.peer]]
		if d.in {
			r.tally.visits.in(int(c.index), life, r.now(), c.joined < 0)
		} else {
			r.tally.visits.out(int(c.index), life, r.now())
		}
	}
	r.decisions = r.decisions[:0]
}

func (r *run) born(slot int, n rpl.Node) { r.p.born(slot, n) }

// gone notes that a node was removed, which ends its visits at all clients.
func (r *run) gone(slot int, n rpl.Node) {
	r.p.gone(slot, n)
	r.tally.visits.gone(r.p.life[n], r.now())
}

// settled reports whether every client equals the world, which no longer changes.
func (r *run) settled() bool {
	for _, c := range r.clients {
		if r.judge.final(c, true).Sum() > 0 {
			return false
		}
	}
	return true
}

// report combines the tally, the mismatches that remain at the end, and the authority's
// record counts since the run began. sent and repeats are those counts at its
// beginning.
func (r *run) report(sent, repeats uint64) Report {
	t := r.tally
	out := t.report()
	for _, c := range r.clients {
		m, end := &r.judge.mismatches, r.judge.final(c, false)
		m.Props, m.Extra, m.Missing = m.Props+end.Props, m.Extra+end.Extra, m.Missing+end.Missing
		out.Refused += int(c.proxy.Counters().Refused)
		out.Oversize += c.end.Oversize()
	}
	for _, p := range r.server.peers {
		out.Oversize += p.end.Oversize()
	}
	allSent, allRepeats := records(r.server.core)
	if fresh := allSent - sent - (allRepeats - repeats); fresh > 0 {
		out.SendsPerChange = float64(allSent-sent) / float64(fresh)
	}
	out.BudgetExcess = t.excess(r.clients)
	out.QuietMs = ms(r.quiet)
	out.Extract = r.server.world.name()
	out.Kinds = r.judge.mismatches
	out.Mismatches = out.Kinds.Sum()
	out.HeapPerClient = r.heapPerClient()
	return out
}
