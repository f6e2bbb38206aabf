package interest

import (
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// Where peers see from.

// MaxPreloads is how many points a peer may see from for a time at once. A game preloads the
// two or three places to which a player may be taken next.
const MaxPreloads = 8

// A preload is a point from which a peer sees until a time.
type preload struct {
	spatial.Observer
	until time.Duration
}

// Observe is Authority.Observe.
func (m *Manager) Observe(id ids.Peer, points ...[2]float64) {
	v := m.viewOf.Find(id)
	if v == nil {
		return
	}
	if len(points) == 1 && len(v.given) == 1 && len(v.Points) == 1 && len(v.preloads) == 0 { // mostly
		if o := (spatial.Observer{X: points[0][0], Y: points[0][1], Scale: 1}); v.given[0] != o {
			v.given[0], v.Points[0] = o, o
			v.scanned, v.sawLarge = false, false
		}
		return
	}
	same := len(points) == len(v.given)
	for i := 0; same && i < len(points); i++ {
		same = v.given[i] == spatial.Observer{X: points[i][0], Y: points[i][1], Scale: 1}
	}
	if same {
		return
	}
	v.given = v.given[:0]
	for _, at := range points {
		v.given = append(v.given, spatial.Observer{X: at[0], Y: at[1], Scale: 1})
	}
	v.observe()
}

// ObserveFrom is Authority.ObserveFrom. All observers have passed Check.
func (m *Manager) ObserveFrom(id ids.Peer, observers []spatial.Observer) {
	v := m.viewOf.Find(id)
	if v == nil {
		return
	}
	same := len(observers) == len(v.given)
	for i := 0; same && i < len(observers); i++ {
		same = v.given[i] == scaled(observers[i])
	}
	if same {
		return
	}
	v.given = v.given[:0]
	for _, o := range observers {
		v.given = append(v.given, scaled(o))
	}
	v.observe()
}

// scaled is an observer with its scale filled in.
func scaled(o spatial.Observer) spatial.Observer {
	if o.Scale == 0 {
		o.Scale = 1
	}
	return o
}

// Preload is Authority.Preload. It reports whether there was room.
func (m *Manager) Preload(id ids.Peer, o spatial.Observer, until time.Duration) bool {
	v := m.viewOf.Find(id)
	if v == nil {
		return true
	}
	o = scaled(o)
	at := slices.IndexFunc(v.preloads, func(p preload) bool { return p.Observer == o })
	switch {
	case at >= 0:
		v.preloads[at].until = max(v.preloads[at].until, until)
		return true
	case len(v.preloads) >= MaxPreloads:
		return false
	}
	v.preloads = append(v.preloads, preload{o, until})
	m.preloading++
	if m.streaming {
		m.preloaded = append(m.preloaded, v) // a Policy preloads: what is being scanned stays as it is
	} else {
		v.observe()
	}
	return true
}

// endPreloads ends those whose time is over.
func (m *Manager) endPreloads(now time.Duration) {
	for _, v := range m.Viewers {
		if v == nil || len(v.preloads) == 0 {
			continue
		}
		before := len(v.preloads)
		v.preloads = slices.DeleteFunc(v.preloads, func(p preload) bool { return now >= p.until })
		if n := before - len(v.preloads); n > 0 {
			m.preloading -= n
			v.observe()
		}
	}
}

// observe sees from the points that there are now. Of observers in one place with one scale
// one is enough.
func (v *Viewer) observe() {
	before := len(v.Points)
	v.Points = append(v.Points[:0], v.given...)
	for _, p := range v.preloads {
		v.Points = append(v.Points, p.Observer)
	}
	if few := len(v.Points); few > 1 && few <= maxLists {
		kept := v.Points[:0]
		for _, o := range v.Points {
			if !slices.Contains(kept, o) {
				kept = append(kept, o)
			}
		}
		v.Points = kept
	}
	v.scanned, v.sawLarge = false, false
	if len(v.Points) != before { // a list is an observer's by its place among them
		v.rescan = true
	}
}

// AskAgain is Authority.AskAgain: the peer's nodes in sight are decided anew; 0: every peer's.
func (m *Manager) AskAgain(id ids.Peer) {
	m.asked = m.space.Moves
	if id != 0 {
		m.viewOf.Find(id).ask(m.space.Moves)
		return
	}
	for _, v := range m.Viewers {
		v.ask(m.space.Moves)
	}
}

// AskAgainAbout is Authority.AskAgain about a node, for every peer.
func (m *Manager) AskAgainAbout(slot uint32) {
	if m.askedAbout == nil {
		m.askedAbout = map[uint32]bool{}
	}
	m.askedAbout[slot], m.askedAbout[m.store.Root(slot)] = true, true // it may hang elsewhere before Stream
	m.Rejudge(slot)
}

// isAsked reports whether the game has the Interest asked again about a tree for a peer since the last Stream.
func (m *Manager) isAsked(v *Viewer, root uint32) bool {
	return v.asked == m.space.Moves || m.askedAbout[root]
}

// ask has all that a viewer has decided anew in the Stream of these Space.Moves; nil has nothing.
func (v *Viewer) ask(moves uint32) {
	if v != nil {
		v.rescan, v.sawLarge, v.asked = true, false, moves
	}
}

// allows asks the Policy about a node that an observer has in sight, at the square of a
// distance.
func (m *Manager) allows(v *Viewer, slot uint32, o *spatial.Observer, square float64, had bool) bool {
	s := &m.space.Positions[slot]
	return m.space.Index.Policy.Sees(spatial.View{
		Viewer: v.ID, Node: m.store.Nodes[slot].ID, X: s.X, Y: s.Y,
		From: [2]float64{o.X, o.Y}, Distance: math.Sqrt(square), Had: had,
	})
}

// policyWants is wants for a Policy: an observer has the node in sight (sighted), and is allowed to.
func (m *Manager) policyWants(v *Viewer, slot uint32, had bool) (want, sighted bool) {
	s, limit := &m.space.Positions[slot], m.space.Index.Rings.Sight[flag(had)]
	extent := m.extentOf(slot)
	for i := range v.Points {
		o := &v.Points[i]
		dx, dy := s.X-o.X, s.Y-o.Y
		d := dx*dx + dy*dy
		if extent > 0 {
			d = max(0, math.Sqrt(d)-extent)
			d *= d
		}
		if d <= limit*o.Scale*o.Scale {
			if sighted = true; m.allows(v, slot, o, d, had) {
				return true, true
			}
		}
	}
	return false, sighted
}

// policyRefuses reports whether the Policy lets no observer see a node, however far that is.
func (m *Manager) policyRefuses(v *Viewer, slot uint32) bool {
	s := &m.space.Positions[slot]
	for i := range v.Points {
		o := &v.Points[i]
		dx, dy := s.X-o.X, s.Y-o.Y
		if m.allows(v, slot, o, dx*dx+dy*dy, true) {
			return false
		}
	}
	return true
}

// Favour is how much sooner than others a peer is sent a node, by the rule: 1 if that has
// no opinion, or none that is a number above 0.
func (m *Manager) Favour(id ids.Peer, n ids.Node) float32 {
	if m.favours == nil {
		return 1
	}
	if f := m.favours.Favour(id, n); f > 0 {
		return f
	}
	return 1
}
