package ecs

// proxies: a client's core reports what has arrived, and this file turns it into entities
// and components.

import (
	"fmt"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/rpl"
)

// onProxy is the part of a node that only a client needs.
type onProxy struct {
	replica   *rpl.Replica
	from      rpl.Tick // tick of its first sample: not drawn before
	until     rpl.Tick // tick of its removal: not drawn from then on
	hidden    bool
	orphan    bool // its parent is not known, or not here, and so its place is not: not drawn
	leaving   bool // removed on the wire; stays until drawn time reaches the removal
	destroyed bool
	former    *former // where it hung before, as long as it is drawn there
}

// proxies keep the entities of proxies in step with the core, which calls them with
// everything that has arrived, parents first. They queue the callbacks until all state is
// in place.
type proxies struct {
	*shared
	nodes    *nodeTable
	loadTime *loadTime
	prefabs  *building
	client   *client
	draw     *drawing
	calls    *caller
	notify   *notifier

	parting    bool // the Apply in progress has removed nodes
	references references.Index[itemOf]
	ids        []rpl.Node // scratch
	leaving    []*node
	leavers    map[rpl.Node]*node      // of leaving, by id: those that may come again and are no load-time nodes
	strangers  map[string]*rpl.Replica // load-time nodes that have no entity here
}

var _ rpl.ProxyHandler = (*proxies)(nil)

func (px *proxies) Arrived(rep *rpl.Replica) {
	n := px.arrival(rep)
	if n == nil {
		return
	}
	if n.replica != nil { // the entity stood for another node, whose state no longer counts
		n.replica.Entity = nil
		px.unreferAll(n)
	}
	rep.Entity = n
	px.notify.takeTurn(n) // parents arrive first, so their callbacks run first
	n.replica, n.id = rep, rep.ID
	n.from = px.firstTick(rep)
	px.nodes.add(n)
	px.nodes.setOwner(n, rep.Owner)
	px.hang(n)
	px.notify.turnAfterParent(n)
	px.shed(n)
	px.bindAll(n, rep.Items)
	if n == px.nodes.session {
		px.client.sessionHere = true
		return
	}
	if !n.hidden {
		px.draw.hide(n)
	}
	px.draw.hiding = append(px.draw.hiding, n)
}

// firstTick returns the tick of the state with which a node has arrived.
func (px *proxies) firstTick(rep *rpl.Replica) (t rpl.Tick) {
	for ord := range rep.Items {
		t = max(t, rep.Tick(ord))
	}
	if t == 0 { // the node has no state
		t = px.proxy.Newest()
	}
	return t
}

// arrival finds or makes the entity of a node. It returns nil for a load-time node that
// this machine lacks.
func (px *proxies) arrival(rep *rpl.Replica) *node {
	switch {
	case rep.ID == rpl.SessionNode:
		return px.nodes.session
	case rep.Name != "":
		n := px.nodes.of(px.loadTime.byName[rep.Name])
		if n == nil {
			px.faults.Refuse("name unknown", fmt.Errorf("the server has a load-time node %q that this machine lacks", rep.Name))
			px.strangers[rep.Name] = rep
			return nil
		}
		if n.leaving {
			px.endProxy(n, n.destroyed)
			px.rest(n)
		}
		return n
	}
	px.endLeaving(rep.ID)
	e := px.build(rep)
	donburix.Add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := &node{entity: e.Entity(), parts: px.nodes.parts[e.Entity()]}
	if def := px.kinds.prefabs[rep.Prefab]; def != nil {
		if data := components.RplNode.Get(e); *data == (components.NodeData{}) { // else its function has said it
			*data = def.node
		}
	}
	n.data = *components.RplNode.Get(e)
	delete(px.nodes.parts, e.Entity())
	for _, p := range n.parts {
		donburix.Add(px.world.Entry(p), components.Proxy)
	}
	n.built = px.loadTime.builtWith(n)
	return n
}

// build runs the prefab's function, or makes the entity from the node's items alone.
func (px *proxies) build(rep *rpl.Replica) *donburi.Entry {
	if def := px.kinds.prefabs[rep.Prefab]; def != nil {
		b := px.prefabs.builder(def)
		switch {
		case b.parse == nil:
			px.faults.Refuse("prefab without function", fmt.Errorf("prefab %s has none here: give one to NewPrefab or to Build", def.name))
		default:
			var e *donburi.Entry
			var err error
			px.prefabs.within(def, func() { e, err = b.parse(px.world, def.wire.Args, rep.Args, px.nodes) })
			if err == nil {
				err = px.prefabs.checkBuilt(e)
			}
			if err == nil {
				px.prefabs.checkBeside(def, e)
				return px.world.Entry(e.Entity())
			}
			px.faults.Refuse("prefab refused", fmt.Errorf("prefab %s: %w", def.name, err))
		}
	}
	cs := []donburi.IComponentType{components.RplNode, components.Owner, components.Parent, components.Proxy}
	for _, t := range rep.Items {
		if t == nil {
			continue
		}
		if c := px.kinds.byItem[t].c; !slices.Contains(cs, c) {
			cs = append(cs, c)
		}
	}
	return px.world.Entry(donburix.Create(px.world, cs...))
}

