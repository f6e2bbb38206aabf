package callbacks

// queue: what waits, and in which order it runs.

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A Queue calls the game back when a batch of changes is complete.
type Queue struct {
	*nodes.Base
	Hooks

	nodes  *nodes.Table
	events []event // callbacks that wait for the end of a batch
	spare  []event // room for the next batch
	batch  uint32
	places int32

	// Scratch.
	olds  []unsafe.Pointer // by component.order: room for what OnChange is given as old; nil while it is in use
	words []int32
	vars  []any
	seen  nodes.Sightings
}

// New makes the queue of a session.
func New(b *nodes.Base, t *nodes.Table) Queue {
	return Queue{Base: b, nodes: t, olds: make([]unsafe.Pointer, len(b.Kinds.Components))}
}

// Hooks are the game's functions about nodes, each kind in the order in which they were
// given.
type Hooks struct {
	StreamIn  []On[func(e *donburi.Entry)]
	StreamOut []On[func(e *donburi.Entry, destroyed bool)]
	Parent    []On[func(e *donburi.Entry, old donburi.Entity)]
	Owner     []On[func(e *donburi.Entry, old rpl.Peer)]
	Seen      []On[func(e *donburi.Entry)]
	Unseen    []On[func(e *donburi.Entry)]
	Change    map[int][]func(e *donburi.Entry, old unsafe.Pointer) // by component.order
}

// On is a function for entities with a component.
type On[F any] struct {
	Component donburi.IComponentType
	Call      F
}

// An event is a callback that waits until all state of its batch is in place.
type event struct {
	node   *nodes.Node
	comp   *nodes.Component // of OnChange; nil: the event is about the node itself
	about  about
	entity donburi.Entity
}

// about is what has happened to a node itself, in the order in which the game is told.
type about uint8

const (
	itsArrival about = iota // OnStreamIn, then the others
	itsParent
	itsOwner
	abouts
)

func (e *event) order() int {
	if e.comp != nil {
		return e.comp.Order
	}
	return int(e.about) - int(abouts)
}

// add queues a callback. Nodes take their turns in the order of their first event, or
// their arrival, in a batch.
func (q *Queue) add(e event) {
	q.TakeOrder(e.node)
	q.events = append(q.events, e)
}

// Arrived queues OnStreamIn of a node, and what follows from it.
func (q *Queue) Arrived(n *nodes.Node) { q.add(event{node: n}) }

// OwnerChanged queues OnOwner for a node that may have another owner.
func (q *Queue) OwnerChanged(n *nodes.Node) { q.add(event{node: n, about: itsOwner}) }

// Passes records the new owner of a node.
func (q *Queue) Passes(n *nodes.Node, to rpl.Peer) {
	if n.Owner == q.Me && to != q.Me && to != 0 {
		n.Asked = false // it is another player's from now on, whose input is not known here
	}
	q.nodes.SetOwner(n, to)
	q.OwnerChanged(n)
}

// PassOn records the new owner of a node and of all nodes below it.
func (q *Queue) PassOn(n *nodes.Node, to rpl.Peer) {
	q.Passes(n, to)
	for c := range n.Kids {
		q.PassOn(c, to)
	}
}

// Drop forgets what waits.
func (q *Queue) Drop() { q.events = nil }

// ParentChanged queues OnParent for a node that may have another parent. Of one that has not
// come yet its arrival tells, in a turn after its parent's.
func (q *Queue) ParentChanged(n *nodes.Node) {
	if n.Here {
		q.add(event{node: n, about: itsParent})
	}
}

// TakeOrder gives a node its place in the order of this batch, if it has none yet.
func (q *Queue) TakeOrder(n *nodes.Node) {
	if n.Batch != q.batch || n.Order == 0 {
		q.places++
		n.Batch, n.Order = q.batch, q.places
	}
}

// OrderAfterParent gives a node, and those below it, another place if its parent has arrived
// after it in this batch: a parent's callbacks run first.
func (q *Queue) OrderAfterParent(n *nodes.Node) {
	up := n.Parent
	if up == nil || up.Here || up.Batch != q.batch || n.Batch != q.batch || n.Order > up.Order {
		return
	}
	q.places++
	n.Order = q.places
	for c := range n.Kids {
		q.OrderAfterParent(c)
	}
}

// Waits reports whether a callback waits.
func (q *Queue) Waits() bool { return len(q.events) > 0 }

// burst is for how many events room is kept while there are none.
const burst = 1024

