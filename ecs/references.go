package ecs

// references: which items of proxies refer to which nodes, those included that are not
// here. So what comes or goes leads to the items that are to be written anew, and costs
// nothing where nobody refers to it.

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// A referrer is an item that may refer to nodes.
type referrer struct {
	node *node
	ord  int
	turn uint64     // in which it is written anew: of its coming
	due  bool       // it is to be: it stands in references.due
	to   []rpl.Node // each once
	at   []int      // by to: where it stands among those who refer to that node
}

// A referral is one of those who refer to a node: by which of the nodes in its to.
type referral struct {
	from *referrer
	k    int
}

// references are the way from a node to those who refer to it. What stands where is
// known on both sides, so that nothing is searched for among many.
type references struct {
	of    map[rpl.Node][]referral
	spare [][]referral // lists of nodes that nobody refers to any more, to use again
	due   []*referrer
	turns uint64

	// Scratch.
	nodes []rpl.Node
	known []bool
}

// refer notes to what an item refers, when its state has come.
func (r *Replication) refer(n *node, ord int) {
	b, s := &n.items[ord], &r.references
	if b.comp == nil || !b.comp.item.HasRefs {
		return
	}
	if b.refers == nil {
		s.turns++
		b.refers = &referrer{node: n, ord: ord, turn: s.turns}
	}
	s.nodes = r.proxy.References(n.replica, ord, s.nodes[:0])
	slices.Sort(s.nodes)
	s.set(b.refers, slices.Compact(s.nodes))
}

// set makes a referrer one of nodes, which are ascending, and of no others.
func (s *references) set(f *referrer, nodes []rpl.Node) {
	s.known = append(s.known[:0], make([]bool, len(nodes))...)
	for k := len(f.to) - 1; k >= 0; k-- { // from the end: the last takes the place of one that goes
		if i, ok := slices.BinarySearch(nodes, f.to[k]); ok {
			s.known[i] = true
		} else {
			s.cut(f, k)
		}
	}
	for i, id := range nodes {
		if !s.known[i] {
			s.add(f, id)
		}
	}
}

func (s *references) add(f *referrer, id rpl.Node) {
	if s.of == nil {
		s.of = map[rpl.Node][]referral{}
	}
	list, ok := s.of[id]
	if last := len(s.spare) - 1; !ok && last >= 0 {
		list, s.spare = s.spare[last], s.spare[:last]
	}
	f.to, f.at = append(f.to, id), append(f.at, len(list))
	s.of[id] = append(list, referral{f, len(f.to) - 1})
}

// cut ends the k-th reference of a referrer. On both sides the last takes its place.
func (s *references) cut(f *referrer, k int) {
	list, at := s.of[f.to[k]], f.at[k]
	last := len(list) - 1
	list[at] = list[last]
	list[at].from.at[list[at].k] = at
	list[last] = referral{}
	if last > 0 {
		s.of[f.to[k]] = list[:last]
	} else {
		delete(s.of, f.to[k])
		s.spare = append(s.spare, list[:0])
	}
	last = len(f.to) - 1
	if k != last {
		f.to[k], f.at[k] = f.to[last], f.at[last]
		s.of[f.to[k]][f.at[k]].k = k
	}
	f.to, f.at = f.to[:last], f.at[:last]
}

// unrefer is for an item that goes: it is not written anew any more.
func (r *Replication) unrefer(b *binding) {
	if f := b.refers; f != nil {
		r.references.set(f, nil)
		f.due, b.refers = false, nil
	}
}

func (r *Replication) unreferAll(n *node) {
	for i := range n.items {
		r.unrefer(&n.items[i])
	}
}

// mark is for a node that has come or gone: what refers to it is to be written anew.
func (r *Replication) mark(id rpl.Node) {
	s := &r.references
	for _, l := range s.of[id] {
		if f := l.from; !f.due {
			f.due = true
			s.due = append(s.due, f)
		}
	}
}

// resolve writes references anew after nodes have come or gone: those to what
// is here now resolve, those to what has gone are null. To the game that is a change.
func (r *Replication) resolve() {
	due := r.references.due
	slices.SortFunc(due, func(a, b *referrer) int { return cmp.Compare(a.turn, b.turn) })
	for _, f := range due {
		r.renew(f)
	}
	clear(due)
	r.references.due = due[:0]
}

// resolveOf is resolve for one node alone, which is about to go.
func (r *Replication) resolveOf(n *node) {
	for i := range n.items {
		if f := n.items[i].refers; f != nil {
			r.renew(f)
		}
	}
}

// renew is idle where resolveOf came before resolve.
func (r *Replication) renew(f *referrer) {
	if !f.due {
		return
	}
	f.due = false
	n, b := f.node, &f.node.items[f.ord]
	e, p := r.component(b)
	if p == nil {
		return
	}
	w := r.tagged(b.comp, e, p)
	if r.proxy.Inject(n.replica, f.ord, b.comp.item, w) && b.comp.standIn != nil {
		b.comp.standIn.set(e, p, w)
	}
	r.look(n, b)
}
