package replay

// others: where the nodes that are not predicted stand while a rule runs. The newest state of
// them is as old as the packet's way, and the rule runs as far ahead of the server as its
// commands need: between the two lies a round trip, in which a body that runs has gone its own
// width. Who is bumped into, and what pushes, is decided by places of one tick.

import (
	"math"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// maxOthers is how many other nodes are set on at most; of more, those that are nearest to
// what is predicted. It takes about 0.1 µs for each and tick.
const maxOthers = 256

// Others are the nodes that move, by what the authority has told, and are not predicted.
type Others struct {
	States *States

	all   []*nodes.Node // that moved when a packet came
	near  []*nodes.Node // of them, those that are set on, as of the last Choose
	reach float64       // how far from what is predicted they are looked for; 0: anywhere
	undos []undo
}

// An undo is a drawn field as it is told.
type undo struct {
	n          *nodes.Node
	ord, field int
	was, set   float64
}

// Note notes that an item of a node moves.
func (ot *Others) Note(n *nodes.Node) {
	if !n.Moves {
		n.Moves = true
		ot.all = append(ot.all, n)
	}
}

// Reset forgets all.
func (ot *Others) Reset() {
	for _, n := range ot.all {
		n.Moves = false
	}
	clear(ot.all)
	clear(ot.near)
	ot.all, ot.near = ot.all[:0], ot.near[:0]
}

// Choose chooses those that are set on, given what is predicted.
func (ot *Others) Choose(predicted []*nodes.Node) {
	if len(predicted) == 0 {
		ot.Reset()
		return
	}
	kept := ot.all[:0]
	for _, n := range ot.all {
		if ot.States.Nodes.Of(n.Entity) == n && !n.Leaving && n.Replica != nil && !n.Data.Transient && isMoving(n) {
			kept = append(kept, n)
		} else {
			n.Moves = false
		}
	}
	clear(ot.all[len(kept):])
	ot.all = kept
	ot.near = ot.near[:0]
	if len(kept) <= maxOthers {
		ot.near, ot.reach = append(ot.near, kept...), 0
		return
	}
	x0, y0, x1, y1 := ot.box(predicted)
	for _, n := range kept { // the reach finds its size in a few steps
		if x, y, ok := ot.place(n); ok {
			if off := max(x0-x, x-x1, y0-y, y-y1, 0); ot.reach == 0 || off <= ot.reach {
				if len(ot.near) == maxOthers {
					ot.reach = max(off, ot.reach) * 0.8
					return
				}
				ot.near = append(ot.near, n)
			}
		}
	}
	ot.reach *= 1.05
}

func isMoving(n *nodes.Node) bool {
	for ord := range n.Items {
		if n.Items[ord].Track != nil && n.Replica.IsMoving(ord) {
			return true
		}
	}
	return false
}

// box returns the rectangle around what is predicted.
func (ot *Others) box(predicted []*nodes.Node) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, n := range predicted {
		if x, y, ok := ot.place(n); ok {
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
	}
	return x0, y0, x1, y1
}

// place returns where a node says that it is.
func (ot *Others) place(n *nodes.Node) (x, y float64, ok bool) {
	for ord := range n.Items {
		b := &n.Items[ord]
		if b.Comp == nil || len(b.Comp.Pos) != 2 || b.Comp.StandIn != nil {
			continue
		}
		if _, at := ot.States.Component(b); at != nil {
			return b.Comp.Pos[0].Get(at), b.Comp.Pos[1].Get(at), true
		}
	}
	return 0, 0, false
}

// To sets the drawn fields of the others on to a tick, as they go on if nothing changes, until
// Back. Half a second after the newest packet they stop.
func (ot *Others) To(t rpl.Tick) {
	st := ot.States
	st.look(false)
	t = min(t, st.Proxy.Newest()+rpl.Tick(st.Steps/2))
	for _, n := range ot.near {
		if n.Predicted != nil || n.Leaving || st.Nodes.Of(n.Entity) != n {
			continue
		}
		for ord := range n.Items {
			b := &n.Items[ord]
			if b.Track == nil || b.Comp.StandIn != nil || !n.Replica.IsMoving(ord) {
				continue
			}
			_, at := st.Component(b)
			if at == nil {
				continue
			}
			st.words = n.Replica.WordsAt(ord, t, st.words[:0])
			for j := range b.Comp.Drawn.Fields {
				f := &b.Comp.Drawn.Fields[j]
				if f.Steps() {
					continue
				}
				u := undo{n: n, ord: ord, field: j, was: f.Get(at)}
				f.Set(at, f.Value(st.words))
				if u.set = f.Get(at); u.set != u.was {
					ot.undos = append(ot.undos, u)
				}
			}
			st.Nodes.Shift(n)
		}
	}
}

// Back sets them back, but for what a rule has set meanwhile.
func (ot *Others) Back() {
	st := ot.States
	st.look(true)
	for i := range ot.undos {
		u := &ot.undos[i]
		if st.Nodes.Of(u.n.Entity) != u.n || u.ord >= len(u.n.Items) {
			continue
		}
		b := &u.n.Items[u.ord]
		if _, at := st.Component(b); at != nil && u.field < len(b.Comp.Drawn.Fields) {
			if f := &b.Comp.Drawn.Fields[u.field]; f.Get(at) == u.set {
				f.Set(at, u.was)
			}
			st.Nodes.Shift(u.n)
		}
	}
	clear(ot.undos)
	ot.undos = ot.undos[:0]
}
