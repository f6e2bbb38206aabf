package rpl

import (
	"encoding/json"
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/send"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// DumpedNode is one node as a peer may see it, for people and tools.
type DumpedNode struct {
	Node   string       `json:"node"`
	Prefab string       `json:"prefab,omitempty"`
	Name   string       `json:"name,omitempty"`
	Owner  Peer         `json:"owner"`
	Parent string       `json:"parent,omitempty"`
	Sent   bool         `json:"told"` // false: its arrival has not been sent yet
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
	p := a.sender.ByID.Find(id)
	if p == nil {
		return nil, fmt.Errorf("rpl: peer %d: %w", id, ErrNoPeer)
	}
	nodes := []DumpedNode{}
	for slot := range a.store.Nodes {
		if n := &a.store.Nodes[slot]; n.Used {
			if h := n.Holder(p.Index); h != nil {
				nodes = append(nodes, a.dumpNode(p, n, h.Handle() != wire.NoHandle))
			}
		}
	}
	return json.Marshal(nodes)
}

// dumpNode is one node as a peer may see it.
func (a *Authority) dumpNode(p *send.Peer, n *store.Node, sent bool) DumpedNode {
	d := DumpedNode{Node: n.ID.String(), Name: n.Spawn.Name, Owner: n.Owner, Sent: sent}
	if n.Spawn.Prefab != nil {
		d.Prefab = n.Spawn.Prefab.Name
	}
	if n.Parent != 0 {
		d.Parent = a.store.Nodes[n.Parent].ID.String()
	}
	for _, it := range n.Items() {
		if it == store.NoSlot {
			continue
		}
		m := &a.store.Items[it]
		item := DumpedItem{Item: m.Type.Name, Props: map[string]any{}}
		for _, i := range m.Rows() {
			if r := &a.store.Rows[i]; p.Sees(n, r.Type.Audience) {
				var vars []any
				if r.Vars != nil {
					vars = r.Vars.Now
				}
				wire.NameValues(r.Type, item.Props, a.store.Current(r), vars)
			}
		}
		d.Items = append(d.Items, item)
	}
	return d
}