// inject writes an item's state into its component, in place.
func (px *proxies) inject(n *node, ord int, t rpl.Tick) {
	b := &n.items[ord]
	e, p := px.component(b)
	if p == nil {
		return
	}
	if n.predicted != nil {
		return // the prediction compares it
	}
	w := px.tagged(b.comp, e, p)
	if !px.proxy.Inject(n.replica, ord, b.comp.item, w) {
		return
	}
	if b.comp.standIn != nil {
		b.comp.standIn.set(e, p, w)
	}
	if b.track != nil {
		px.draw.words = n.replica.Words(ord, px.draw.words[:0])
		t = px.draw.sampleTick(n, ord, t)
		px.draw.screen.Push(b.track, t, px.draw.screen.StillUntil(b.track, t), px.proxy.Newest(), px.draw.words)
		px.draw.startInPlace(n, b)
	}
}

func (px *proxies) Loaded(rep *rpl.Replica) {
	n, ok := rep.Entity.(*node)
	if !ok {
		return
	}
	if n != px.nodes.session {
		px.faults.Count("stream in")
		px.notify.tell(event{node: n})
	}
	for i := range n.items {
		px.notify.look(n, &n.items[i])
	}
}

func (px *proxies) Owned(rep *rpl.Replica, _ rpl.Peer) {
	if n, ok := rep.Entity.(*node); ok {
		px.nodes.setOwner(n, rep.Owner)
		px.notify.tell(event{node: n, about: itsOwner})
	}
}

// Parented arrives in one packet with the position relative to the new parent: nothing is
// interpolated between it and the position relative to the old one. What goes on as before,
// such as a place in the world, is drawn on its way.
func (px *proxies) Parented(rep *rpl.Replica, _ rpl.Node) {
	n, ok := rep.Entity.(*node)
	if !ok {
		return
	}
	px.draw.noteFormer(n)
	was := n.orphan
	px.hang(n)
	px.notify.turnAfterParent(n)
	px.notify.tellParent(n)
	switch {
	case n.isAdrift():
		px.draw.hideTree(n)
	case was:
		n.from = px.proxy.Newest()
		fallthrough
	case n.hidden:
		px.draw.showWhenDue(n)
	}
	for ord := range n.items {
		if k := n.items[ord].track; k != nil {
			px.draw.words = rep.Words(ord, px.draw.words[:0])
			if !k.Follows(px.proxy.Newest(), px.draw.words) {
				k.Restart(rep.Tick(ord), px.draw.words)
				px.draw.startInPlace(n, &n.items[ord])
			}
		}
	}
}

// isOwnNow reports whether this machine decides about an item of a proxy since it arrived. For
// a transient node only copies of the arrival come later, with what the authority's node is
// like by then. An item of several parts may also be told anew because rights have changed.
func (n *node) isOwnNow(ord int) bool {
	b := &n.items[ord]
	return n.data.Transient && b.comp != nil && len(b.comp.item.Parts) == 1
}

func (px *proxies) Changed(rep *rpl.Replica, ord int, t rpl.Tick) {
	if n, ok := rep.Entity.(*node); ok && ord < len(n.items) && !n.isOwnNow(ord) {
		px.inject(n, ord, t)
		px.refer(n, ord)
		px.notify.look(n, &n.items[ord])
	}
}

func (px *proxies) Advanced(rep *rpl.Replica, ord int, t rpl.Tick) {
	if n, ok := rep.Entity.(*node); ok && ord < len(n.items) && !n.data.Transient { // every machine moves a transient node itself
		px.inject(n, ord, t)
		px.notify.look(n, &n.items[ord])
	}
}

func (px *proxies) Run(c rpl.Call) {
	px.resolve()
	px.notify.callBack()
	px.calls.runRemote(c)
}

func (px *proxies) Gone(rep *rpl.Replica, t rpl.Tick, destroyed bool) {
	delete(px.strangers, rep.Name)
	n, ok := rep.Entity.(*node)
	if !ok || n == px.nodes.session {
		return
	}
	if px.parting {
		px.resolveOf(n) // its targets may be removed before it; other referrers are resolved after all removals
	} else {
		px.parting = true
		px.resolve()
	}
	px.notify.callBack()
	if px.nodes.of(n.entity) != n { // a callback has removed it
		return
	}
	n.leaving, n.until, n.destroyed = true, t, destroyed
	px.draw.moveToEnd(n)
	px.unreferAll(n)
	px.nodes.unbind(n)
	for c := range n.kids {
		px.notify.tellParent(c)
	}
	px.noteLeaving(n)
}

