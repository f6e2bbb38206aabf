package lane

import "time"

// The timing of ARQ: that of KCP with nodelay(1, 10, 2, 1). Times are in ms.
const (
	interval   = 10     // between updates that emit
	minRTO     = 30     // least time before a repeat
	firstRTO   = 200    // time before a repeat while the round trip is not known
	maxRTO     = 60_000 // most time before a repeat
	askAfter   = 7000   // before the other end is asked for its window, and then ever later …
	askMost    = 60_000 // … up to this
	fastResend = 2      // acks of later segments after which a segment counts as lost
)

// resentFast marks a segment that was repeated before its timer ran out; it is not
// repeated early again before the timer does.
const resentFast = -1

// An ARQ is the Machine of all transports. It speaks with stock KCP on the wire, and says the
// same byte for byte as long as windows are not full; it reads no clock, is deterministic,
// and keeps nothing for what is not under way (KCP keeps 14 KiB).
type ARQ struct {
	out func([]byte)
	buf []byte // segments of one run

	window  uint32 // how many segments beyond una the other end takes
	asked   uint32 // when it was asked, while that is 0, …
	asks    uint32 // … and how often
	answers bool   // the other end has asked

	una, next uint32   // oldest unacknowledged number; number of the next new segment
	fresh     [][]byte // chunks never emitted
	flying    []flying // chunks emitted, in order of numbers, from una on
	rtt       estimate
	flight    flight

	want  uint32    // number of the next segment to receive in order
	early []chunk   // received out of order
	bound int       // how many bytes these may be; 0: any
	ready [][]byte  // received in order, for Recv
	acks  []receipt // to be emitted

	started bool
	flushAt uint32   // ms
	free    [][]byte // buffers for chunks
}

type flying struct {
	sn, ts uint32
	due    uint32 // when its timer runs out and it is repeated
	rto    uint32
	sends  int
	passed int // acks of later segments since the last repeat, or resentFast
	acked  bool
	data   []byte
}

type chunk struct {
	sn   uint32
	data []byte
}

type receipt struct{ sn, ts uint32 }

// NewARQ makes a machine that emits through out. The bytes given to out are
// valid during the call.
func NewARQ(out func(segments []byte)) Machine {
	return &ARQ{out: out, rtt: estimate{rto: firstRTO}, window: Window}
}

func millis(now time.Duration) uint32 { return uint32(now / time.Millisecond) }

// after returns a-b modulo 2³²: above 0 when a is after b.
func after(a, b uint32) int32 { return int32(a - b) }

func (a *ARQ) Bound(bytes int) { a.bound = bytes }

func (a *ARQ) Carries(rate int) { a.flight.measured(rate) }

func (a *ARQ) Most(now time.Duration) int { return a.flight.may(millis(now)) }

func (a *ARQ) Waiting() int { return len(a.fresh) + len(a.flying) }

func (a *ARQ) Send(b []byte) { a.fresh = append(a.fresh, a.copy(b)) }

func (a *ARQ) Recv(b []byte) int {
	if len(a.ready) == 0 {
		return -1
	}
	data := a.ready[0]
	n := copy(b, data)
	a.free = append(a.free, data)
	a.ready = a.ready[:copy(a.ready, a.ready[1:])]
	return n
}

func (a *ARQ) Update(now time.Duration) {
	ms := millis(now)
	if !a.started {
		a.started, a.flushAt = true, ms
	}
	late := after(ms, a.flushAt)
	if late < 0 {
		return
	}
	a.flushAt += interval
	if after(ms, a.flushAt) >= 0 {
		a.flushAt = ms + interval
	}
	a.flush(ms)
}

func (a *ARQ) Input(now time.Duration, b []byte) {
	ms, waiting := millis(now), a.Waiting()
	var moved, fast, heard bool
	var echo uint32
	for len(b) > 0 {
		h, data, rest, err := parse(b)
		if err != nil {
			return // does not happen: Lane.Input has called Check
		}
		b = rest
		a.window = min(uint32(h.wnd), Window)
		moved = a.acknowledgeBelow(h.una) || moved
		switch h.cmd {
		case ack:
			fast = a.acknowledge(h.sn, h.ts) || fast
			heard, echo = true, h.ts
		case push:
			a.take(h, data)
		case wask:
			a.answers = true
		}
	}
	if rtt := after(ms, echo); heard && rtt >= 0 {
		a.rtt.sample(rtt)
		a.flight.sample(ms, rtt, waiting)
	}
	switch {
	case moved || fast:
		a.flush(ms)
	case len(a.acks) >= MTU/HeaderSize:
		a.flushAcks()
		a.number()
		a.emit()
	}
}

// acknowledgeBelow forgets every segment below una and reports whether there was one.
func (a *ARQ) acknowledgeBelow(una uint32) bool {
	n := 0
	for n < len(a.flying) && after(una, a.flying[n].sn) > 0 {
		a.release(&a.flying[n])
		n++
	}
	a.flying = a.flying[:copy(a.flying, a.flying[n:])]
	a.una = a.next
	if len(a.flying) > 0 {
		a.una = a.flying[0].sn
	}
	return n > 0
}

// acknowledge marks one segment as acknowledged, counts this ack against the segments
// before it, and reports whether one of them is to be repeated at once.
func (a *ARQ) acknowledge(sn, ts uint32) (fast bool) {
	if after(sn, a.una) < 0 || after(sn, a.next) >= 0 {
		return false
	}
	for i := range a.flying {
		f := &a.flying[i]
		if f.sn == sn {
			a.release(f)
			f.acked = true
			break
		}
		if f.passed != resentFast && after(f.ts, ts) <= 0 {
			f.passed++
			fast = fast || f.passed >= fastResend
		}
	}
	return fast
}

