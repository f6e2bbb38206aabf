package ecs

// leaving: proxies that were removed on the wire. They stay, without being nodes any more
// to the core, until drawn time has reached their removal.

import "github.com/tendonengine/tendon/rpl"

func (px *proxies) noteLeaving(n *node) {
	px.leaving = append(px.leaving, n)
	if n.name == "" { // a load-time node that comes again is found by its name
		if px.leavers == nil {
			px.leavers = map[rpl.Node]*node{}
		}
		px.leavers[n.id] = n
	}
}

// endLeaving removes a leaving node at once when it arrives again: the game is told of
// the end of one life before the next begins.
func (px *proxies) endLeaving(id rpl.Node) {
	if n := px.leavers[id]; n != nil && n.leaving && px.nodes.of(n.entity) == n {
		px.endProxy(n, n.destroyed)
		px.removeEntities(n)
	}
}

// sweep removes leaving nodes once drawn time has reached their removal.
func (px *proxies) sweep() {
	if len(px.leaving) == 0 {
		return
	}
	list := px.leaving
	px.leaving = nil
	for _, n := range list {
		stays := px.nodes.of(n.entity) == n && n.leaving
		if stays && px.draw.screen.Render < float64(n.until) {
			px.leaving = append(px.leaving, n)
			continue
		}
		if px.leavers[n.id] == n {
			delete(px.leavers, n.id)
		}
		if !stays {
			continue
		}
		px.endProxy(n, n.destroyed)
		if n.name != "" && !n.destroyed {
			px.rest(n)
		} else {
			px.loadTime.bury(n)
			px.loadTime.unname(n.name)
			px.removeEntities(n)
		}
	}
}
