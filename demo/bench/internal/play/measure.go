package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/link"
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

	sends int   // so far
	ticks []ran // that the clients have not followed yet, at most mostLead
	quiet time.Duration
}

// ran is a tick that the server has run, as the clients' tick has to know it.
type ran struct {
	now       time.Duration
	tick      int // of the trace
	send      bool
	samples   sampling
	step      stages
	steady    bool            // nobody was streamed to, nothing reliable was said
	sent      []link.Counters // to each client
	died      []int           // lives
	decisions []decision
}

// measure plays the measured trace and reports.
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
		ticks: make([]ran, 0, mostLead),
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

// play runs the trace to its end, and on until all clients are equal.
func (r *run) play() error {
	ended := time.Duration(-1)
	for {
		for n := r.lead(); n > 0; n-- {
			if err := r.serverTick(); err != nil {
				return err
			}
		}
		for i := range r.ticks {
			t := &r.ticks[i]
			if err := r.clientTick(t); err != nil {
				return err
			}
			if t.tick < r.p.last() {
				continue
			}
			if ended < 0 {
				ended = t.now
				r.tally.visits.end(ended)
			}
			if r.quiet = t.now - ended; r.settled() || r.quiet >= patience {
				return nil
			}
		}
		r.ticks = r.ticks[:0]
	}
}

// mostLead is how many ticks the server runs before the clients follow, at most.
const mostLead = 4

// lead is how many ticks the server can run before the clients follow: none of
// them receives what a client has yet to say. A server has no clients beside it
// that wash its caches.
func (r *run) lead() int {
	n := 1
	if r.o.UDP {
		return n
	}
	first := r.due()
	for n < mostLead && r.p.tick+n <= r.p.last() && r.dueAt(r.frame+n)-first < r.o.RTT/2 {
		n++
	}
	return n
}

// serverTick runs the server's next tick.
func (r *run) serverTick() error {
	r.at = r.net.wait(r.due())
	t := r.nextRan()
	t.now, t.tick, t.send, t.samples = r.at, r.p.tick, r.send.due(), r.server.samples
	if err := r.server.run(r.p, t.now, r.session.tick(), t.send, r.observe); err != nil {
		return err
	}
	t.steady = r.p.made == 0 && !r.streams(t)
	if t.send {
		for _, peer := range r.server.peers {
			_, messages := peer.end.Received()
			sent := peer.end.Flush(t.now)
			t.steady = t.steady && sent.Messages == 0 && sent.Reliable == 0 && len(messages) == 0
			t.sent = append(t.sent, sent)
		}
		t.step = r.server.step
		r.sends++
		r.server.samples = samplingOf(r.sends)
	}
	r.p.tick++
	r.frame++
	return nil
}

// nextRan is a tick of which nothing is known yet, in memory that was used before:
// the server is not to pay for it.
func (r *run) nextRan() *ran {
	r.ticks = r.ticks[:len(r.ticks)+1]
	t := &r.ticks[len(r.ticks)-1]
	*t = ran{sent: t.sent[:0], died: t.died[:0], decisions: t.decisions[:0]}
	return t
}

// streams reports whether something was decided about the trace's nodes.
func (r *run) streams(t *ran) bool {
	for _, d := range t.decisions {
		if _, ok := r.p.life[d.node]; ok && t.tick <= r.p.last() {
			return true
		}
	}
	return false
}

// clientTick has the clients follow a tick of the server.
func (r *run) clientTick(t *ran) error {
	r.noteServer(t)
	took, err := r.receive(t.now, t.samples)
	if err != nil {
		return err
	}
	applied, counts, steady := 0, true, true
	for _, c := range r.clients {
		applied += len(c.claims)
		counts = counts && r.tally.counts(c, t.tick)
		r.judge.received(c)
		steady = steady && len(c.came)+len(c.went)+c.mail == 0
		r.note(c, t.now)
		if c.joined < 0 && r.judge.complete(c) {
			c.joined = t.tick
		}
		r.tally.looked(c, t.tick)
	}
	if counts && t.samples == samplesTimes {
		r.tally.decode += took.receive
		r.tally.applied += applied
	}
	up, allocs := r.answer(t.now, t.samples)
	for i, c := range r.clients {
		if r.tally.counts(c, t.tick) {
			r.tally.up += up[i]
		}
	}
	if steady && counts && t.samples == samplesCounts {
		r.tally.clients.add(took.mallocs + allocs)
	}
	return nil
}

// noteServer keeps what the server did in a tick.
func (r *run) noteServer(t *ran) {
	for _, life := range t.died { // for whoever it was decided
		for _, c := range r.clients {
			r.tally.visits.out(c.index, life, t.now)
		}
	}
	for _, d := range t.decisions {
		r.noteDecision(d, t)
	}
	for i, sent := range t.sent {
		r.tally.sent(r.clients[i], t.tick, t.now, sent)
	}
	if t.send {
		r.tally.spent(r.clients, t)
		if t.tick < r.p.t.Ticks {
			r.tally.sends++
		}
	}
}

// note keeps what a client was told of nodes.
func (r *run) note(c *client, now time.Duration) {
	r.tally.ins += len(c.came)
	r.tally.outs += len(c.went)
	for _, h := range c.came {
		r.tally.visits.arrived(c.index, h.life, now)
	}
}

// A decision is one of Stream's.
type decision struct {
	peer rpl.Peer
	node rpl.Node
	in   bool
}

// decide is told by the authority, inside Stream: what the bench makes of it is
// not the library's work, and waits until it is not measured.
func (r *run) decide(p rpl.Peer, n rpl.Node, in bool) {
	t := &r.ticks[len(r.ticks)-1]
	t.decisions = append(t.decisions, decision{p, n, in})
}

func (r *run) noteDecision(d decision, t *ran) {
	life, ok := r.p.life[d.node]
	if !ok || t.tick > r.p.last() {
		return // the session's node, or the trace is over
	}
	c := r.clients[r.index[d.peer]]
	if d.in {
		r.tally.visits.in(c.index, life, t.now, c.joined < 0)
	} else {
		r.tally.visits.out(c.index, life, t.now)
	}
}

func (r *run) born(slot int, n rpl.Node) { r.p.born(slot, n) }

func (r *run) gone(slot int, n rpl.Node) {
	r.p.gone(slot, n)
	t := &r.ticks[len(r.ticks)-1]
	t.died = append(t.died, r.p.life[n])
}

// settled reports whether every client is equal to the world that has stopped.
func (r *run) settled() bool {
	for _, c := range r.clients {
		if r.judge.final(c, true).Sum() > 0 {
			return false
		}
	}
	return true
}

// report puts together what the tally has, what the clients still have wrong,
// and the authority's counts since the run began.
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
