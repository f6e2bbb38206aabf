package rpl_test

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// What clients hold of components of random types, and what the authority had.

// stateOf is what an item is now.
func (w *madeWorld) stateOf(i *madeItem) madeState {
	t := i.of.t
	s := madeState{from: w.net.TickNumber(), words: make([]int32, len(t.Words)), vars: make([]any, len(t.Vars))}
	for k := range t.Vars {
		s.vars[k] = t.Vars[k].Type.Default()
	}
	t.Extract(i.v.UnsafePointer(), s.words, s.vars, w)
	return s
}

// note notes what the authority has of an item. While the bool of an `if=` is false, a field keeps what it was.
func (w *madeWorld) note(i *madeItem) {
	t := i.of.t
	s := w.stateOf(i)
	was := madeState{words: make([]int32, len(t.Words)), vars: make([]any, len(t.Vars))}
	if n := len(i.log); n > 0 {
		was = i.log[n-1]
	} else {
		for k := range was.words {
			was.words[k] = t.Words[k].Default
		}
		for k := range t.Vars {
			was.vars[k] = t.Vars[k].Type.Default()
		}
	}
	now := slices.Clone(s.words)
	for k := range s.words {
		if c := t.Props[t.Words[k].Prop].If; c >= 0 && now[c] == 0 {
			s.words[k] = was.words[k]
		}
	}
	for k := range s.vars {
		if c := t.Props[t.Vars[k].Prop].If; c >= 0 && now[c] == 0 {
			s.vars[k] = was.vars[k]
		}
	}
	if len(i.log) > 0 && slices.Equal(s.words, was.words) && slices.EqualFunc(s.vars, was.vars, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
		return
	}
	if n := len(i.log); n > 0 && i.log[n-1].from == s.from {
		i.log = i.log[:n-1] // it was set before in this tick
	}
	i.log = append(i.log, s)
}

// at is what the authority had of an item at a tick, nil where that is not known.
func (i *madeItem) at(t rpl.Tick) *madeState {
	k, found := slices.BinarySearchFunc(i.log, t, func(s madeState, t rpl.Tick) int { return cmp.Compare(s.from, t) })
	if !found {
		k--
	}
	if k < 0 {
		if i.before != nil {
			return i.before.at(t)
		}
		return nil
	}
	return &i.log[k]
}

// was reports whether a state of an item at some time was such.
func (i *madeItem) was(such func(s *madeState) bool) bool {
	for _, some := range [][]madeState{i.log, i.between} {
		for k := range some {
			if such(&some[k]) {
				return true
			}
		}
	}
	return i.before != nil && i.before.was(such)
}

// wrong says which word or value of a part is not the authority's at a state, "" if all are.
func (i *madeItem) wrong(s *madeState, p *rpl.Part, words []int32, vars []any, exact bool) string {
	t := i.of.t
	for _, k := range p.Words {
		q := &t.Props[t.Words[k].Prop]
		x := words[k]
		ok := x == s.words[k]
		if tol := int64(t.Words[k].Tol); !ok && tol > 0 && !exact {
			d := int64(x) - int64(s.words[k])
			if t.Words[k].Wrap {
				n := int64(t.Words[k].Max) - int64(t.Words[k].Min) + 1
				d = min((d%n+n)%n, (-d%n+n)%n)
			}
			ok = max(d, -d) <= tol
		}
		if !ok && (q.Once || i.unread && q.If >= 0 && s.words[q.If] == 0) {
			ok = i.was(func(s *madeState) bool { return s.words[k] == x })
		}
		if !ok {
			return fmt.Sprintf("%s, %s, %q: word %d is %d, it was %d", q.Name, q.Kind, q.Tag, k, x, s.words[k])
		}
	}
	for _, k := range p.Vars {
		q := &t.Props[t.Vars[k].Prop]
		if ok := t.Vars[k].Type.Equal(vars[k], s.vars[k]); !ok && (!q.Once && !(i.unread && q.If >= 0 && s.words[q.If] == 0) || !i.was(func(s *madeState) bool { return t.Vars[k].Type.Equal(s.vars[k], vars[k]) })) {
			return fmt.Sprintf("%s, %s, %q: value %d is %.60v, it was %.60v", q.Name, q.Kind, q.Tag, k, vars[k], s.vars[k])
		}
	}
	return ""
}

// check compares what a client has of a node with what the authority had.
func (w *madeWorld) check(c *rpltest.Client, r *rpl.Replica) {
	log := w.logs[r.ID]
	for ord, t := range r.Items {
		if t == nil || ord >= len(log) || log[ord] == nil || log[ord].of.t != t {
			continue
		}
		i := log[ord]
		words, _ := r.Confirmed(ord, nil)
		vars := r.Vars(ord, nil)
		for k := range t.Parts {
			p := &t.Parts[k]
			if !r.Has(ord, p.Audience) {
				continue
			}
			at := r.PartTick(ord, p.Audience)
			if s := i.at(at); s == nil {
				w.t.Fatalf("client %d has %v, item %d (%s, %v), part %d of %d, of tick %d; noted from %d", c.Peer, r.ID, ord, t.Name, i.of.of.typ, k, len(t.Parts), at, i.log[0].from)
			} else if wrong := i.wrong(s, p, words, vars, false); wrong != "" {
				w.t.Fatalf("client %d has %v, item %d (%s), part %d of %d, of tick %d, at %d: %s", c.Peer, r.ID, ord, t.Name, k, len(t.Parts), at, c.P.Newest(), wrong)
			}
		}
	}
}

