package schema

import "strings"

// MaxReckonedWords is how many words of a reckoned item may have a tolerance: which of them keep
// their values is told as the bits of one word.
const MaxReckonedWords = 30

// reckoned checks an item that a function of the game moves, and gives its fractional numbers
// their tolerance: what is simulated unrounded on two machines is one step apart now and then,
// without a difference that anybody could see.
func (r *resolver) reckoned() {
	it, tolerant := r.it, 0
	for i := range it.Props {
		p, d := &it.Props[i], &it.Layout.drafts[i]
		switch {
		case p.Vars[0] < p.Vars[1], strings.HasPrefix(p.Kind, KindReference), p.Present >= 0:
			r.fault(i, "a component with a function of the game's own has plain numbers only; put %s into another component", article(p.Kind))
		case d.tag.predict != "":
			r.fault(i, "predict= and a function of the game's own both say how it moves; remove predict=")
		case p.If >= 0:
			r.fault(i, "if= in a component with a function of the game's own: the function needs every field; put it into another component")
		}
		for w := p.Words[0]; w < p.Words[1]; w++ {
			word := &it.Words[w]
			if fractional := strings.HasPrefix(p.Kind, "float") || strings.HasPrefix(p.Kind, "angle"); fractional && !d.raw && !p.Once && d.tag.has&tagTol == 0 {
				word.Tol = 1
			}
			if word.Tol > 0 {
				tolerant++
			}
		}
	}
	switch {
	case len(it.Words) == 0:
		r.s.faults.add("component %s: it has a function of the game's own, and no number that the function could move", it.Name)
	case len(it.Parts) > 1:
		r.s.faults.add("component %s: it has a function of the game's own, and to= on some of its fields; the function needs all of them: give all the same to=, or make two components of it", it.Name)
	case tolerant > MaxReckonedWords:
		r.s.faults.add("component %s: it has a function of the game's own, and %d numbers with a tolerance; at most %d: make two components of it", it.Name, tolerant, MaxReckonedWords)
	}
}
