package interest

import "time"

// Peers of which nothing has come for long. Nothing is sent to them, and so nothing comes into
// their sight: they scan everything when they are back. But what goes out of it goes at once, because
// a call on it would wait for them.

// askSilent is in every how many sends a silent peer's Interest is asked about all that it has, if nobody
// has it asked again.
const askSilent = 8

// endSight takes from a silent peer what has gone out of its sight, by the distance in each send in
// which something has moved, and by what the Interest says of it when that is asked.
func (m *Manager) endSight(v *Viewer, now time.Duration) {
	ask := v.rescan || (m.store.Send+uint32(v.index))%askSilent == 0
	if !ask && v.scanned && !v.sweeps && m.space.Index.Moved != m.space.Moves {
		return
	}
	v.away, v.rescan, v.scanned, v.sweeps = true, false, true, false
	reach := m.Rule.Reach(v.ID)
	v.InGrid.Compact()
	m.touchPositions(v.InGrid.Slots)
	for _, slot := range v.InGrid.Slots {
		s := &m.space.Positions[slot]
		switch {
		case s.Cell < 0 || m.holdsOn(v, slot):
		case !ask && v.Distance(s.X, s.Y) <= reach:
		case ask && m.wants(v, slot, true):
		case m.lingers(v, slot, now):
			v.sweeps = true
		default:
			m.decide(v, slot, false)
		}
	}
}

// hear has a peer that is silent no more scan everything.
func (v *Viewer) hear() {
	if v.away {
		v.away, v.rescan, v.sawLarge = false, true, false
	}
}
