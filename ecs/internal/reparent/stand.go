package reparent

// stand: what is drawn where it was, because it is not known where it hangs.

import (
	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// standsFor is for how many seconds a node is drawn standing: its parent comes a round trip later, or a few if
// packets are lost. What still does not come waits for a budget, and then what stood would be seen where it is not.
const standsFor = 2

// Stand has a node whose parent is not known, or will not be in a moment, be drawn where it is drawn now, until its
// parent comes. It reports false, and has done nothing, for what is not drawn or has no transform.
func (d *Drawer) Stand(n *nodes.Node, at components.TransformData) bool {
	if d.Nodes.StandOf(n) != nil {
		return true
	}
	if n.Hidden || !d.World.Valid(n.Entity) || !d.World.Entry(n.Entity).HasComponent(components.Transform) {
		return false
	}
	still := n.Predicted != nil || d.Nodes.FormerAt(n, d.Screen.Render) == nil
	d.Nodes.SetStand(n, &nodes.Stand{At: at, Still: still, Since: d.Screen.Now().Seconds()})
	d.stands = append(d.stands, n)
	return true
}

// StandAsKept is Stand for a node that has left its parent in this Apply, and has not got another.
func (d *Drawer) StandAsKept(n *nodes.Node) bool {
	i, ok := d.at[n]
	return ok && d.Stand(n, d.leavings[i].was)
}

// stand is part of each frame: what has stood for long enough is hidden.
func (d *Drawer) stand() {
	kept := d.stands[:0]
	for _, n := range d.stands {
		s := d.Nodes.StandOf(n)
		switch {
		case s == nil:
			continue
		case d.Nodes.Of(n.Entity) != n:
			d.Nodes.SetStand(n, nil)
			continue
		case d.Screen.Now().Seconds()-s.Since > standsFor && !n.Leaving:
			d.Nodes.SetStand(n, nil)
			d.HideTree(n)
			d.Nodes.Shift(n)
			continue
		case s.Still:
		case d.Nodes.FormerAt(n, d.Screen.Render) == nil:
			s.Still = true
		default:
			if at := d.InWorld(d.World.Entry(n.Entity)); !s.Still {
				s.At = at
			}
		}
		kept = append(kept, n)
	}
	clear(d.stands[len(kept):])
	d.stands = kept
}
