package ecs

// proxies: a client's core reports what has arrived, and this file turns it into entities
// and components, and hangs one below the other.

import (
	"fmt"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/binding"
	"github.com/tendonengine/tendon/ecs/internal/building"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/leaving"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/ecs/internal/replay"
	"github.com/tendonengine/tendon/ecs/internal/spawns"
	"github.com/tendonengine/tendon/rpl"
)

// proxies keep the entities of proxies in step with the core, which calls them with
// everything that has arrived, parents first. They queue the callbacks until all state is
// in place.
type proxies struct {
	*shared
	nodes    *nodes.Table
	loadTime *loadtime.Nodes
	prefabs  *building.Runner
	client   *client
	draw     *drawing.Keeper
	items    *binding.Keeper
	calls    *caller
	notify   *callbacks.Queue
	predict  *prediction

	parting   bool // the Apply in progress has removed nodes
	leaving   leaving.List
	strangers map[string]*rpl.Replica // load-time nodes that have no entity here
}

var _ rpl.ProxyHandler = (*proxies)(nil)

func (px *proxies) Arrived(rep *rpl.Replica) {
	n := px.arrival(rep)
	if n == nil {
		return
	}
	if n.Replica != nil { // the entity stood for another node, whose state no longer counts
		n.Replica.Entity = nil
		px.items.UnreferAll(n)
	}
	rep.Entity = n
	px.notify.TakeOrder(n) // parents arrive first, so their callbacks run first
	n.Replica, n.ID = rep, rep.ID
	n.From = px.firstTick(rep)
	px.nodes.Add(n)
	n.Asked = px.predict.spawns.Asked(n, rep.Owner) // what a command has made may be another's at once
	px.nodes.SetOwner(n, rep.Owner)
	hung := n.Awaited && n.Predicted != nil && rep.Parent != 0 // it was made at the top
	if hung {
		px.draw.Moved.Leave(n)
	}
	px.hang(n)
	px.notify.OrderAfterParent(n)
	px.nodes.Shed(n)
	px.bindAll(n, rep.Items)
	if n == px.nodes.Session {
		px.client.sessionHere = true
		return
	}
	if n.Awaited { // it is drawn already, ahead of drawn time
		if n.Predicted != nil {
			px.predict.states.Begun(n)
		}
		switch n.Awaited = false; {
		case hung:
			px.place(n)
		case n.Predicted != nil:
			px.predict.states.Decided(n)
		}
		return
	}
	px.draw.Arrived(n)
	px.leaving.Came(n.From)
}

// forgetLevel forgets the nodes of a level that has ended.
func (px *proxies) forgetLevel() {
	px.leaving.Clear()
	px.items.References = references.Index[nodes.ItemOf]{}
	clear(px.strangers)
}

// firstTick returns the tick of the state with which a node has arrived.
func (px *proxies) firstTick(rep *rpl.Replica) (t rpl.Tick) {
	for ord := range rep.Items {
		t = max(t, rep.Tick(ord))
	}
	if t == 0 { // the node has no state
		t = px.Proxy.Newest()
	}
	return t
}

// arrival finds or makes the entity of a node. It returns nil for a load-time node that
// this machine lacks.
func (px *proxies) arrival(rep *rpl.Replica) *nodes.Node {
	switch {
	case rep.ID == rpl.SessionNode:
		return px.nodes.Session
	case rep.Name != "":
		n := px.loadTime.Node(rep.Name)
		if n == nil {
			px.Faults.Refuse("name unknown", fmt.Errorf("the server has a load-time node %q that this machine lacks", rep.Name))
			px.strangers[rep.Name] = rep
			return nil
		}
		switch was := n.Replica; {
		case n.Leaving:
			px.endProxy(n, n.Why)
			px.rest(n)
		case was != nil && was.ID != rep.ID: // the former node of the name has ended, of which the news comes later
			was.Entity = nil
			px.endProxy(n, nodes.Removed)
			px.rest(n)
		}
		return n
	}
	px.endLeaving(rep.ID)
	args, name := spawns.Arguments(px.Kinds.Prefabs[rep.Prefab], rep.Args)
	if n, made := px.predict.spawns.Claim(name, rep.Prefab); n != nil {
		n.SetBefore(made)
		if p := n.Predicted; p != nil {
			p.Aside = p.Born != name.Tick
		}
		return n
	}
	e := px.build(rep, args)
	donburix.Add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := px.nodes.New(e.Entity(), components.NodeData{})
	if def := px.Kinds.Prefabs[rep.Prefab]; def != nil {
		if data := components.RplNode.Get(e); *data == (components.NodeData{}) { // else its function has said it
			*data = def.Node
		}
	}
	n.Data = *components.RplNode.Get(e)
	delete(px.nodes.Parts, e.Entity())
	for _, p := range n.Parts() {
		donburix.Add(px.World.Entry(p), components.Proxy)
	}
	n.SetBuilt(px.loadTime.BuiltWith(n))
	px.predict.spawns.Resolve(name, px.Kinds.Prefabs[rep.Prefab], n, rep.Owner == px.Me)
	return n
}

