// Package differ says in what two machines of one process, a server and a client of it,
// have a node otherwise: for a game's own tests.
package differ

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Side is one of the two machines.
type Side struct {
	*nodes.Base
	Nodes *nodes.Table
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
	if d.Field == "" {
		return fmt.Sprintf("%v, %s: %s", d.Node, d.Component, d.Text)
	}
	return fmt.Sprintf("%v, %s.%s: %s", d.Node, d.Component, d.Field, d.Text)
}

// Sessions compares all that two machines have of a session. still is whether the client has all that
// is relevant to it: with an Interest, what comes into sight may be on its way.
func Sessions(server, client Side, still bool) (ds []Difference) {
	for _, id := range idsOf(server, client) {
		a, b := server.Nodes.ByID[id], client.Nodes.ByID[id]
		switch {
		case a == nil:
			ds = append(ds, Difference{Node: id, Text: "it has ended on the server, and the client has it still"})
		case b == nil || b.Leaving:
			if still && slices.Contains(server.Auth.Viewers(id, nil), client.Me) {
				ds = append(ds, Difference{Node: id, Text: "the client does not have it"})
			}
		default:
			if a.Owner != b.Owner {
				ds = append(ds, Difference{Node: id, Text: fmt.Sprintf("peer %d owns it on the server, and %d on the client", a.Owner, b.Owner)})
			}
			report := func(component, field, text string) {
				ds = append(ds, Difference{id, component, field, text})
			}
			Items(server, client, a, b, report)
			spare(server, client, a, b, report)
		}
	}
	return ds
}

// idsOf returns the nodes that either machine has, in order.
func idsOf(server, client Side) (ids []rpl.Node) {
	for id := range server.Nodes.ByID {
		ids = append(ids, id)
	}
	for id, n := range client.Nodes.ByID {
		if server.Nodes.ByID[id] == nil && !n.Leaving {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b rpl.Node) int { return cmp.Compare(a, b) })
	return ids
}

// known are the references of a server as a client is to have them: null where the client does
// not have the node, which it may never see. Those in lists and maps are read by it, too.
type known struct {
	*nodes.Table
	client *nodes.Table
}

func (k known) NodeOf(entity uint64) rpl.Node {
	if id := k.Table.NodeOf(entity); k.client.EntityOf(id) != 0 {
		return id
	}
	return 0
}

// Items reports each tagged field that the client may see and has otherwise than the server,
// as it travels. field is empty where the whole component is missing.
func Items(server, client Side, a, b *nodes.Node, report func(component, field, text string)) {
	for ord := range a.Items {
		c := a.Items[ord].Comp
		ea, pa := server.Component(&a.Items[ord])
		if pa == nil {
			continue
		}
		if ord >= len(b.Items) || b.Items[ord].Comp != c {
			report(c.Name, "", "the client does not have the component")
			continue
		}
		eb, pb := client.Component(&b.Items[ord])
		if pb == nil {
			report(c.Name, "", "the client does not have the component")
			continue
		}
		it := c.Item
		wa, wb := make([]int32, len(it.Words)), make([]int32, len(it.Words))
		va, vb := make([]any, len(it.Vars)), make([]any, len(it.Vars))
		it.Extract(server.Tagged(c, ea, pa), wa, va, known{server.Nodes, client.Nodes})
		it.Extract(client.Tagged(c, eb, pb), wb, vb, client.Nodes)
		for i := range it.Props {
			p := &it.Props[i]
			if !seen(p, wa, b.Owner == client.Me) {
				continue
			}
			for w := p.Words[0]; w < p.Words[1]; w++ {
				if wa[w] != wb[w] && (b.Predicted == nil || schema.Apart(p, &it.Words[w], wb[w], wa[w], 1) != 0) {
					report(c.Name, p.Name, fmt.Sprintf("%v steps on the server, %v on the client", wa[w], wb[w]))
					break
				}
			}
			for v := p.Vars[0]; v < p.Vars[1]; v++ {
				if !it.Vars[v].Type.Equal(va[v], vb[v]) {
					report(c.Name, p.Name, fmt.Sprintf("%v on the server, %v on the client", va[v], vb[v]))
				}
			}
		}
	}
}

// spare reports the components of which the client's entities of a node have more than the server's.
func spare(server, client Side, a, b *nodes.Node, report func(component, field, text string)) {
	count := map[*nodes.Component]int{}
	for _, p := range server.Nodes.PlacesOf(a.Entities()) {
		count[p.Comp]--
	}
	for _, p := range client.Nodes.PlacesOf(b.Entities()) {
		if count[p.Comp]++; count[p.Comp] == 1 {
			report(p.Comp.Name, "", "the client has the component, and the server does not")
		}
	}
}

// seen reports whether a client should have a field as the server has it now.
func seen(p *schema.Prop, server []int32, owns bool) bool {
	switch {
	case p.Once, p.If >= 0 && server[p.If] == 0:
		return false
	case p.Audience == rpl.OwnerSees:
		return owns
	case p.Audience == rpl.OthersSee:
		return !owns
	}
	return p.Audience == rpl.Everyone // who is in a group is not known here
}
