package rpl

// Confirmed is an item's state as it was last received, not advanced, appended
// to dst, and the tick that it is of; nil if there is no such item.
func (r *Replica) Confirmed(ordinal int, dst []int32) ([]int32, Tick) {
	if ordinal < 0 || ordinal >= len(r.Items) || r.Items[ordinal] == nil {
		return nil, 0
	}
	at := len(dst)
	for range r.Items[ordinal].Words {
		dst = append(dst, 0)
	}
	for _, row := range r.rows {
		if row.ordinal == ordinal {
			for k, f := range row.t.from {
				if f >= 0 {
					dst[at+f] = row.cur[k]
				}
			}
		}
	}
	return dst, r.Tick(ordinal)
}
