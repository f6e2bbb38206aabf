package play

import "github.com/tendonengine/tendon/demo/bench/trace"

// exitFactor is the exit radius divided by the enter radius.
const exitFactor = 1.1

// relevancy is the bench's own decision of which client should hold which slot,
// independent of the library's: plain distances in the trace's unit. Between the enter
// and the exit radius a client may hold a node or not.
type relevancy struct {
	t           *trace.Trace
	x, y        int // indices of the position's fields
	enter, exit float64
	clients     int
	points      []point // observer points, by tick and client; nil if clients see everything
}

type point struct{ x, y float64 }

// edge is a relative tolerance for rounding: the library compares distances in the
// world's unit.
const edge = 1e-9

// newRelevancy makes client i follow slot i mod N: its observer is at the slot's
// position, or at the last position while the slot is dead.
func newRelevancy(t *trace.Trace, clients int, radius float64) *relevancy {
	r := &relevancy{t: t, x: t.Column(trace.PosX), y: t.Column(trace.PosY), clients: clients}
	if radius == 0 {
		return r
	}
	r.enter, r.exit = radius*(1-edge), radius*exitFactor*(1+edge)
	r.points = make([]point, t.Ticks*clients)
	for c := range clients {
		slot, at := c%t.Slots, point{}
		for tick := range t.Ticks {
			if t.Alive(tick, slot) {
				at = r.place(tick, slot)
			}
			r.points[tick*clients+c] = at
		}
	}
	return r
}

func (r *relevancy) point(client, tick int) point { return r.points[tick*r.clients+client] }

// observer returns a function that gives each client's observer point at the phase's
// tick; nil if clients see everything.
func (r *relevancy) observer(p *phase) func(client int) point {
	if r.points == nil {
		return nil
	}
	return func(client int) point { return r.point(client, p.row(p.tick)) }
}

func (r *relevancy) place(tick, slot int) point {
	row := r.t.Row(tick, slot)
	return point{float64(row[r.x]), float64(row[r.y])}
}

// within reports whether a slot is at most a radius away from a client's observer.
func (r *relevancy) within(client, tick, slot int, radius float64) bool {
	if r.points == nil {
		return true
	}
	o, p := r.point(client, tick), r.place(tick, slot)
	dx, dy := p.x-o.x, p.y-o.y
	return dx*dx+dy*dy <= radius*radius
}

// must reports whether a client has to hold the entity of a living slot.
func (r *relevancy) must(client, tick, slot int) bool { return r.within(client, tick, slot, r.enter) }

// may reports whether a client is allowed to hold the entity of a living slot.
func (r *relevancy) may(client, tick, slot int) bool { return r.within(client, tick, slot, r.exit) }
