package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/tendonengine/tendon/rpl"
)

// How the fields of random types move and who sees them, and the schemas that such types make.

// moves reports whether tags that say how a number moves may stand on a field.
func (of *shape) moves() bool {
	switch of.kind {
	case isInt:
		return of.typ.Size() < 8 || of.bounded
	case isFloat, isAngle:
		return true
	case isXY, isArray:
		return of.of[0].moves()
	}
	return false
}

// behaviour makes the tags that say how a field moves, who sees it and when.
func (s *schemer) behaviour(of, in *shape, list []reflect.StructField, depth int) (tags []string) {
	r := s.r
	once := r.IntN(14) == 0
	hidden := ""
	if !once && r.IntN(7) == 0 {
		hidden = one(r, "to=owner", "to=others", "to="+s.audience)
		tags = append(tags, hidden)
	}
	if once {
		tags = append(tags, "once")
	}
	cond := len(s.bools) > 0 && r.IntN(6) == 0
	if cond {
		tags = append(tags, "if="+one(r, s.bools...))
	}
	if r.IntN(6) == 0 {
		tags = append(tags, "notify")
	}
	if !of.moves() || of.kind == isOptional {
		return tags
	}
	if r.IntN(3) == 0 {
		tags = append(tags, one(r, "interp", "interp=step"))
	}
	if !once && r.IntN(3) == 0 {
		var can []int
		for j := range in.of {
			v := &in.of[j]
			plain := !strings.Contains(in.tags[j], "once") && !strings.Contains(in.tags[j], "if=") && (hidden == "" && !strings.Contains(in.tags[j], "to=") || hidden != "" && strings.Contains(in.tags[j], hidden))
			if v.moves() && plain && size(v) == size(of) && (v.kind == isArray) == (of.kind == isArray) && (v.kind == isXY) == (of.kind == isXY) && (of.kind != isArray || v.typ.Len() == of.typ.Len() && v.of[0].kind == of.of[0].kind) && !v.number().spread {
				can = append(can, j)
			}
		}
		if len(can) > 0 {
			of.velocity = one(r, can...)
			tag := "predict=" + in.names[of.velocity]
			if of.perTick = r.IntN(2) == 0; of.perTick {
				tag += "/tick"
			}
			if rate := in.of[of.velocity].number().step / of.number().step; rate > 1./256 && rate < 256 {
				tags = append(tags, tag)
			} else {
				of.velocity = -1
			}
		} else if len(s.foreign) > 0 && of.kind != isXY && of.kind != isArray && r.IntN(2) == 0 {
			tags = append(tags, "predict="+one(r, s.foreign...))
		}
	}
	if !once && r.IntN(6) == 0 {
		tags = append(tags, fmt.Sprintf("tol=%g", of.number().step*float64(1+r.IntN(8))*1.0001))
	}
	return tags
}

// number is the number of which a field consists.
func (of *shape) number() *shape {
	for of.kind == isXY || of.kind == isArray {
		of = &of.of[0]
	}
	return of
}

// size is how many words a value has.
func size(of *shape) int {
	switch of.kind {
	case isRef:
		return 2
	case isXY:
		return 2 * size(&of.of[0])
	case isArray:
		return of.typ.Len() * size(&of.of[0])
	case isOptional:
		return 1 + size(&of.of[0])
	case isStruct:
		n := 0
		for i := range of.of {
			n += size(&of.of[i])
		}
		return n
	case isInt, isRaw:
		return max(1, int(of.typ.Size())/4)
	case isText, isBytes, isList, isMap:
		return 0
	}
	return 1
}

// props is how many props a value has, at most.
func props(of *shape) int {
	switch of.kind {
	case isArray:
		return of.typ.Len() * (1 + props(&of.of[0]))
	case isStruct:
		n := 0
		for i := range of.of {
			n += 1 + props(&of.of[i])
		}
		return n
	}
	return 2
}

// A typed is an item type and its shape.
type typed struct {
	t  *rpl.ItemType
	of shape
}

// A madeSchema is a random schema.
type madeSchema struct {
	s     *rpl.Schema
	types []typed
	team  rpl.Audience
	tried int // how many types were refused
	why   []string
}

// makeSchema makes a schema of n types with up to so many fields each.
func makeSchema(r *rand.Rand, n, fields, hz int) *madeSchema {
	var shapes []shape
	var foreign []string
	m := &madeSchema{}
	var made *rpl.Schema
	for len(shapes) < n {
		if m.tried++; m.tried > 50*n {
			panic(fmt.Sprintf("no schema: %q", m.why))
		}
		s := &schemer{r: r, words: 900, props: 120, foreign: foreign, audience: "team"}
		of := s.structure(0, 1+r.IntN(fields))
		if r.IntN(12) == 0 { // many arrays: as wide as a component may be
			of = s.structure(0, 40)
		}
		try := append(shapes[:len(shapes):len(shapes)], of)
		next, types := declare(try)
		if err := next.Freeze(hz); err != nil {
			m.why = append(m.why, err.Error())
			continue
		}
		made, m.types, shapes = next, types, try
		for i := range of.of {
			if x := &of.of[i]; x.kind != isArray && x.kind != isXY && x.moves() && !x.spread && !strings.Contains(of.tags[i], "once") && !strings.Contains(of.tags[i], "if=") {
				foreign = append(foreign, fmt.Sprintf("item%02d.%s", len(shapes)-1, of.names[i]))
			}
		}
	}
	m.s = made
	m.team = made.Group("team")
	return m
}

func declare(shapes []shape) (*rpl.Schema, []typed) {
	s := rpl.NewSchema("made")
	s.SetRef(reflect.TypeFor[entity]())
	s.Group("team")
	var types []typed
	for i, of := range shapes {
		types = append(types, typed{s.Item(fmt.Sprintf("item%02d", i), of.typ, nil), of})
	}
	return s, types
}
