package store

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mask is all bits if b is true, else none.
func mask(b bool) uint64 { return -uint64(flag(b)) }
