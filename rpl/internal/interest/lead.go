package interest

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// How near what waits to be sent to a peer is: not to where the peer sees from now, but to where it will once that is
// there. What lies behind a fast player is of no use by then.

const (
	// leadTime is how far ahead that is: what getting in line, crossing a slow line and being drawn take.
	leadTime = 500 * time.Millisecond
	// leadGap is how long two looks at an observer may be apart to show how it moves.
	leadGap = 250 * time.Millisecond
	// leadMost is the part of the reach by which a peer is led at most: what is underfoot stays among the nearest.
	// An observer that gets half as far from one look to the next was taken there, and does not go on like that.
	leadMost = 0.5

	// leastHeld is how long what has just come into sight counts as having waited: else all that came some sends before
	// would go first, however far it is.
	leastHeld = time.Second / 4
	// longHeld is after how long what has waited goes before all that has waited less. What is near is worth 16 times
	// what is at the edge of sight; where more of that comes than a line carries, the rest would wait for ever.
	longHeld = 8 * time.Second
)

// A lead is how a peer's first observer moves.
type lead struct {
	x, y, vx, vy float64 // its place, and its speed in units a second
	at           time.Duration
}

// Track notes where a peer's first observer is now.
func (m *Manager) Track(v *Viewer, now time.Duration) {
	if len(v.Points) == 0 || m.space.Index == nil || now <= v.lead.at {
		return
	}
	o, l := &v.Points[0], &v.lead
	dx, dy, s := o.X-l.x, o.Y-l.y, now-l.at
	if s > leadGap || !(math.Hypot(dx, dy) < leadMost/2*m.Rule.Reach(v.ID)) {
		l.vx, l.vy = 0, 0
	} else { // over some looks: one may fall between two steps
		l.vx += (dx/s.Seconds() - l.vx) / 4
		l.vy += (dy/s.Seconds() - l.vy) / 4
	}
	l.x, l.y, l.at = o.X, o.Y, now
}

// ArrivalWorth is what it is worth to send a peer a node now for the first time, which it is to have since held ago: the
// more, the nearer the top of the node's tree will be, the longer it has waited, and by its weight.
func (m *Manager) ArrivalWorth(v *Viewer, slot uint32, held time.Duration) float32 {
	n, near := &m.store.Nodes[slot], 2.0 // what has no place, or has waited for long, is as near as can be
	if top := m.store.Root(slot); held < longHeld && m.space.Index != nil && len(v.Points) > 0 && m.store.Nodes[top].PosItem >= 0 {
		reach := m.Rule.Reach(v.ID)
		near = max(1, 2*reach/(reach+v.distanceAhead(&m.space.Positions[top], leadMost*reach))) // not less for what is seen from anywhere
	}
	return n.Spawn.Weight * m.Favour(v.ID, n.ID) * float32(near*near*near*near*(held+leastHeld).Seconds())
}

// distanceAhead is the distance of a place from the nearest observer, of which the first has moved on, as far as most.
func (v *Viewer) distanceAhead(at *spatial.Position, most float64) float64 {
	best := math.Inf(1)
	for i := range v.Points {
		o := &v.Points[i]
		dx, dy := at.X-o.X, at.Y-o.Y
		if l := &v.lead; i == 0 && (l.vx != 0 || l.vy != 0) {
			s := min(leadTime.Seconds(), most/math.Hypot(l.vx, l.vy))
			dx, dy = dx-l.vx*s, dy-l.vy*s
		}
		if d := math.Hypot(dx, dy) / o.Scale; d < best {
			best = d
		}
	}
	return best
}