// take keeps a received segment's data and records the receipt to emit for it.
func (a *ARQ) take(h header, data []byte) {
	if after(h.sn, a.want+Window) >= 0 || a.bound > 0 && h.sn != a.want && a.kept()+len(data) > a.bound {
		return
	}
	a.acks = append(a.acks, receipt{h.sn, h.ts})
	if after(h.sn, a.want) < 0 {
		return
	}
	at := len(a.early)
	for at > 0 && after(a.early[at-1].sn, h.sn) >= 0 {
		at--
	}
	if at < len(a.early) && a.early[at].sn == h.sn {
		return
	}
	a.early = append(a.early, chunk{})
	copy(a.early[at+1:], a.early[at:])
	a.early[at] = chunk{h.sn, a.copy(data)}
	n := 0
	for n < len(a.early) && a.early[n].sn == a.want {
		a.ready = append(a.ready, a.early[n].data)
		a.want++
		n++
	}
	a.early = a.early[:copy(a.early, a.early[n:])]
}

// kept is the bytes received out of order.
func (a *ARQ) kept() (n int) {
	for _, c := range a.early {
		n += len(c.data)
	}
	return n
}

// flush emits receipts, then the segments that are new or must be repeated.
func (a *ARQ) flush(ms uint32) {
	a.flushAcks()
	a.windows(ms)
	fresh := a.number()
	for i := range a.flying {
		f := &a.flying[i]
		if f.acked {
			continue
		}
		switch {
		case f.sends == 0:
			f.rto = a.rtt.rto
		case f.passed >= fastResend, f.passed > 0 && fresh == 0:
			f.passed, f.rto = resentFast, a.rtt.rto
		case after(ms, f.due) >= 0:
			f.passed = 0
			f.rto += a.rtt.rto / 2
		default:
			continue
		}
		f.sends++
		a.flight.sends(f.sends > 1)
		f.ts, f.due = ms, ms+f.rto
		a.room(HeaderSize + len(f.data))
		a.buf = a.header(push, f.sn, f.ts, len(f.data)).append(a.buf)
		a.buf = append(a.buf, f.data...)
	}
	a.emit()
}

// number gives numbers to the chunks that were never emitted and for which the other end has
// room, and returns their count.
func (a *ARQ) number() int {
	n := min(len(a.fresh), max(int(after(a.una+a.window, a.next)), 0))
	for _, data := range a.fresh[:n] {
		a.flying = append(a.flying, flying{sn: a.next, data: data})
		a.next++
	}
	rest := copy(a.fresh, a.fresh[n:])
	clear(a.fresh[rest:])
	a.fresh = a.fresh[:rest]
	return n
}

// windows asks for the other end's window while that is closed, ever less often, and tells
// this end's if it was asked.
func (a *ARQ) windows(ms uint32) {
	switch {
	case a.window > 0:
		a.asks = 0
	case a.asks == 0:
		a.asked, a.asks = ms, 1
	case after(ms, a.asked+min(askAfter*a.asks, askMost)) >= 0:
		a.asked = ms
		a.asks++
		a.room(HeaderSize)
		a.buf = a.header(wask, 0, 0, 0).append(a.buf)
	}
	if a.answers {
		a.answers = false
		a.room(HeaderSize)
		a.buf = a.header(wins, 0, 0, 0).append(a.buf)
	}
}

// flushAcks writes receipts. Segments below want need none, as una acknowledges
// them, but the last receipt is always written: the sender measures the round trip
// by its time.
func (a *ARQ) flushAcks() {
	for i, r := range a.acks {
		a.room(HeaderSize)
		if after(r.sn, a.want) >= 0 || i == len(a.acks)-1 {
			a.buf = a.header(ack, r.sn, r.ts, 0).append(a.buf)
		}
	}
	a.acks = a.acks[:0]
}

func (a *ARQ) header(cmd uint8, sn, ts uint32, length int) header {
	return header{cmd: cmd, wnd: uint16(Window - len(a.ready)), ts: ts, sn: sn, una: a.want, length: uint32(length)}
}

// room emits the run so far if n more bytes would make it longer than MTU.
func (a *ARQ) room(n int) {
	if len(a.buf)+n > MTU {
		a.emit()
	}
}

func (a *ARQ) emit() {
	if len(a.buf) > 0 {
		a.out(a.buf)
		a.buf = a.buf[:0]
	}
}

func (a *ARQ) copy(b []byte) []byte {
	var buf []byte
	if n := len(a.free); n > 0 {
		buf, a.free = a.free[n-1], a.free[:n-1]
	}
	return append(buf[:0], b...)
}

func (a *ARQ) release(f *flying) {
	if f.data != nil {
		a.free = append(a.free, f.data)
		f.data = nil
	}
}

// An estimate is the measured round trip and the time before a repeat, in ms: RFC
// 6298, with KCP's smaller weight for a sample that is below the expected range.
type estimate struct {
	mean, spread int32
	rto          uint32
}

func (e *estimate) sample(rtt int32) {
	if e.mean == 0 {
		e.mean, e.spread = rtt, rtt/2
	} else {
		d := rtt - e.mean
		e.mean += d >> 3
		weight := 2
		if rtt < e.mean-e.spread {
			weight = 5
		}
		if d < 0 {
			d = -d
		}
		e.spread += (d - e.spread) >> weight
	}
	e.rto = min(max(minRTO, uint32(e.mean)+max(interval, uint32(4*e.spread))), maxRTO)
}
