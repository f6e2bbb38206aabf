package ecs

// compare: what a game's tests look at. Whether two machines have the same, and a tick that
// runs again. Package tendontest makes tests of it.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// Item returns what travels of a component type: its fields with their names, steps and
// places. It is nil for a component that is local, and until the first New. direct is false
// for a component with a stand-in, whose fields are those of the stand-in.
func (p *Protocol) Item(c donburi.IComponentType) (it *rpl.ItemType, direct bool) {
	if r := p.replicated(c); r != nil && p.frozen && p.err == nil {
		return r.item, r.standIn == nil
	}
	return nil, false
}

// A Difference is something that a client has otherwise than the server.
type Difference struct {
	Node      rpl.Node
	Component string // as it was registered; empty: the node itself
	Field     string
	Text      string // what each has
}

func (d Difference) String() string {
	if d.Component == "" {
		return fmt.Sprintf("%v: %s", d.Node, d.Text)
	}
	return fmt.Sprintf("%v, %s.%s: %s", d.Node, d.Component, d.Field, d.Text)
}

// Differences compares what two machines of one process have of the same session, a server
// and a client of it: nodes, owners, and every tagged field that the client may see, as it
// travels. Between two sends, and while something is on its way, there are some; once the
// world has been at rest for a round trip there are none. Fields for groups are left out. For
// tests: it allocates. It panics if server is not an authority, or client is.
func Differences(server, client *Replication) (ds []Difference) {
	if server.auth == nil || client.auth != nil {
		panic("tendon: Differences compares a server with a client: give it a session that hosts and one that has joined it")
	}
	for _, id := range idsOf(server, client) {
		a, b := server.nodes.byID[id], client.nodes.byID[id]
		switch {
		case a == nil:
			ds = append(ds, Difference{Node: id, Text: "it has ended on the server, and the client has it still"})
		case b == nil || b.leaving:
			if server.config.Interest == nil && (a.data.Relevance == rpl.Near || a.data.Relevance == rpl.Always) {
				ds = append(ds, Difference{Node: id, Text: "the client does not have it"})
			}
		default:
			if a.owner != b.owner {
				ds = append(ds, Difference{Node: id, Text: fmt.Sprintf("peer %d owns it on the server, and %d on the client", a.owner, b.owner)})
			}
			ds = append(ds, itemDifferences(server, client, a, b)...)
		}
	}
	return ds
}

// idsOf returns the nodes that either machine has, in order.
func idsOf(server, client *Replication) (ids []rpl.Node) {
	for id := range server.nodes.byID {
		ids = append(ids, id)
	}
	for id, n := range client.nodes.byID {
		if server.nodes.byID[id] == nil && !n.leaving {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b rpl.Node) int { return cmp.Compare(a, b) })
	return ids
}

func itemDifferences(server, client *Replication, a, b *node) (ds []Difference) {
	for ord := range a.items {
		ea, pa := server.component(&a.items[ord])
		if pa == nil {
			continue
		}
		c := a.items[ord].comp
		differ := func(field, text string, args ...any) {
			ds = append(ds, Difference{a.id, c.name, field, fmt.Sprintf(text, args...)})
		}
		if ord >= len(b.items) || b.items[ord].comp != c {
			differ("", "the client does not have the component")
			continue
		}
		eb, pb := client.component(&b.items[ord])
		if pb == nil {
			differ("", "the client does not have the component")
			continue
		}
		it := c.item
		wa, wb := make([]int32, len(it.Words)), make([]int32, len(it.Words))
		va, vb := make([]any, len(it.Vars)), make([]any, len(it.Vars))
		it.Extract(server.tagged(c, ea, pa), wa, va, &server.nodes)
		it.Extract(client.tagged(c, eb, pb), wb, vb, &client.nodes)
		for _, p := range it.Props {
			if p.Once || p.If >= 0 && wa[p.If] == 0 || p.Audience != rpl.Everyone && (p.Audience != rpl.OwnerSees || b.owner != client.me) {
				continue
			}
			for w := p.Words[0]; w < p.Words[1]; w++ {
				if wa[w] != wb[w] && (b.predicted == nil || wordsApart(&p, &it.Words[w], wb[w], wa[w]) != 0) {
					differ(p.Name, "%v steps on the server, %v on the client", wa[w], wb[w])
					break
				}
			}
			for v := p.Vars[0]; v < p.Vars[1]; v++ {
				if !it.Vars[v].Type.Equal(va[v], vb[v]) {
					differ(p.Name, "%v on the server, %v on the client", va[v], vb[v])
				}
			}
		}
	}
	return ds
}

// ReplayTick runs the newest tick of what this client predicts again, from the state before
// it, as a correction does: components of predicted nodes are set back, everything else is
// left as it is. prepare, which may be nil, is called in between. What comes out must be what
// was there before; package tendontest looks. Call it in a step, after all commands have Run.
// It is false, and has done nothing, where this step has no tick to repeat.
func (r *Replication) ReplayTick(prepare func()) bool {
	pr, t := &r.predict, rpl.Tick(r.commands.lead.Tick())
	if r.proxy == nil || t < 2 || r.commands.makes == 0 || len(pr.all) == 0 {
		return false
	}
	each := func(fn func(n *node, ord int) bool) bool {
		for _, n := range pr.all {
			for ord := range n.items {
				if _, at := pr.component(&n.items[ord]); at != nil && !fn(n, ord) {
					return false
				}
			}
		}
		return true
	}
	if !each(func(n *node, ord int) bool { return n.predicted.item(ord).ticks[(t-1)%keptTicks] == t-1 }) {
		return false
	}
	each(func(n *node, ord int) bool {
		b := &n.items[ord]
		_, at := pr.component(b)
		b.comp.copy(at, n.predicted.item(ord).ring[(t-1)%keptTicks])
		return true
	})
	if prepare != nil {
		prepare()
	}
	r.commands.replay(t)
	return true
}

// Predicted reports whether this client predicts the node of an entity.
func Predicted(e *donburi.Entry) bool {
	if e.HasComponent(components.Proxy) {
		_, n := nodeAt(e)
		return n != nil && n.predicted != nil
	}
	return false
}