// endProxy tells the game that a proxy goes, and forgets its node; its entities stay.
func (px *proxies) endProxy(n *node, destroyed bool) {
	if n == px.nodes.session {
		return
	}
	if n.here {
		if !n.hidden {
			px.draw.hide(n)
		}
		px.faults.Count("stream out")
		px.notify.streamedOut(n, destroyed)
	}
	if px.nodes.of(n.entity) != n {
		return
	}
	for c := range n.kids { // their place is unknown until their own change of parent arrives
		px.setAdrift(c)
	}
	px.unreferAll(n)
	px.nodes.forget(n, px.notify.tellParent)
}

// rest keeps a load-time node that is out of sight: hidden, and bound to its name alone.
// Calls on it from before are dropped: they are not for its next life.
func (px *proxies) rest(n *node) {
	for range px.calls.queued.Take(&n.calls, n) {
		px.faults.Count("rpc dropped")
	}
	n.id, n.items, n.onProxy = 0, nil, onProxy{hidden: n.hidden}
	px.nodes.setOwner(n, 0)
	px.nodes.showParent(n)
	n.here, n.toldParent, n.toldOwner = false, donburi.Null, 0
	px.nodes.add(n)
}

// makeNamedProxy prepares a load-time entity for the authority's state.
func (px *proxies) makeNamedProxy(e *donburi.Entry, name string) {
	donburix.Add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := &node{entity: e.Entity(), name: name, data: *components.RplNode.Get(e), parts: px.nodes.parts[e.Entity()]}
	delete(px.nodes.parts, e.Entity())
	for _, p := range n.parts {
		donburix.Add(px.world.Entry(p), components.Proxy)
	}
	n.built = px.loadTime.builtWith(n)
	px.nodes.add(n)
	px.nodes.setOwner(n, 0)
	px.nodes.showParent(n)
	px.draw.hide(n)
}

// admitStrangers handles load-time nodes that this machine has made after their state
// arrived; what hangs under them may have arrived before them too.
func (px *proxies) admitStrangers(names []string) {
	var came []*rpl.Replica
	waiting := map[rpl.Node]*rpl.Replica{}
	for _, name := range names {
		if rep := px.strangers[name]; rep != nil {
			delete(px.strangers, name)
			waiting[rep.ID] = rep
			came = append(came, rep)
		}
	}
	var admit func(rep *rpl.Replica)
	admit = func(rep *rpl.Replica) {
		delete(waiting, rep.ID)
		if up := waiting[rep.Parent]; up != nil { // parents arrive first, so their callbacks run first
			admit(up)
		}
		px.Arrived(rep)
	}
	for _, rep := range came {
		if waiting[rep.ID] == rep {
			admit(rep)
		}
	}
	if came == nil {
		return
	}
	for _, c := range px.nodes.sorted() {
		if c.replica != nil && c.orphan && !c.leaving && !c.replica.Adrift() && px.nodes.byID[c.replica.Parent] != nil {
			px.Parented(c.replica, 0)
		}
	}
	for _, rep := range came {
		px.Loaded(rep)
	}
}

// setAdrift hides a node whose place is unknown, with all nodes below it.
func (px *proxies) setAdrift(n *node) {
	n.orphan = true
	px.draw.hideTree(n)
}

func (dr *drawing) hideTree(n *node) {
	if !n.hidden {
		dr.hide(n)
	}
	for c := range n.kids {
		dr.hideTree(c)
	}
}

// showWhenDue lets reveal show the hidden nodes of a tree once drawn time reaches their
// state.
func (dr *drawing) showWhenDue(n *node) {
	if n.hidden && !n.leaving {
		dr.hiding = append(dr.hiding, n)
	}
	for c := range n.kids {
		dr.showWhenDue(c)
	}
}

func (dr *drawing) hide(n *node) {
	n.hidden = true
	for _, ent := range n.entities() {
		if dr.world.Valid(ent) {
			donburix.Add(dr.world.Entry(ent), components.Hidden)
		}
	}
}

func (dr *drawing) show(n *node) {
	n.hidden = false
	for _, ent := range n.entities() {
		if dr.world.Valid(ent) {
			donburix.Drop(dr.world.Entry(ent), components.Hidden)
		}
	}
}

// newProxy makes the core for a level that this machine is about to build.
func (cl *client) newProxy() error {
	p, err := rpl.NewProxy(cl.config.proxy(cl.protocol.schema, cl.nodes), cl.me)
	if err != nil {
		return fmt.Errorf("tendon: %w", err)
	}
	cl.proxy, cl.sessionHere, cl.read = p, false, rpl.ProxyCounters{}
	return nil
}
