package rpl

// chooseKinds chooses the words by whose kinds updates are counted until the next fit.
// A row type that has tables by kinds keeps its word.
func (a *Authority) chooseKinds() {
	worth := a.worth()
	for i, t := range a.types {
		r := &a.learner.Rows[i]
		if a.model.Rows[i].Kind >= 0 {
			continue
		}
		if w := r.Hints.Best(t, worth); w >= 0 && w != r.Kind {
			r.Regroup(t, w)
		}
	}
}
