package rowtype

// Take copies an item's words to its one row, and returns 1 if any of them differed,
// else 0.
func (t *Type) Take(row, item Words) uint64 {
	shown, differ := t.shown, int32(0)
	for k := range shown {
		to, x := row.Word(int(shown[k].from)), *item.Word(int(shown[k].to))
		differ |= *to ^ x
		*to = x
	}
	return uint64(flag(differ != 0))
}
