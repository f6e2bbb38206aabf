package rewind

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// client: what this machine has shown in each tick of its player's commands. That is what the
// authority works out of its own past for the same command, so that a rule which asks inside of
// Rewind comes to the same on both, and again where a correction runs the tick again.

// A frame is what was shown in a tick as a whole.
type frame struct {
	tick  rpl.Tick
	drawn float64 // at which tick the others were drawn
}

// Draw keeps what is drawn now as what the player sees in a tick, the last of which in this step is newest, if
// any rule has gone back before.
func (rw *History) Draw(t, newest rpl.Tick) {
	if rw.asked && newest-t < rw.size { // else it would be overwritten at once
		rw.draw(t)
	}
}

func (rw *History) draw(t rpl.Tick) {
	slot := int(t % rw.size)
	rw.frames[slot] = frame{t, rw.Screen.Render}
	rw.each(func(k *rewound, p *past, e *donburi.Entry) {
		n := p.node
		if n.Owner == rw.Me || n.Predicted != nil {
			return
		}
		b := n.Binding(k.comp, e.Entity())
		if b == nil || b.Track == nil || b.Track.Empty() {
			return
		}
		m, shown := moment{tick: t, parent: n.Parent}, b.Track
		if n.Former != nil && n.Entity == e.Entity() && k.comp.Type == donburi.IComponentType(components.Transform) {
			if f := rw.Nodes.FormerAt(n, rw.Screen.Render); f != nil && !f.Track.Empty() {
				m.parent, shown = f.Parent, f.Track
			}
		}
		p.moments[slot] = m
		rw.Screen.Values(shown, p.row(k, slot))
	})
}

// BackTo sets everything to what this client has drawn in a tick of its commands, until Forth. What it
// drew in ticks before the first BackTo is not known: there everything stays as it is.
func (rw *History) BackTo(t rpl.Tick) {
	if !rw.asked && len(rw.rewound) > 0 {
		rw.asked = true
		rw.draw(t)
	}
	rw.begin(claim{tick: t})
}

// isHidden reports whether a node was not drawn yet in a tick, or has gone: for the authority it is not
// there either.
func (rw *History) isHidden(n *nodes.Node, t rpl.Tick) bool {
	if f := &rw.frames[t%rw.size]; f.tick == t {
		return n.Leaving || n.IsOrphan() || f.drawn < float64(n.From)
	}
	return n.Hidden || n.Leaving
}

// Sets reports whether the Rewind in progress has set a component of a node's entity.
func (rw *History) Sets(n *nodes.Node, e donburi.Entity, c donburi.IComponentType) bool {
	if len(rw.claims) == 0 || n == nil || n.Unseen {
		return false
	}
	s := rw.sight(rw.claims[len(rw.claims)-1])
	for i := range rw.rewound {
		if k := &rw.rewound[i]; k.comp.Type == c {
			p := k.of[e]
			if p == nil || p.node != n || !rw.isShown(n, &s) {
				return false
			}
			m, _, _, _ := p.drawn(k, &s)
			return m != nil
		}
	}
	return false
}

// Saw is whether an entity is there for a rule: not if a replay has not made it yet, nor inside of a
// Rewind what the caller had not on its screen.
func (rw *History) Saw(e *donburi.Entry) bool {
	n := rw.Nodes.Of(e.Entity())
	if n == nil { // what is to be a node has been made in this step
		return len(rw.claims) == 0 || !e.HasComponent(components.RplNode)
	}
	return !n.Leaving && !rw.Nodes.IsUnseen(n) && !(n.Predicted != nil && n.Predicted.Gone)
}

// Reset forgets all, as where the machine becomes a client, or is none any more: ticks count anew.
func (rw *History) Reset() {
	rw.asked = false
	clear(rw.frames)
	for i := range rw.rewound {
		k := &rw.rewound[i]
		for e, p := range k.of {
			k.forget(p.node, e)
		}
		clear(k.live)
		k.live = k.live[:0]
	}
}
