package store

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// AppendSlots appends to dst the slots of those of some nodes that exist.
func AppendSlots(st *Store, dst []uint32, nodes []ids.Node) []uint32 {
	for _, id := range nodes {
		if slot, ok := st.Slot(id); ok {
			dst = append(dst, slot)
		}
	}
	return dst
}

// KeepNew drops from some nodes, behind the first of them, those that are not new any more (Node.IsNew), or have ended.
func KeepNew(st *Store, nodes []ids.Node, first int) []ids.Node {
	kept := slices.DeleteFunc(nodes[first:], func(id ids.Node) bool {
		slot, ok := st.Slot(id)
		return !ok || !st.Nodes[slot].IsNew(st.Send)
	})
	return nodes[:first+len(kept)]
}

// IsNew reports whether a node was made so few sends ago that its owner, whose commands may have made it there, too, is
// told while it waits (protocol rule 34).
func (n *Node) IsNew(send uint32) bool { return send-n.Born < wire.NewSends }
