package store

import "github.com/tendonengine/tendon/rpl/internal/wire"

// How long an arrival is, before it is coded.

// ArrivalBytes is roughly how long the arrival of a node is, with those nodes below it that a peer is to get, too.
func ArrivalBytes(st *Store, slot uint32, peer int32) int {
	n := &st.Nodes[slot]
	bytes := len(n.Spawn.Args)
	for _, ri := range n.Rows() {
		bytes += st.Rows[ri].bytes()
	}
	for _, c := range n.Children() {
		if hd := st.Nodes[c].Holder(peer); hd != nil && hd.Handle() == wire.NoHandle {
			bytes += ArrivalBytes(st, c, peer)
		}
	}
	return bytes
}

// bytes is roughly how long a row is as a keyframe. Values of variable length are coded to know it: once, as long as
// they stay what they are.
func (r *Row) bytes() int {
	if r.Vars == nil {
		return r.Type.Width
	}
	if r.Vars.bytes == 0 {
		var b []byte
		for k, v := range r.Type.Vars {
			b = v.Type.Append(b, r.Vars.Now[k])
		}
		r.Vars.bytes = len(b)
	}
	return r.Type.Width + r.Vars.bytes
}
