package command

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// MaxOthers is how many nodes of others a message names at most. It is more than are near enough to be
// pushed, and the server looks through them for each node of a packet.
const MaxOthers = 64

// others says when a client names the nodes of others that it predicts: from a change until the server
// is known to have it, and then now and again.
type others struct {
	said  []rpl.Node
	since uint32 // the newest tick when they changed: messages of later ticks have named them
	at    uint32 // the newest tick when they were named last
}

// due reports whether the message of this step names them; tick is the newest, got the newest that the
// server has, and again after how many ticks they are named in any case.
func (o *others) due(nodes []rpl.Node, tick, got, again uint32) bool {
	if !slices.Equal(o.said, nodes) {
		o.said, o.since = append(o.said[:0], nodes...), tick
	}
	if got > o.since && tick != o.at && (len(nodes) == 0 || tick-o.at < again) { // the same tick is written anew where it is too long
		return false
	}
	o.at = tick
	return true
}

// appendNode writes a node of a list, by the one before: how much further its slot is, in zigzag, and
// the tenant. Slots of a player's nodes are near each other mostly, and tenants few.
func appendNode(b []byte, node, before rpl.Node) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, int64(node.Slot())-int64(before.Slot())), uint64(node.Tenant()))
}

// parseNode reads a node of a list, and returns the rest of b; false for what is none.
func parseNode(b []byte, before rpl.Node) (rpl.Node, []byte, bool) {
	off, k := binary.Varint(b)
	if k <= 0 || off < -math.MaxUint32 || off > math.MaxUint32 {
		return 0, nil, false
	}
	slot := int64(before.Slot()) + off
	tenant, j := binary.Uvarint(b[k:])
	if j <= 0 || tenant > math.MaxUint32 || slot < 0 || slot > math.MaxUint32 {
		return 0, nil, false
	}
	return rpl.Node(tenant<<32 | uint64(slot)), b[k+j:], true
}
