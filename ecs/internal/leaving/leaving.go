// Package leaving keeps proxies that were removed on the wire. They stay, without being nodes any more to
// the core, until drawn time has reached their removal. What ended together vanishes together: a tree.
package leaving

import (
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A List is the nodes that are leaving. The zero List, with its session, is ready.
type List struct {
	*nodes.Base
	Nodes  *nodes.Table
	Screen *track.Screen
	Stand  func(*nodes.Node) bool // has what hangs on what has gone be drawn where it is until its own news comes

	all  []*nodes.Node
	gone int                      // how many of all there were before the Apply in progress
	byID map[rpl.Node]*nodes.Node // those that may come again and are no load-time nodes
	came []rpl.Tick               // from when on what has come of late is drawn
	left []*nodes.Node            // below what has gone in the Apply in progress
}

// Add notes that a node is leaving.
func (l *List) Add(n *nodes.Node) {
	for c := range n.Kids {
		l.left = append(l.left, c)
	}
	l.all = append(l.all, n)
	if n.Name == "" { // a load-time node that comes again is found by its name
		if l.byID == nil {
			l.byID = map[rpl.Node]*nodes.Node{}
		}
		l.byID[n.ID] = n
	}
}

// Ends returns when the item of a node that goes ends, given the tick of the node's end. What has changed last is
// told with the removal, as of the packet with it: of a copy, which is later by a send at least, that is too late.
func (l *List) Ends(rep *rpl.Replica, ord int, end rpl.Tick) rpl.Tick {
	if t := rep.Tick(ord); t < end+l.Screen.Every() {
		return max(t, end)
	}
	return end
}

// Applied has left told of nodes whose parent has gone in this Apply. Those that have gone with it are leaving,
// and go when it does.
func (l *List) Applied(left func(*nodes.Node)) {
	gone := l.all[l.gone:]
	l.gone = len(l.all)
	for _, n := range gone {
		if n.Parent == nil || !n.Parent.Leaving {
			n.Until = l.until(n)
			l.endBelow(n)
		}
	}
	for _, n := range gone { // below what has gone before
		if n.Parent != nil && n.Parent.Leaving {
			l.endWith(n.Parent, n)
			l.endBelow(n)
		}
	}
	l.came = slices.DeleteFunc(l.came, func(from rpl.Tick) bool { return l.Screen.Render > float64(from+l.together()) })
	below := l.left
	l.left = nil
	for _, c := range below {
		left(c)
	}
}

// together is how many ticks the ends of what ended in one step are apart at most, as they are told, and where
// nothing is lost what comes in it: a send, and what has come last of a node is of the packet that tells of its
// end, which may be a copy.
func (l *List) together() rpl.Tick { return max(l.Screen.Every(), rpl.Tick(l.Steps/10)) }

// Came notes that a node has arrived that is drawn from a tick on.
func (l *List) Came(from rpl.Tick) {
	if !slices.Contains(l.came, from) { // mostly all are of one packet
		l.came = append(l.came, from)
	}
}

// until is until when a node is drawn: where others have come in its place, until the first of them is. What comes
// is first known as of a packet, and what goes as of its end, which is up to a send earlier. Where packets are lost
// copies tell of it, maybe in a later Apply than of what has come. What has been drawn past
// its end goes at once: it would be drawn going back to it.
func (l *List) until(n *nodes.Node) rpl.Tick {
	if n.Hidden || !n.Why.Destroyed() || l.Screen.Render >= float64(n.Until) && moves(n) {
		return n.Until
	}
	most := n.Until + l.together() + 1
	until := most
	for _, from := range l.came {
		if from >= n.Until {
			until = min(until, from)
		}
	}
	if until == most {
		return n.Until
	}
	return until
}

func moves(n *nodes.Node) bool {
	for i := range n.Items {
		if k := n.Items[i].Track; k != nil && k.Moving {
			return true
		}
	}
	return false
}

// endBelow has what hangs below a node that is leaving, and ended with it, vanish with it.
func (l *List) endBelow(n *nodes.Node) {
	for c := range n.Kids {
		if c.Leaving {
			l.endWith(n, c)
			l.endBelow(c)
		}
	}
}

// endWith has c vanish with n, on whose place it is drawn. What was predicted is hidden already, and where it
// is behind that c has never been drawn.
func (l *List) endWith(n, c *nodes.Node) {
	if n.Hidden && !c.Hidden {
		l.Base.Hide(c, true)
	}
	if c.Until+l.together() >= n.Until {
		c.Until = n.Until
	}
}

// Of returns the node of an id that is leaving, nil if there is none.
func (l *List) Of(id rpl.Node) *nodes.Node {
	if n := l.byID[id]; n != nil && l.stays(n) {
		return n
	}
	return nil
}

// stays reports whether a node is still leaving: else it has ended, or has come again.
func (l *List) stays(n *nodes.Node) bool { return n.Leaving && l.Nodes.Of(n.Entity) == n }

// Hide hides what drawn time has reached the removal of, and what hangs below it.
func (l *List) Hide() {
	for _, n := range l.all {
		if l.Screen.Render >= float64(n.Until) && !n.Hidden && l.stays(n) {
			l.hideTree(n)
		}
	}
}

// hideTree hides a node that has gone, with what has gone below it. What hangs there and has not gone stands.
func (l *List) hideTree(n *nodes.Node) {
	l.Base.Hide(n, true)
	for c := range n.Kids {
		switch {
		case c.Leaving:
			l.hideTree(c)
		case !l.Stand(c):
			l.HideTree(c)
		}
	}
}

// Sweep has end called for the nodes that drawn time has reached the removal of.
func (l *List) Sweep(end func(*nodes.Node)) {
	if len(l.all) == 0 {
		return
	}
	list := l.all
	l.all = nil
	defer func() { l.gone = len(l.all) }()
	for _, n := range list {
		stays := l.stays(n)
		if stays && l.Screen.Render < float64(n.Until) {
			l.all = append(l.all, n)
			continue
		}
		if l.byID[n.ID] == n {
			delete(l.byID, n.ID)
		}
		if stays {
			end(n)
		}
	}
}

// Clear forgets all of them, with their level.
func (l *List) Clear() { l.all, l.gone, l.byID, l.came, l.left = nil, 0, nil, nil, nil }