// shown is whether a peer has a node.
func (w *madeWorld) shown(p rpl.Peer, n *madeNode) bool {
	return n.show.Relevance == rpl.Always || n.owner == p
}

func (w *madeWorld) sees(p rpl.Peer, n *madeNode, a rpl.Audience) bool {
	switch a {
	case rpl.Everyone:
		return true
	case rpl.OwnerSees:
		return n.owner == p
	case rpl.OthersSee:
		return n.owner != p
	}
	return w.team[p]
}

// equal checks that each client has all, as it is now.
func (w *madeWorld) equal() error {
	for _, c := range w.net.Clients {
		for _, n := range w.nodes {
			r, ok := c.P.Replica(n.id)
			if ok != w.shown(c.Peer, n) {
				return fmt.Errorf("client %d has %v: %v", c.Peer, n.id, ok)
			} else if !ok {
				continue
			}
			for ord, i := range n.items {
				if i == nil {
					continue
				}
				if ord >= len(r.Items) || r.Items[ord] != i.of.t {
					return fmt.Errorf("client %d misses item %d of %v", c.Peer, ord, n.id)
				}
				words, vars, s := r.Words(ord, nil), r.Vars(ord, nil), &i.log[len(i.log)-1]
				for k := range i.of.t.Parts {
					p := &i.of.t.Parts[k]
					if has, want := r.Has(ord, p.Audience), w.sees(c.Peer, n, p.Audience); has != want {
						return fmt.Errorf("client %d sees part %d of item %d of %v: %v", c.Peer, k, ord, n.id, has)
					} else if !has {
						continue
					}
					if wrong := i.wrong(s, p, words, vars, true); wrong != "" {
						return fmt.Errorf("client %d has %v, item %d (%s): %s", c.Peer, n.id, ord, i.of.t.Name, wrong)
					}
				}
				here := reflect.New(i.of.of.typ)
				c.P.Inject(r, ord, i.of.t, here.UnsafePointer())
				if err := w.near(c, n, i, here); err != nil {
					w.t.Fatalf("client %d has %v, item %d (%s): %v", c.Peer, n.id, ord, i.of.t.Name, err)
				}
			}
		}
	}
	return nil
}

// near checks that a component is as near to the authority's as its steps allow.
func (w *madeWorld) near(c *rpltest.Client, n *madeNode, i *madeItem, here reflect.Value) error {
	for k := range i.of.of.of {
		f, tags := &i.of.of.of[k], i.of.of.tags[k]
		if strings.Contains(tags, "once") || strings.Contains(tags, "if=") || strings.Contains(tags, "to=") {
			continue
		}
		if err := nearly(i.v.Elem().Field(k), here.Elem().Field(k), f); err != nil {
			return fmt.Errorf("%s, %q: %w", i.of.of.names[k], tags, err)
		}
	}
	return nil
}

func nearly(v, x reflect.Value, of *shape) error {
	switch of.kind {
	case isXY:
		if err := nearly(v.Field(0), x.Field(0), &of.of[0]); err != nil {
			return err
		}
		return nearly(v.Field(1), x.Field(1), &of.of[0])
	case isArray:
		for k := range v.Len() {
			if err := nearly(v.Index(k), x.Index(k), &of.of[0]); err != nil {
				return fmt.Errorf("[%d]: %w", k, err)
			}
		}
	case isBool:
		if v.Bool() != x.Bool() {
			return fmt.Errorf("%v, not %v", x, v)
		}
	case isInt:
		if !of.bounded && v.Interface() != x.Interface() {
			return fmt.Errorf("%v, not %v", x, v)
		} else if of.bounded {
			at := float64(0)
			if v.CanInt() {
				at = float64(v.Int())
			} else {
				at = float64(v.Uint())
			}
			got := float64(0)
			if x.CanInt() {
				got = float64(x.Int())
			} else {
				got = float64(x.Uint())
			}
			if got != min(max(at, of.lo), of.hi) {
				return fmt.Errorf("%v, not %v", x, v)
			}
		}
	case isRaw:
		if a, b := v.Float(), x.Float(); math.Float64bits(a) != math.Float64bits(b) && !(a != a && b != b) {
			return fmt.Errorf("%v, not %v", x, v)
		}
	case isFloat, isAngle:
		at, got := v.Float(), x.Float()
		if at != at {
			at = 0
		}
		lo, hi := of.lo, of.hi
		if !of.bounded {
			lo, hi = -(1<<31)*of.step, (1<<31-1)*of.step
		}
		slack := of.step*.5*(1+1e-9) + math.Abs(got)*1e-15
		if of.single {
			slack += math.Abs(got) * 6e-8
		}
		if of.kind == isAngle {
			if math.IsInf(at, 0) {
				at = 0
			}
			if math.Abs(at) > 1e6 {
				return nil
			}
			if got < 0 || got >= of.turn*(1+1e-7) {
				return fmt.Errorf("%v is beyond a turn", got)
			}
			d := math.Abs(math.Mod(at-got, of.turn))
			if d = min(d, of.turn-d); d > slack+math.Abs(at)*1e-12 {
				return fmt.Errorf("%v, not %v", x, v)
			}
			return nil
		}
		if at = min(max(at, lo), hi); math.Abs(at-got) > slack {
			return fmt.Errorf("%v, not %v: %g, at most %g", x, v, math.Abs(at-got), slack)
		}
	}
	return nil
}
