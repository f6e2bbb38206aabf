package rpl

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
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
				nodes = append(nodes, a.dumpNode(p, n, h.handle != noHandle))
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
			if r := &a.rows[i]; a.sees(p, n, r.t.audience) {
				var vars []any
				if r.vars != nil {
					vars = r.vars.now
				}
				r.t.nameValues(item.Props, a.current(r), vars)
			}
		}
		d.Items = append(d.Items, item)
	}
	return d
}

// nameValues puts a row's values under the names of their props.
func (t *rowType) nameValues(props map[string]any, words []int32, vars []any) {
	at := make(map[int]int, len(words))
	for k, f := range t.from {
		at[f] = k
	}
	for i := range t.item.Props {
		q := &t.item.Props[i]
		var values []any
		for w := q.Words[0]; w < q.Words[1]; w++ {
			k, here := at[w]
			if !here {
				continue
			}
			bits := uint64(uint32(words[k]))
			if t.words[k].wide {
				w++
				bits = join(words[k], words[at[w]])
			}
			values = append(values, q.value(&t.words[k], bits))
		}
		switch len(values) {
		case 0:
		case 1:
			props[q.Name] = values[0]
		default:
			props[q.Name] = values
		}
	}
	for k, f := range t.fromV {
		props[t.item.Props[t.item.Vars[f].Prop].Name] = fmt.Sprint(vars[k])
	}
}

// value is what the bits of a word of the prop, or of both halves of a wide one, stand
// for, as encoding/json writes it. JSON has no number for NaN and the infinities: they are
// text.
func (q *Prop) value(w *Word, bits uint64) any {
	kind, _, _ := strings.Cut(q.Kind, " ") // without "vector" and "[4]"
	switch {
	case kind == "reference" && bits == 0:
		return nil
	case kind == "reference":
		return Node(bits).String()
	case kind == "bool", kind == "optional":
		return bits != 0
	case w.raw:
		var v any = math.Float32frombits(uint32(bits))
		f := float64(math.Float32frombits(uint32(bits)))
		if w.wide {
			f = math.Float64frombits(bits)
			v = f
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprint(f)
		}
		return v
	case w.unsigned:
		return bits
	case w.wide:
		return int64(bits)
	}
	return float64(int32(bits))*q.Step + q.Bias
}
