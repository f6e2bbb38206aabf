package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/link"
	"github.com/tendonengine/tendon/transport"
)

// afterTick is the tick of the trace after which sends are measured. By then the first
// packets have made a round trip.
const afterTick = 12

// A tally gathers the figures of a run.
type tally struct {
	o     *Options
	tick  time.Duration // length of a tick
	sends int           // send ticks of the trace

	payload   []int // bytes of each measured send of each client
	wire, up  int
	measured  []int // measured sends, per client
	firstFull []int // payload bytes until the client had joined, per client
	nodes     int   // sum of the nodes held, over all measured sends of all clients

	server   []stages // of each measured send tick that is timed
	steady   counted  // the server's allocations, at steady send ticks that are counted
	clients  counted
	decode   time.Duration
	applied  int           // item records applied in the decode time
	encode   time.Duration // encode time of the timed sends
	entities int           // sum of the nodes held by clients at the timed sends

	visits    *visits
	ages      histogram // in ticks
	ins, outs int
}

// counted gathers a mean.
type counted struct {
	sum uint64
	n   int
}

func (c *counted) add(v uint64) { c.sum += v; c.n++ }

// mean returns -1 if nothing was added.
func (c counted) mean() float64 {
	if c.n == 0 {
		return -1
	}
	return float64(c.sum) / float64(c.n)
}

// maxAge is the size of the histogram of ages, in ticks; older values count as the
// oldest.
const maxAge = 1 << 14

func newTally(o *Options, lives int) *tally {
	return &tally{
		o: o, tick: time.Second / time.Duration(o.Trace.Hz),
		measured: make([]int, o.Clients), firstFull: make([]int, o.Clients),
		visits: newVisits(o.Clients, lives), ages: newHistogram(maxAge),
	}
}

// counts reports whether a client's send at a tick is measured.
func (t *tally) counts(c *client, tick int) bool {
	return tick > afterTick && tick < t.o.Trace.Ticks && (t.o.Budget > 0 || c.joined >= 0 && tick > int(c.joined))
}

// sent notes what the server sent to a client at a send tick.
func (t *tally) sent(c *client, tick int, now time.Duration, s link.Counters) {
	if t.o.Budget > 0 {
		c.spend.add(now.Seconds(), s.Wire())
	}
	if c.joined < 0 {
		t.firstFull[c.index] += s.Payload
	}
	if t.counts(c, tick) {
		t.payload = append(t.payload, s.Payload)
		t.wire += s.Wire()
		t.nodes += len(c.held)
		t.measured[c.index]++
	}
}

// spent notes the server's time or allocations of a send tick, if the tick is measured
// for all clients.
func (t *tally) spent(clients []*client, tick int, s *server, steady bool) {
	held := 0
	for _, c := range clients {
		if !t.counts(c, tick) {
			return
		}
		held += len(c.held)
	}
	switch s.samples {
	case samplesTimes:
		t.server = append(t.server, s.step)
		t.encode += s.step.encode
		t.entities += held
	case samplesCounts:
		if steady {
			t.steady.add(s.step.mallocs)
		}
	}
}

// looked notes the age of every node that a client holds: how many ticks ago its value
// was right.
func (t *tally) looked(c *client, tick int) {
	if c.joined < 0 || tick >= t.o.Trace.Ticks {
		return
	}
	for i := range c.held {
		t.ages.add(tick - int(c.held[i].right))
	}
}

// report computes the figures that come from the tally alone.
func (t *tally) report() Report {
	r := Report{Trace: t.o.Trace.Name, Clients: t.o.Clients, Sends: len(t.payload), StreamIns: t.ins, StreamOuts: t.outs}
	per := func(sum, n int) float64 {
		if n == 0 {
			return 0
		}
		return float64(sum) / float64(n)
	}
	sum := 0
	for _, p := range t.payload {
		sum += p
	}
	r.Payload, r.Wire, r.Up = per(sum, r.Sends), per(t.wire, r.Sends), per(t.up, r.Sends)
	r.Nodes = per(t.nodes, r.Sends)
	r.PayloadP99 = percentile(t.payload, 99)
	full := 0
	for _, n := range t.firstFull {
		full += n
	}
	r.FirstFull = per(full, t.o.Clients)
	t.times(&r)
	r.AllocsServer, r.AllocsClient = t.steady.mean(), t.clients.mean()
	r.ArrivalP99 = ms(percentile(t.visits.samples, 99))
	r.AgeP99, r.AgeMax = ms(time.Duration(t.ages.percentile(99))*t.tick), ms(time.Duration(t.ages.max())*t.tick)
	if t.ages.n == 0 {
		r.AgeP99, r.AgeMax = -1, -1
	}
	for _, n := range t.measured {
		if t.o.Budget == 0 && 2*n < t.sends {
			r.Short++
		}
	}
	return r
}

// times computes the processor times: medians, and one 99th percentile.
func (t *tally) times(r *Report) {
	at := func(p float64, of func(s stages) time.Duration) float64 {
		v := make([]time.Duration, len(t.server))
		for i := range v {
			v[i] = of(t.server[i])
		}
		return ms(percentile(v, p))
	}
	r.ServerMs, r.ServerMsP99 = at(50, stages.total), at(99, stages.total)
	r.Split = Split{
		Receive:  at(50, func(s stages) time.Duration { return s.receive }),
		Extract:  at(50, func(s stages) time.Duration { return s.extract }),
		Stream:   at(50, func(s stages) time.Duration { return s.stream }),
		Schedule: at(50, func(s stages) time.Duration { return s.schedule }),
		Encode:   at(50, func(s stages) time.Duration { return s.encode }),
	}
	r.ExtractMs = r.Split.Extract
	if t.applied > 0 {
		r.DecodeNs = float64(t.decode.Nanoseconds()) / float64(t.applied)
	}
	if t.entities > 0 {
		r.EncodeNs = float64(t.encode.Nanoseconds()) / float64(t.entities)
	}
}

// excess returns the greatest number of bytes by which a client exceeded its allowance,
// which is its budget with a bucket and a packet; negative if none did, 0 without a
// budget.
func (t *tally) excess(clients []*client) float64 {
	if t.o.Budget == 0 {
		return 0
	}
	worst := 0.0
	for _, c := range clients {
		worst = max(worst, c.spend.worst)
	}
	bucket := max(float64(t.o.Budget)/4, transport.MaxPacket)
	return worst - bucket - transport.MaxPacket
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
