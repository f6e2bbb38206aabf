package schema

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// resolve looks up what an item's tags name (audiences, conditions, velocities), finds
// its position, and divides it into parts. Freeze calls it once all items are compiled.
func (s *Schema) resolve(it *ItemType) {
	r := resolver{s: s, it: it}
	for i := range it.Props {
		r.audience(i)
	}
	for i := range it.Props {
		r.condition(i)
		r.tolerance(i)
		r.velocity(i)
	}
	r.position()
	r.parts()
	if it.Reckoned {
		r.reckoned()
	}
}

// rings faults words of an item that predict each other in a cycle, through whatever items.
func (s *Schema) rings(it *ItemType) {
	all := 0
	for _, of := range s.items {
		all += len(of.Words)
	}
	for i := range it.Words {
		of, v := s.VelocityOf(it, i)
		for n := 0; of != nil && (of != it || v != i) && n < all; n++ {
			of, v = s.VelocityOf(of, v)
		}
		if of == it && v == i {
			r := resolver{s: s, it: it}
			r.fault(it.Words[i].Prop, "predict= goes in a ring back to the field; remove one of them")
			return
		}
	}
}

// VelocityOf returns the word that predicts word w of an item, and that word's item, nil if
// nothing predicts it.
func (s *Schema) VelocityOf(it *ItemType, w int) (of *ItemType, v int) {
	word := &it.Words[w]
	if word.Velocity >= 0 {
		return it, word.Velocity
	}
	if word.VelocityItem == "" {
		return nil, -1
	}
	k := slices.IndexFunc(s.items, func(of *ItemType) bool { return of.Name == word.VelocityItem })
	return s.items[k], word.VelocityWord
}

// A resolver looks up the names in one item's tags.
type resolver struct {
	s  *Schema
	it *ItemType
}

func (r *resolver) fault(prop int, format string, args ...any) {
	r.s.faults.add("component %s, field %s: %s", r.it.Name, r.it.Props[prop].Name, fmt.Sprintf(format, args...))
}

// audience resolves to=.
func (r *resolver) audience(i int) {
	p, d := &r.it.Props[i], &r.it.Layout.drafts[i]
	switch to := d.tag.to; to {
	case "":
		p.Audience = ids.Everyone
	case "owner":
		p.Audience = ids.OwnerSees
	case "others":
		p.Audience = ids.OthersSee
	default:
		g := slices.Index(r.s.groups, to)
		if g < 0 {
			r.fault(i, "to=%s is no group of the schema; declare it, or write to=owner or to=others", to)
			return
		}
		p.Audience = ids.FirstGroup + ids.Audience(g)
	}
}

// find returns the index of the prop that a name in the tag of prop i means: it looks in
// the prop's own struct, then in the structs around it; -1 if there is none.
func (r *resolver) find(i int, name string) int {
	prefix := r.it.Layout.drafts[i].prefix
	for {
		if k := propNamed(r.it, prefix+name); k >= 0 {
			return k
		}
		if prefix == "" {
			return -1
		}
		prefix = prefixOf(strings.TrimSuffix(prefix, "."))
	}
}

func propNamed(it *ItemType, name string) int {
	return slices.IndexFunc(it.Props, func(p Prop) bool { return p.Name == name })
}

// prefixOf is the path of the struct that a field is in, with its dot.
func prefixOf(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

// condition resolves if=.
func (r *resolver) condition(i int) {
	d := &r.it.Layout.drafts[i]
	if d.tag.ifField == "" {
		return
	}
	k := r.find(i, d.tag.ifField)
	switch {
	case k < 0:
		r.fault(i, "if=%s is no replicated field of the component; tag that field or correct the name", d.tag.ifField)
	case k == i:
		r.fault(i, "if=%s is the field itself; name another", d.tag.ifField)
	case r.it.Props[k].Kind != "bool":
		r.fault(i, "if=%s is %s; name a bool", d.tag.ifField, article(r.it.Props[k].Kind))
	default:
		r.it.Props[i].If = r.it.Props[k].Words[0]
	}
}

// tolerance resolves tol=.
func (r *resolver) tolerance(i int) {
	p, d := &r.it.Props[i], &r.it.Layout.drafts[i]
	if d.tag.has&tagTol == 0 || len(d.steps) == 0 { // what has no steps has been refused
		return
	}
	tol := ratFloat(d.tag.tol) / d.steps[0]
	switch {
	case p.Once:
		r.fault(i, "a value that is told once has no tol=; remove one of them")
	case tol < 1 && tol > 0:
		r.fault(i, "tol=%s is less than a step (%g); make it larger, or remove it", d.tag.tol.RatString(), d.steps[0])
	}
	for j := p.Words[0]; j < p.Words[1]; j++ {
		r.it.Words[j].Tol = int32(min(tol, 1<<30))
	}
}

// velocity resolves predict=.
func (r *resolver) velocity(i int) {
	p, d := &r.it.Props[i], &r.it.Layout.drafts[i]
	if d.tag.predict == "" {
		return
	}
	from, k := r.it, r.find(i, d.tag.predict)
	if k < 0 {
		from, k = r.s.foreign(d.tag.predict)
	}
	if k < 0 {
		r.fault(i, "predict=%s is no replicated field; tag that field or correct the name (item.Field for another component's)", d.tag.predict)
		return
	}
	v, vd := &from.Props[k], &from.Layout.drafts[k]
	n := p.Words[1] - p.Words[0]
	switch {
	case from == r.it && k == i:
		r.fault(i, "predict=%s is the field itself; name its velocity", d.tag.predict)
	case len(vd.steps) == 0 || vd.raw:
		r.fault(i, "predict=%s is not quantised; give it step=, as step=1/32", d.tag.predict)
	case vd.bias:
		r.fault(i, "predict=%s has words that do not begin at 0; give it step= in place of bits=", d.tag.predict)
	case v.Words[1]-v.Words[0] != n:
		r.fault(i, "predict=%s has another shape (%s for %s); name a field like this one", d.tag.predict, v.Kind, article(p.Kind))
	case from == r.it && v.Audience != p.Audience:
		r.fault(i, "predict=%s is not seen by the same peers; give both the same to=", d.tag.predict)
	case v.Once || v.If >= 0 || vd.tag.ifField != "":
		r.fault(i, "predict=%s is not always sent; remove its once or if=", d.tag.predict)
	default:
		r.rate(i, from, k)
	}
}

// foreign finds the prop that item.Field names, in any component; -1 if there is none.
func (s *Schema) foreign(name string) (*ItemType, int) {
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		for _, it := range s.items {
			if it.Name == name[:i] {
				if k := propNamed(it, name[i+1:]); k >= 0 {
					return it, k
				}
			}
		}
	}
	return nil, -1
}