// build runs the prefab's function, or makes the entity from the node's items alone.
func (px *proxies) build(rep *rpl.Replica, args []byte) *donburi.Entry {
	if def := px.Kinds.Prefabs[rep.Prefab]; def != nil {
		b := px.prefabs.Builder(def)
		switch {
		case b.Parse == nil:
			px.Faults.Refuse("prefab without function", fmt.Errorf("prefab %s has none here: give one to NewPrefab or to Build", def.Name))
		default:
			e, err := px.prefabs.Run(def, func() (*donburi.Entry, error) { return b.Parse(px.World, def.Wire.Args, args, px.nodes) })
			if err == nil {
				return e
			}
			px.Faults.Refuse("prefab refused", fmt.Errorf("prefab %s: %w", def.Name, err))
		}
	}
	cs := []donburi.IComponentType{components.RplNode, components.Owner, components.Parent, components.Proxy}
	for _, t := range rep.Items {
		if t == nil {
			continue
		}
		if c := px.Kinds.ByItem[t].Type; !slices.Contains(cs, c) {
			cs = append(cs, c)
		}
	}
	return px.World.Entry(donburix.Create(px.World, cs...))
}

// inject writes an item's state into its component, in place.
func (px *proxies) inject(n *nodes.Node, ord int, t rpl.Tick) {
	if n.Predicted != nil {
		px.items.Repoint(n, ord, nil)
		if !n.Awaited { // else it arrives now, with all that it is to have
			px.predict.states.Entitle(n, ord)
		}
		return // the prediction compares the rest
	}
	b := &n.Items[ord]
	if px.items.Inject(n, ord) && b.Track != nil && !n.Replica.Gone() { // else MoveToEnd draws it, as of its end
		if px.draw.Came(n, ord, t); b.Track.Moving {
			px.predict.moves(n)
		}
	}
}

func (px *proxies) Loaded(rep *rpl.Replica) {
	n, ok := rep.Entity.(*nodes.Node)
	if !ok {
		return
	}
	if n != px.nodes.Session {
		px.Faults.Count("stream in")
		px.notify.Arrived(n)
	}
	for i := range n.Items {
		px.notify.CompareItem(n, &n.Items[i])
	}
}

func (px *proxies) Owned(rep *rpl.Replica, _ rpl.Peer) {
	if n, ok := rep.Entity.(*nodes.Node); ok {
		px.notify.Passes(n, rep.Owner)
	}
}

// Reparenting comes before anything in the tree has changed.
func (px *proxies) Reparenting(rep *rpl.Replica) {
	if n, ok := rep.Entity.(*nodes.Node); ok {
		px.draw.Moved.Keep(n)
	}
}

// Parented arrives in one packet with the position relative to the new parent: nothing is
// interpolated between it and the position relative to the old one. What goes on as before,
// such as a place in the world, is drawn on its way.
func (px *proxies) Parented(rep *rpl.Replica, _ rpl.Node) {
	n, ok := rep.Entity.(*nodes.Node)
	if !ok {
		return
	}
	px.draw.Moved.Leave(n)
	was := n.Orphan
	px.hang(n)
	if !n.Orphan {
		px.draw.Moved.Hang(n)
	}
	px.notify.OrderAfterParent(n)
	px.notify.ParentChanged(n)
	switch {
	case rep.Orphaned() && px.draw.Moved.StandAsKept(n):
	case px.nodes.IsLost(n):
		px.draw.HideTree(n)
	case was && n.Hidden:
		n.From = px.Proxy.Newest()
		fallthrough
	case n.Hidden:
		px.draw.ShowWhenDue(n)
	}
	if n.Predicted != nil {
		px.place(n)
	}
	px.draw.Parented(n)
}

// place has what is predicted be where the server has it below a parent that is new to it: where it
// was predicted is no place below that.
func (px *proxies) place(n *nodes.Node) {
	n.Predicted.Hung = true
	for ord := range n.Items {
		px.items.Inject(n, ord)
	}
}

