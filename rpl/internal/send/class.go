package send

// chooseClassWords chooses the words by whose classes updates are counted until the next fit.
// A row type that has tables by classes keeps its word.
func (a *tables) chooseClassWords() {
	worth := a.Worth()
	for i, t := range a.store.Types {
		r := &a.Learner.Rows[i]
		if a.Model.Rows[i].ClassWord >= 0 {
			continue
		}
		if w := r.Hints.Best(t, worth); w >= 0 && w != r.ClassWord {
			r.Regroup(t, w)
		}
	}
}
