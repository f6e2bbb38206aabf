package ecs

// leaving: how proxies end that were removed on the wire, once drawn time has reached their removal.

import (
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// endLeaving removes a leaving node at once when it arrives again: the game is told of
// the end of one life before the next begins.
func (px *proxies) endLeaving(id rpl.Node) {
	if n := px.leaving.Of(id); n != nil {
		px.endProxy(n, n.Why)
		px.RemoveEntities(n)
	}
}

// endLeft removes a leaving node, after those below it, whose OnStreamOut may ask where they are.
func (px *proxies) endLeft(n *nodes.Node) {
	for _, c := range slices.Collect(n.Kids) {
		if c.Leaving {
			px.endLeft(c)
		}
	}
	if px.nodes.Of(n.Entity) != n { // a callback has removed it
		return
	}
	if px.endProxy(n, n.Why); n.Name != "" && !n.Why.Destroyed() {
		px.rest(n)
	} else {
		px.loadTime.Bury(n)
		px.loadTime.Unname(n.Name)
		px.RemoveEntities(n)
	}
}

// rest keeps a load-time node that is out of sight. Its next life, in which it may be elsewhere, is not a correction
// of what was predicted in this one. Calls on it from before are dropped: they are not for that, either.
func (px *proxies) rest(n *nodes.Node) {
	for range px.calls.queued.Take(&n.Calls, n) {
		px.Faults.Count("rpc dropped")
	}
	px.predict.all = slices.DeleteFunc(px.predict.all, func(p *nodes.Node) bool { return p == n })
	px.nodes.Rest(n)
}

// endProxy tells the game that a proxy goes, and forgets its node; its entities stay.
func (px *proxies) endProxy(n *nodes.Node, why nodes.Reason) {
	if n == px.nodes.Session {
		return
	}
	px.calls.runDrawn(n, rpl.MaxTick)
	if n.Here {
		if !n.Hidden {
			px.draw.Hide(n, true)
		}
		px.Faults.Count("stream out")
		n.Why = why
		px.notify.StreamedOut(n, why.Destroyed())
	}
	if px.nodes.Of(n.Entity) != n {
		return
	}
	for c := range n.Kids { // their place is unknown until their own change of parent arrives
		if !px.draw.Stand(c) {
			px.draw.HideTree(c)
		}
		px.orphan(c)
	}
	px.items.UnreferAll(n)
	px.nodes.Forget(n, px.notify.ParentChanged)
}
