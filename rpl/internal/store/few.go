package store

// A few is a list that mostly has one element, which then stands in it.
type few[T ~uint32] struct {
	many *[]T
	one  [1]T
	n    uint32 // how many there are, unless there are many
}

// all is valid until the list changes, or moves in memory.
func (f *few[T]) all() []T {
	if f.many != nil {
		return *f.many
	}
	return f.one[:f.n]
}

func (f *few[T]) add(more ...T) {
	switch {
	case f.many != nil:
		*f.many = append(*f.many, more...)
	case int(f.n)+len(more) <= len(f.one):
		f.n += uint32(copy(f.one[f.n:], more))
	default:
		all := append(append(make([]T, 0, int(f.n)+len(more)), f.one[:f.n]...), more...)
		f.many = &all
	}
}

// clear makes the list empty.
func (f *few[T]) clear() {
	if f.n = 0; f.many != nil {
		*f.many = (*f.many)[:0]
	}
}
