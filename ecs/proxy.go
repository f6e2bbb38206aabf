package ecs

// proxies: a client's core reports what has arrived, and this file turns it into entities
// and components.

import (
	"fmt"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// onProxy is the part of a node that only a client needs.
type onProxy struct {
	replica   *rpl.Replica
	from      rpl.Tick // tick of its first sample: not drawn before
	until     rpl.Tick // tick of its removal: not drawn from then on
	hidden    bool
	orphan    bool // its parent has gone and its new one is not known yet: not drawn
	leaving   bool // removed on the wire; stays until drawn time reaches the removal
	destroyed bool
	former    *former // where it hung before, as long as it is drawn there
}

// The core calls proxyHandler with everything that has arrived, parents first. It queues
// the callbacks until all state is in place.
type proxyHandler struct{ *Replication }

var _ rpl.ProxyHandler = proxyHandler{}

func (r proxyHandler) Arrived(rep *rpl.Replica) {
	n := r.arrival(rep)
	if n == nil {
		return
	}
	if n.replica != nil { // the entity stood for another node, whose state no longer counts
		n.replica.Entity = nil
		r.unreferAll(n)
	}
	rep.Entity = n
	r.takeTurn(n) // parents arrive first, so their callbacks run first
	n.replica, n.id = rep, rep.ID
	n.from = r.firstTick(rep)
	r.addNode(n)
	r.setOwner(n, rep.Owner)
	r.linkTo(n, r.byID[rep.Parent])
	r.turnAfterParent(n)
	n.orphan = n.parent == nil && rep.Adrift()
	r.shed(n)
	r.bindAll(n, rep.Items)
	if n == r.session {
		r.sessionHere = true
		return
	}
	if !n.hidden {
		r.hide(n)
	}
	r.hiding = append(r.hiding, n)
}

// firstTick returns the tick of the state with which a node has arrived.
func (r *Replication) firstTick(rep *rpl.Replica) (t rpl.Tick) {
	for ord := range rep.Items {
		t = max(t, rep.Tick(ord))
	}
	if t == 0 { // the node has no state
		t = r.proxy.Newest()
	}
	return t
}

// arrival finds or makes the entity of a node. It returns nil for a load-time node that
// this machine lacks.
func (r *Replication) arrival(rep *rpl.Replica) *node {
	switch {
	case rep.ID == rpl.SessionNode:
		return r.session
	case rep.Name != "":
		n := r.nodeOf(r.named[rep.Name])
		if n == nil {
			r.refuse("name unknown", fmt.Errorf("the server has a load-time node %q that this machine lacks", rep.Name))
			r.strangers[rep.Name] = rep
			return nil
		}
		if n.leaving {
			r.endProxy(n, n.destroyed)
			r.rest(n)
		}
		return n
	}
	r.endLeaving(rep.ID)
	e := r.build(rep)
	add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := &node{entity: e.Entity(), parts: r.parts[e.Entity()]}
	if def := r.protocol.prefabs[rep.Prefab]; def != nil {
		if data := components.RplNode.Get(e); *data == (components.NodeData{}) { // else its function has said it
			*data = def.node
		}
	}
	n.data = *components.RplNode.Get(e)
	delete(r.parts, e.Entity())
	for _, p := range n.parts {
		add(r.world.Entry(p), components.Proxy)
	}
	n.built = r.builtWith(n)
	return n
}

// build runs the prefab's function, or makes the entity from the node's items alone.
func (r *Replication) build(rep *rpl.Replica) *donburi.Entry {
	if def := r.protocol.prefabs[rep.Prefab]; def != nil {
		b := r.builder(def)
		switch {
		case b.parse == nil:
			r.refuse("prefab without function", fmt.Errorf("prefab %s has none here: give one to NewPrefab or to Build", def.name))
		default:
			var e *donburi.Entry
			var err error
			r.within(def, func() { e, err = b.parse(r.world, def.wire.Args, rep.Args, r.refs()) })
			if err == nil {
				err = r.checkBuilt(e)
			}
			if err == nil {
				r.checkBeside(def, e)
				return r.world.Entry(e.Entity())
			}
			r.refuse("prefab refused", fmt.Errorf("prefab %s: %w", def.name, err))
		}
	}
	cs := []donburi.IComponentType{components.RplNode, components.Owner, components.Parent, components.Proxy}
	for _, t := range rep.Items {
		if t == nil {
			continue
		}
		if c := r.protocol.byItem[t].c; !slices.Contains(cs, c) {
			cs = append(cs, c)
		}
	}
	return r.world.Entry(create(r.world, cs...))
}

// inject writes an item's state into its component, in place.
func (r *Replication) inject(n *node, ord int, t rpl.Tick) {
	b := &n.items[ord]
	e, p := r.component(b)
	if p == nil {
		return
	}
	w := r.tagged(b.comp, e, p)
	if !r.proxy.Inject(n.replica, ord, b.comp.item, w) {
		return
	}
	if b.comp.standIn != nil {
		b.comp.standIn.set(e, p, w)
	}
	if b.track != nil {
		r.words = n.replica.Words(ord, r.words[:0])
		t = r.sampleTick(n, ord, t)
		b.track.push(t, r.stillUntil(b.track, t), r.words)
		r.startInPlace(n, b)
	}
}

func (r proxyHandler) Loaded(rep *rpl.Replica) {
	n, ok := rep.Entity.(*node)
	if !ok {
		return
	}
	if n != r.session {
		*r.Counter("stream in")++
		r.tell(event{node: n})
	}
	for i := range n.items {
		r.look(n, &n.items[i])
	}
}

func (r proxyHandler) Owned(rep *rpl.Replica, _ rpl.Peer) {
	if n, ok := rep.Entity.(*node); ok {
		r.setOwner(n, rep.Owner)
		r.tell(event{node: n, about: itsOwner})
	}
}

// Parented arrives in one packet with the position relative to the new parent: nothing is
// interpolated between it and the position relative to the old one. What goes on as before,
// such as a place in the world, is drawn on its way.
func (r proxyHandler) Parented(rep *rpl.Replica, _ rpl.Node) {
	n, ok := rep.Entity.(*node)
	if !ok {
		return
	}
	r.noteFormer(n)
	r.linkTo(n, r.byID[rep.Parent])
	r.turnAfterParent(n)
	r.tellParent(n)
	switch {
	case n.parent == nil && rep.Adrift():
		r.setAdrift(n)
	case n.orphan:
		n.orphan, n.from = false, r.proxy.Newest()
		fallthrough
	case n.hidden:
		r.showWhenDue(n)
	}
	for ord := range n.items {
		if k := n.items[ord].track; k != nil {
			r.words = rep.Words(ord, r.words[:0])
			if !k.follows(r.proxy.Newest(), r.words) {
				k.restart(rep.Tick(ord), r.words)
				r.startInPlace(n, &n.items[ord])
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

func (r proxyHandler) Changed(rep *rpl.Replica, ord int, t rpl.Tick) {
	if n, ok := rep.Entity.(*node); ok && ord < len(n.items) && !n.isOwnNow(ord) {
		r.inject(n, ord, t)
		r.refer(n, ord)
		r.look(n, &n.items[ord])
	}
}

func (r proxyHandler) Advanced(rep *rpl.Replica, ord int, t rpl.Tick) {
	if n, ok := rep.Entity.(*node); ok && ord < len(n.items) && !n.data.Transient { // every machine moves a transient node itself
		r.inject(n, ord, t)
		r.look(n, &n.items[ord])
	}
}

func (r proxyHandler) Run(c rpl.Call) {
	r.resolve()
	r.callBack()
	r.runRemote(c)
}

func (r proxyHandler) Gone(rep *rpl.Replica, t rpl.Tick, destroyed bool) {
	delete(r.strangers, rep.Name)
	n, ok := rep.Entity.(*node)
	if !ok || n == r.session {
		return
	}
	if r.parting {
		r.resolveOf(n) // its targets may be removed before it; other referrers are resolved after all removals
	} else {
		r.parting = true
		r.resolve()
	}
	r.callBack()
	if r.nodeOf(n.entity) != n { // a callback has removed it
		return
	}
	n.leaving, n.until, n.destroyed = true, t, destroyed
	r.moveToEnd(n)
	r.unreferAll(n)
	r.unbind(n)
	for c := range n.kids {
		r.tellParent(c)
	}
	r.noteLeaving(n)
}

// endProxy tells the game that a proxy goes, and forgets its node; its entities stay.
func (r *Replication) endProxy(n *node, destroyed bool) {
	if n == r.session {
		return
	}
	if n.here {
		if !n.hidden {
			r.hide(n)
		}
		*r.Counter("stream out")++
		r.streamedOut(n, destroyed)
	}
	if r.nodeOf(n.entity) != n {
		return
	}
	for c := range n.kids { // their place is unknown until their own change of parent arrives
		if !c.leaving && c.here {
			r.setAdrift(c)
		}
	}
	r.forget(n)
}

// rest keeps a load-time node that is out of sight: hidden, and bound to its name alone.
// Calls on it from before are dropped: they are not for its next life.
func (r *Replication) rest(n *node) {
	for range r.callsOn(n) {
		*r.Counter("rpc dropped")++
	}
	n.id, n.items, n.onProxy = 0, nil, onProxy{hidden: n.hidden}
	r.setOwner(n, 0)
	r.showParent(n)
	n.here, n.toldParent, n.toldOwner = false, donburi.Null, 0
	r.addNode(n)
}

// makeNamedProxy prepares a load-time entity for the authority's state.
func (r *Replication) makeNamedProxy(e *donburi.Entry, name string) {
	add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := &node{entity: e.Entity(), name: name, data: *components.RplNode.Get(e), parts: r.parts[e.Entity()]}
	delete(r.parts, e.Entity())
	for _, p := range n.parts {
		add(r.world.Entry(p), components.Proxy)
	}
	n.built = r.builtWith(n)
	r.addNode(n)
	r.setOwner(n, 0)
	r.showParent(n)
	r.hide(n)
}

// admitStrangers handles load-time nodes that this machine has made after their state
// arrived; what hangs under them may have arrived before them too.
func (r *Replication) admitStrangers(names []string) {
	var came []*rpl.Replica
	h, waiting := proxyHandler{r}, map[rpl.Node]*rpl.Replica{}
	for _, name := range names {
		if rep := r.strangers[name]; rep != nil {
			delete(r.strangers, name)
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
		h.Arrived(rep)
	}
	for _, rep := range came {
		if waiting[rep.ID] == rep {
			admit(rep)
		}
	}
	if came == nil {
		return
	}
	for _, c := range r.sortedNodes() {
		if c.replica != nil && c.parent == nil && !c.leaving && !c.orphan {
			if up := r.byID[c.replica.Parent]; up != nil {
				r.linkTo(c, up)
				r.tellParent(c)
			}
		}
	}
	for _, rep := range came {
		h.Loaded(rep)
	}
}

// setAdrift hides a node whose place is unknown, with all nodes below it.
func (r *Replication) setAdrift(n *node) {
	n.orphan = true
	r.hideTree(n)
}

func (r *Replication) hideTree(n *node) {
	if !n.hidden {
		r.hide(n)
	}
	for c := range n.kids {
		r.hideTree(c)
	}
}

// showWhenDue lets reveal show the hidden nodes of a tree once drawn time reaches their
// state.
func (r *Replication) showWhenDue(n *node) {
	if n.hidden && !n.leaving {
		r.hiding = append(r.hiding, n)
	}
	for c := range n.kids {
		r.showWhenDue(c)
	}
}

func (r *Replication) hide(n *node) {
	n.hidden = true
	for _, ent := range n.entities() {
		if r.world.Valid(ent) {
			add(r.world.Entry(ent), components.Hidden)
		}
	}
}

func (r *Replication) show(n *node) {
	n.hidden = false
	for _, ent := range n.entities() {
		if r.world.Valid(ent) {
			drop(r.world.Entry(ent), components.Hidden)
		}
	}
}

// newProxy makes the core for a level that this machine is about to build.
func (r *Replication) newProxy() error {
	p, err := rpl.NewProxy(r.config.proxy(r.protocol.schema, r.refs()), r.me)
	if err != nil {
		return fmt.Errorf("tendon: %w", err)
	}
	r.proxy, r.sessionHere, r.read = p, false, rpl.ProxyCounters{}
	return nil
}