func (px *proxies) Changed(rep *rpl.Replica, ord int, t rpl.Tick) {
	if n, ok := rep.Entity.(*nodes.Node); ok && ord < len(n.Items) && !n.IsOwnNow(ord) {
		px.inject(n, ord, t)
		if n.Predicted == nil || !replay.Known(n) { // else its component is of the state that was compared last
			px.items.Refer(n, ord)
		}
		px.notify.CompareItem(n, &n.Items[ord])
	}
}

func (px *proxies) Advanced(rep *rpl.Replica, ord int, t rpl.Tick) {
	n, ok := rep.Entity.(*nodes.Node)
	if !ok || ord >= len(n.Items) || n.Data.Transient { // every machine moves a transient node itself
		return
	}
	if n.Predicted != nil || !px.draw.Screen.Waits(n.Items[ord].Track, rep.Tick(ord), t) {
		px.inject(n, ord, t)
		px.notify.CompareItem(n, &n.Items[ord])
	}
}

func (px *proxies) Run(c rpl.Call) {
	px.items.Resolve()
	px.notify.CallBack()
	px.calls.runRemote(c)
}

func (px *proxies) Gone(rep *rpl.Replica, t rpl.Tick, destroyed bool) {
	delete(px.strangers, rep.Name)
	n, ok := rep.Entity.(*nodes.Node)
	if !ok || n == px.nodes.Session {
		return
	}
	if px.parting {
		px.items.ResolveOf(n) // its targets may be removed before it; other referrers are resolved after all removals
	} else {
		px.parting = true
		px.items.Resolve()
	}
	if n.Predicted != nil { // it goes at once: what hangs on it is not to be drawn going back with it to its end
		px.draw.Moved.End(n)
		for c := range n.Kids {
			px.draw.Stand(c)
		}
	}
	px.end(n)
	px.notify.CallBack()
	if px.nodes.Of(n.Entity) != n { // a callback has removed it
		return
	}
	if n.Leaving, n.Until, n.Why = true, t, nodes.Reason(rep.Reason); !destroyed {
		n.Why = nodes.OutOfSight
	}
	for ord := range n.Items {
		n.Until = max(n.Until, px.leaving.Ends(rep, ord, t))
	}
	if n.Predicted != nil && !n.Hidden { // it is drawn ahead of drawn time
		px.draw.Hide(n, true)
	}
	px.draw.MoveToEnd(n, t)
	px.items.UnreferAll(n)
	px.nodes.Unbind(n)
	px.leaving.Add(n)
}

// end has the components of a node that goes show what it was in the end: what moves on by itself up
// to the tick of its end, and what is predicted here as the server has decided.
func (px *proxies) end(n *nodes.Node) {
	px.predict.states.Fit(n)
	for ord := range n.Items {
		if !n.Data.Transient && (n.Predicted != nil || n.Replica.IsMoving(ord)) {
			px.items.Inject(n, ord)
			px.notify.CompareItem(n, &n.Items[ord])
			if n.Predicted != nil {
				px.draw.Restart(n, ord)
			}
		}
	}
}

// hang puts a proxy under the parent that the core says it has. It becomes an orphan if that
// parent is not known, or has no entity here. The core has all of its tree changed before it tells
// of any change, so between two reports this machine's tree is partly the former one.
func (px *proxies) hang(n *nodes.Node) {
	rep := n.Replica
	up := px.nodes.ByID[rep.Parent]
	if rep.Orphaned() {
		up = nil
	}
	for up != nil && px.letGo(up, n) {
	}
	if up != nil && up.IsBelow(n) {
		up = nil
	}
	px.nodes.LinkTo(n, up)
	n.Orphan = up == nil && (rep.Orphaned() || rep.Parent != 0)
}

// letGo lets a node leave its parent that hangs below n and above up by a hold that is no
// longer true, and reports whether there was one: the node's own change of parent is told
// later in this Apply, or its parent has gone, or it has gone itself and is only still drawn.
// Such a node is drawn as before until drawn time gets there (internal/reparent).
func (px *proxies) letGo(up, n *nodes.Node) bool {
	if !up.IsBelow(n) {
		return false
	}
	for u := up; u != n; u = u.Parent {
		if u.HeldTruly() {
			continue
		}
		px.draw.Moved.Leave(u)
		px.nodes.LinkTo(u, nil)
		px.notify.ParentChanged(u)
		if !u.Leaving && u.Replica.Orphaned() { // where it is drawn hangs on what has changed already
			px.orphan(u)
			px.draw.HideTree(u)
		}
		return true
	}
	return false
}

// orphan notes that a node's place is unknown.
func (px *proxies) orphan(n *nodes.Node) {
	n.Orphan = true
	px.nodes.Shift(n)
}
