package send

// chooseKinds chooses the words by whose kinds updates are counted until the next fit.
// A row type that has tables by kinds keeps its word.
func (a *tables) chooseKinds() {
	worth := a.Worth()
	for i, t := range a.store.Types {
		r := &a.Learner.Rows[i]
		if a.Model.Rows[i].Kind >= 0 {
			continue
		}
		if w := r.Hints.Best(t, worth); w >= 0 && w != r.Kind {
			r.Regroup(t, w)
		}
	}
}
