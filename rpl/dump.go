package rpl

import (
	"encoding/json"
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// DumpedNode is one node as a peer may see it, for people and tools.
type DumpedNode struct {
	Node   string       `json:"node"`
	Prefab string       `json:"prefab,omitempty"`
	Name   string       `json:"name,omitempty"`
	Owner  Peer         `json:"owner"`
	Parent string       `json:"parent,omitempty"`
	Told   bool         `json:"told"` // false: its arrival has not been sent yet
	Items  []DumpedItem `json:"items,omitempty"`
}

// DumpedItem is one item with the props that the peer may see. Values are those of the
// fields, as they travel: quantised. NaN and infinities are text, references are the names
// of nodes, null for none. Lists and maps are as Go prints what is sent of them, in steps.
type DumpedItem struct {
	Item  string         `json:"item"`
	Props map[string]any `json:"props"`
}

// Dump returns what a peer may see now, as JSON: an array of DumpedNode, the nodes that
// the peer holds or is to hold, in the order of their slots. Props of audiences that the
// peer does not belong to are left out. It is for debugging: it is slow and allocates.
func (a *Authority) Dump(id Peer) ([]byte, error) {
	p := a.byID.find(id)
	if p == nil {
		return nil, fmt.Errorf("rpl: peer %d: %w", id, ErrNoPeer)
	}
	nodes := []DumpedNode{}
	for slot := range a.nodes {
		if n := &a.nodes[slot]; n.used {
			if h := n.holder(p.index); h != nil {
				nodes = append(nodes, a.dumpNode(p, n, h.handle != wire.NoHandle))
			}
		}
	}
	return json.Marshal(nodes)
}

// dumpNode is one node as a peer may see it.
func (a *Authority) dumpNode(p *peer, n *node, told bool) DumpedNode {
	d := DumpedNode{Node: n.id.String(), Name: n.spawn.Name, Owner: n.owner, Told: told}
	if n.spawn.Prefab != nil {
		d.Prefab = n.spawn.Prefab.Name
	}
	if n.parent != 0 {
		d.Parent = a.nodes[n.parent].id.String()
	}
	for _, it := range n.items {
		if it == noItem {
			continue
		}
		m := &a.items[it]
		item := DumpedItem{Item: m.t.Name, Props: map[string]any{}}
		for _, i := range m.rows {
			if r := &a.rows[i]; a.sees(p, n, r.t.Audience) {
				var vars []any
				if r.vars != nil {
					vars = r.vars.now
				}
				wire.NameValues(r.t, item.Props, a.current(r), vars)
			}
		}
		d.Items = append(d.Items, item)
	}
	return d
}
