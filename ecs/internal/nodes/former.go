package nodes

import (
	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A Former is the parent that a proxy had, and its transform relative to it. Drawn time
// trails the state, so a rider that has got out is drawn in its seat until drawn time
// reaches the step in which it did.
type Former struct {
	Parent *Node // nil: it was at the top
	Track  *track.Track
	Last   float64  // the newest tick at which it is known to have hung there
	Sure   float64  // the newest tick, up to Last, at which it is known where it was
	Until  rpl.Tick // when it hangs where it does now
	Leaps  bool     // the game has said that the way from there to the next place is a leap
	Goes   bool     // it was found that the way from there to the next place is no leap, and so it stays
	Errs   bool     // what it hung on was drawn beside its place, and it with that: without that it goes a shorter way to the next place
	Judged bool     // … and that is known
	Over   bool     // drawn time has got to its end
	Asked  bool     // somebody is looking for its place: two nodes may each have been above the other
	Ring   bool     // … and to find it has asked for it
	Older  *Former  // where it hung before that, as long as it is drawn there
	Newer  *Former  // nil: after this it hangs where it does now
}

// A Slip is what a node would have leapt by in the world when its parent changed, and is drawn away.
type Slip struct {
	By    components.TransformData
	At    float64  // when it would have, in seconds
	For   float64  // for how many seconds it is drawn away …
	Even  bool     // … and whether at an even pace, as what it hung on or hangs on is
	From  float64  // drawn time then, or when it was last known where it was: a leap after that ends it
	Time  bool     // it is from what is drawn ahead of drawn time to what is not, or back
	Asked bool     // as Former.Asked
	Waits bool     // it is not drawn away yet: it is not known where one of the two is …
	On    [2]*Node // … that it hung on and hangs on
}

// A Stand is where a node is drawn whose parent is not known: where it was drawn last, until its parent comes.
type Stand struct {
	At    components.TransformData // in the world
	Still bool                     // it stands there; else it is drawn on a former parent yet, and At goes with it
	Since float64                  // in seconds
}

// StandOf returns where a node stands, nil if it does not.
func (t *Table) StandOf(n *Node) *Stand {
	if len(t.stand) == 0 {
		return nil
	}
	return t.stand[n]
}

// SetStand sets where a node stands, nil: it does not any more.
func (t *Table) SetStand(n *Node, s *Stand) {
	switch {
	case s == nil:
		delete(t.stand, n)
	case t.stand == nil:
		t.stand = map[*Node]*Stand{n: s}
	default:
		t.stand[n] = s
	}
}

// keepFormer is for how many ticks a former is kept after drawn time has got to its end: on
// the way from a former place to the next, it is asked where things were before that.
const keepFormer = 60

// FormerAt returns where a node hung at drawn time, nil if that is where it hangs or where
// it is asked about already. It forgets what nobody asks for any more.
func (t *Table) FormerAt(n *Node, drawn float64) *Former {
	f := n.Former
	if f == nil {
		return nil
	}
	for f.Older != nil {
		f = f.Older
	}
	for f.Newer != nil && drawn >= float64(f.Until+keepFormer) {
		f = f.Newer
		f.Older = nil
	}
	if drawn >= float64(f.Until+keepFormer) {
		n.Former = nil
		return nil
	}
	for f != nil && !t.drawnAt(f, drawn) {
		f = f.Newer
	}
	if f == nil || f.Asked {
		return nil
	}
	return f
}

// AskedAgain reports whether somebody is looking for the place on a former, or on one before it, and notes that there.
func (f *Former) AskedAgain() bool {
	for ; f != nil; f = f.Older {
		if f.Asked {
			f.Ring = true
			return true
		}
	}
	return false
}

// drawnAt reports whether drawn time has not got to the end of a former that can be drawn.
func (t *Table) drawnAt(f *Former, drawn float64) bool {
	return drawn < float64(f.Until) && t.CanDraw(f)
}

// CanDraw reports whether a former parent is still where a node can be drawn on it.
func (t *Table) CanDraw(f *Former) bool { return t.isThere(f.Parent) && !f.overtaken() }

// overtaken reports whether the parent is drawn ahead of drawn time, as predicted, and has leapt since
// the node was on it: it is nowhere near where it was then.
func (f *Former) overtaken() bool {
	p := f.Parent
	return p != nil && p.Predicted != nil && p.Replica != nil && float64(max(p.Leapt, p.Replica.Leapt)) > f.Last
}

// isThere reports whether a former parent is still where it can be drawn; nil, the top, is.
func (t *Table) isThere(p *Node) bool { return p == nil || t.Of(p.Entity) == p && !t.IsLost(p) }

// Next returns where a node hung after a former; nil if it hangs there now. A parent that has
// gone meanwhile is passed over.
func (t *Table) Next(f *Former) *Former {
	next := f.Newer
	for next != nil && !t.isThere(next.Parent) {
		next = next.Newer
	}
	return next
}

// AddFormer keeps where a node has hung until now.
func (t *Table) AddFormer(n *Node, f *Former, drawn float64) {
	t.FormerAt(n, drawn) // forgets those that are over
	if n.Former != nil {
		n.Former.Newer, f.Older = f, n.Former
	}
	n.Former = f
}
