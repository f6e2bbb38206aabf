package ecs

// leaving: proxies that were removed on the wire. They stay, without being nodes any more
// to the core, until drawn time has reached their removal.

import "github.com/tendonengine/tendon/rpl"

func (r *Replication) noteLeaving(n *node) {
	r.leaving = append(r.leaving, n)
	if n.name == "" { // a load-time node that comes again is found by its name
		if r.leavers == nil {
			r.leavers = map[rpl.Node]*node{}
		}
		r.leavers[n.id] = n
	}
}

// endLeaving removes a leaving node at once when it arrives again: the game is told of
// the end of one life before the next begins.
func (r *Replication) endLeaving(id rpl.Node) {
	if n := r.leavers[id]; n != nil && n.leaving && r.nodeOf(n.entity) == n {
		r.endProxy(n, n.destroyed)
		r.removeEntities(n)
	}
}

// sweep removes leaving nodes once drawn time has reached their removal.
func (r *Replication) sweep() {
	if len(r.leaving) == 0 {
		return
	}
	list := r.leaving
	r.leaving = nil
	for _, n := range list {
		stays := r.nodeOf(n.entity) == n && n.leaving
		if stays && r.render < float64(n.until) {
			r.leaving = append(r.leaving, n)
			continue
		}
		if r.leavers[n.id] == n {
			delete(r.leavers, n.id)
		}
		if !stays {
			continue
		}
		r.endProxy(n, n.destroyed)
		if n.name != "" && !n.destroyed {
			r.rest(n)
		} else {
			r.unname(n.name)
			r.removeEntities(n)
		}
	}
}