// CallBack runs the queued callbacks node by node: OnStreamIn, OnParent, OnOwner, then
// OnChange in order of registration.
func (q *Queue) CallBack() {
	if len(q.events) == 0 {
		if cap(q.events)+cap(q.spare) > burst {
			q.events, q.spare = nil, nil
		}
		return
	}
	events := q.events
	q.events, q.spare = q.spare[:0], nil
	q.batch++
	q.places = 0
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.node.Order, b.node.Order), cmp.Compare(a.order(), b.order()))
	})
	for i := range events {
		e := &events[i]
		if e.comp == nil {
			if e.about == itsArrival {
				e.node.Here = true
				q.streamedIn(e.node, q.StreamIn)
				if q.Auth != nil && q.Me != 0 { // this machine's player has every node
					q.streamedIn(e.node, q.Seen)
				}
			}
			if e.about != itsOwner {
				q.reportParent(e.node)
			}
			if e.about != itsParent {
				q.reportOwner(e.node)
			}
			continue
		}
		q.reportChange(e.node, e.comp, e.entity)
	}
	clear(events) // what has gone is not kept
	q.spare = events
}

// reportChange runs OnChange of an item if it differs from what OnChange saw last.
func (q *Queue) reportChange(n *nodes.Node, c *nodes.Component, ent donburi.Entity) {
	old := q.changed(n, c, ent)
	if old == nil {
		return
	}
	for _, fn := range q.Change[c.Order] {
		if q.nodes.Of(ent) == n && !n.Leaving && q.World.Entry(ent).HasComponent(c.Type) {
			fn(q.World.Entry(ent), old)
		}
	}
	q.olds[c.Order] = old // each function was given a copy
}

// ChangedLast runs OnChange at once for an item of a node that is about to go: nobody will
// compare it again.
func (q *Queue) ChangedLast(n *nodes.Node, b *nodes.Binding) {
	if b.Reported != nil {
		q.reportChange(n, b.Comp, b.Entity)
	}
}

// Watched runs OnSeen or OnUnseen of a node.
func (q *Queue) Watched(n *nodes.Node, seen bool) {
	if seen {
		q.streamedIn(n, q.Seen)
	} else {
		q.streamedIn(n, q.Unseen)
	}
}

// streamedIn runs OnStreamIn of a node, or other functions of that kind.
func (q *Queue) streamedIn(n *nodes.Node, hooks []On[func(e *donburi.Entry)]) {
	for _, h := range hooks {
		for _, ent := range n.Entities() {
			if q.nodes.Of(ent) == n && !n.Leaving && q.World.Valid(ent) {
				if e := q.World.Entry(ent); e.HasComponent(h.Component) {
					h.Call(e)
				}
			}
		}
	}
}

// reportParent runs OnParent if the node's parent differs from the one that OnParent was
// last told of.
func (q *Queue) reportParent(n *nodes.Node) {
	old, now := n.ReportedParent, donburi.Null
	if up := n.Parent; up != nil && !up.Leaving {
		now = up.Entity
	}
	if !n.Here || old == now {
		return
	}
	n.ReportedParent = now
	for _, h := range q.Parent {
		if q.nodes.Of(n.Entity) == n && !n.Leaving && q.World.Valid(n.Entity) {
			if e := q.World.Entry(n.Entity); e.HasComponent(h.Component) {
				h.Call(e, old)
			}
		}
	}
}

// reportOwner runs OnOwner if the node's owner differs from the one that OnOwner was last
// told of.
func (q *Queue) reportOwner(n *nodes.Node) {
	old := n.ReportedOwner
	if !n.Here || old == n.Owner {
		return
	}
	n.ReportedOwner = n.Owner
	for _, h := range q.Owner {
		for _, ent := range n.Entities() {
			if q.nodes.Of(ent) == n && !n.Leaving && q.World.Valid(ent) {
				if e := q.World.Entry(ent); e.HasComponent(h.Component) {
					h.Call(e, old)
				}
			}
		}
	}
}

// StreamedOut runs OnStreamOut at once, for a node that is about to go, or whose RplNode has gone.
func (q *Queue) StreamedOut(n *nodes.Node, destroyed bool) {
	for _, h := range q.StreamOut {
		ofNodes := h.Component == donburi.IComponentType(components.RplNode)
		for _, ent := range n.Entities() {
			if q.World.Valid(ent) {
				if e := q.World.Entry(ent); e.HasComponent(h.Component) || ofNodes && ent == n.Entity {
					h.Call(e, destroyed)
				}
			}
		}
	}
}
