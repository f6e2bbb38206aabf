package schema

// An alignment lays a new sequence beside an old one, cell by cell: element beside
// element from the front up to a split, and from the back behind it. What one of the two
// has more of stands in one cell at the split. So it shows any number of changes in place,
// together with one insertion or removal.
type alignment struct {
	pairs      int // cells of an element each
	split      int // how many of these are counted from the front
	more, less int // elements of the new and the old sequence in the cell at the split; one is 0
}

// align finds the split with the most pairs of equal elements, and how many these are. Its
// time is proportional to the shorter length.
func align(from, to int, equal func(i, j int) bool) (a alignment, same int) {
	a = alignment{pairs: min(from, to), more: max(to-from, 0), less: max(from-to, 0)}
	behind, lead, most := 0, 0, 0 // equal from the back; by how many more are from the front, so far
	for k := range a.pairs {
		if equal(k, k) {
			lead++
		}
		if from != to && equal(k+a.less, k+a.more) {
			behind++
			lead--
		}
		if lead > most {
			most, a.split = lead, k+1
		}
	}
	return a, behind + most
}

// cells is how many cells there are.
func (a *alignment) cells() int {
	if a.more+a.less > 0 {
		return a.pairs + 1
	}
	return a.pairs
}

// cell returns the first places of a cell in the old and the new sequence, and how many
// elements of each stand in it: one each, except at the split.
func (a *alignment) cell(c int) (i, j, old, new int) {
	switch gap := a.more+a.less > 0; {
	case !gap || c < a.split:
		return c, c, 1, 1
	case c == a.split:
		return c, c, a.less, a.more
	}
	return c - 1 + a.less, c - 1 + a.more, 1, 1
}