// rate makes the words of from's prop k the velocities of those of prop i.
func (r *resolver) rate(i int, from *ItemType, k int) {
	const limit = 1 << 40
	p, d, vd := &r.it.Props[i], &r.it.Layout.drafts[i], &from.Layout.drafts[k]
	per := float64(r.s.hz)
	if d.tag.perTick {
		per = 1
	}
	rate := math.Round(vd.steps[0] / (d.steps[0] * per) * (1 << 32))
	if rate < 1 || rate > limit {
		r.fault(i, "a step of %s (%g) is out of proportion to its own (%g); bring them closer", d.tag.predict, vd.steps[0], d.steps[0])
		return
	}
	first := from.Props[k].Words[0]
	for j := range p.Words[1] - p.Words[0] {
		w := &r.it.Words[p.Words[0]+j]
		w.Rate = int64(rate)
		if from == r.it {
			w.Velocity = first + j
		} else {
			w.VelocityItem, w.VelocityWord = from.Name, first+j
		}
	}
}

// position resolves pos: one vector, or two plain fields, the first x.
func (r *resolver) position() {
	var words []int
	step := 0.0
	for i := range r.it.Props {
		p, d := &r.it.Props[i], &r.it.Layout.drafts[i]
		if d.tag.has&tagPos == 0 {
			continue
		}
		switch {
		case len(d.steps) == 0 || d.raw || d.angle:
			r.fault(i, "pos needs a quantised place; give it step=, as step=1/32")
			return
		case p.Audience != ids.Everyone:
			r.fault(i, "pos is for everyone; remove its to=")
			return
		case len(words) > 0 && d.steps[0] != step:
			r.fault(i, "pos has two steps; give x and y the same")
			return
		case d.bias:
			r.fault(i, "pos needs step=; min=, max= and bits= alone give x and y different units")
			return
		}
		step = d.steps[0]
		for w := p.Words[0]; w < p.Words[1]; w++ {
			words = append(words, w)
		}
	}
	switch len(words) {
	case 0:
	case 2:
		x, y := r.it.Words[words[0]].Prop, r.it.Words[words[1]].Prop
		if namedLast(r.it.Props[x].Name, "y") && namedLast(r.it.Props[y].Name, "x") {
			r.fault(x, "pos stands on y before x, and the first counts as x; put x first in the struct")
			return
		}
		r.it.Pos, r.it.PosStep = [2]int{words[0], words[1]}, step
	default:
		r.s.faults.add("component %s: pos stands on %d numbers; put it on one vector, or on x and y", r.it.Name, len(words))
	}
}

// namedLast reports whether a path ends in a name.
func namedLast(path, name string) bool {
	return strings.EqualFold(path[strings.LastIndexByte(path, '.')+1:], name)
}

// parts divides the props by audience: everyone's first, then the owner's, the
// others', and the groups' in the order of names, which is the same on all
// machines.
func (r *resolver) parts() {
	order := []ids.Audience{ids.Everyone, ids.OwnerSees, ids.OthersSee}
	for i := range r.s.groups {
		a, _ := r.s.GroupAt(i)
		order = append(order, a)
	}
	r.it.Parts = nil
	for _, a := range order {
		part, any := Part{Audience: a}, false
		for i := range r.it.Props {
			p := &r.it.Props[i]
			if p.Audience != a {
				continue
			}
			any = true
			for w := p.Words[0]; w < p.Words[1]; w++ {
				part.Words = append(part.Words, w)
			}
			for v := p.Vars[0]; v < p.Vars[1]; v++ {
				part.Vars = append(part.Vars, v)
			}
		}
		if any {
			r.it.Parts = append(r.it.Parts, part)
		}
	}
	if len(r.it.Parts) == 0 {
		r.it.Parts = []Part{{Audience: ids.Everyone}}
	}
}
