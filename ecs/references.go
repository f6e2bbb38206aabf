package ecs

// references: which items of proxies refer to which nodes, including nodes that are not
// here. When a node comes or goes, this leads to the items to write again; it costs
// nothing if no item refers to the node.

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// A referrer is an item that may refer to nodes.
type referrer struct {
	node *node
	ord  int
	turn uint64     // its number, in order of creation: referrers are resolved in this order
	due  bool       // it waits in references.due to be written again
	to   []rpl.Node // the nodes that it refers to, each once
	at   []int      // for each of to: its index in references.of of that node
}

// A referral is one reference to a node: its referrer, and the index of the node in the
// referrer's to.
type referral struct {
	from *referrer
	k    int
}

// references lead from a node to its referrers. Both sides know their index on the other,
// so nothing is searched for.
type references struct {
	of    map[rpl.Node][]referral
	spare [][]referral // emptied lists, to use again
	due   []*referrer
	turns uint64

	// Scratch.
	nodes []rpl.Node
	known []bool
}

// refer records the nodes that an item refers to, after its state has come.
func (px *proxies) refer(n *node, ord int) {
	b, s := &n.items[ord], &px.references
	if b.comp == nil || !b.comp.item.HasRefs {
		return
	}
	if b.refers == nil {
		s.turns++
		b.refers = &referrer{node: n, ord: ord, turn: s.turns}
	}
	s.nodes = px.proxy.References(n.replica, ord, s.nodes[:0])
	slices.Sort(s.nodes)
	s.set(b.refers, slices.Compact(s.nodes))
}

// set makes a referrer refer to these nodes, which are ascending, and to no others.
func (s *references) set(f *referrer, nodes []rpl.Node) {
	s.known = append(s.known[:0], make([]bool, len(nodes))...)
	for k := len(f.to) - 1; k >= 0; k-- { // from the end, because cut moves the last reference into the gap
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

// cut ends the k-th reference of a referrer. In both lists the last element takes its
// place.
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

// unrefer forgets the references of an item that goes: it is not written again.
func (px *proxies) unrefer(b *binding) {
	if f := b.refers; f != nil {
		px.references.set(f, nil)
		f.due, b.refers = false, nil
	}
}

func (px *proxies) unreferAll(n *node) {
	for i := range n.items {
		px.unrefer(&n.items[i])
	}
}

// markReferrers notes that a node has come or gone: the items that refer to it are to be
// written again.
func (px *proxies) markReferrers(id rpl.Node) {
	s := &px.references
	for _, l := range s.of[id] {
		if f := l.from; !f.due {
			f.due = true
			s.due = append(s.due, f)
		}
	}
}

// resolve writes references again after nodes have come or gone: references to nodes that
// are here resolve, references to nodes that have gone become null. For OnChange that is
// a change.
func (px *proxies) resolve() {
	due := px.references.due
	slices.SortFunc(due, func(a, b *referrer) int { return cmp.Compare(a.turn, b.turn) })
	for _, f := range due {
		px.renew(f)
	}
	clear(due)
	px.references.due = due[:0]
}

// resolveOf is resolve for a single node, which is about to go.
func (px *proxies) resolveOf(n *node) {
	for i := range n.items {
		if f := n.items[i].refers; f != nil {
			px.renew(f)
		}
	}
}

// renew writes the references of one item again, unless resolveOf has done so already.
func (px *proxies) renew(f *referrer) {
	if !f.due {
		return
	}
	f.due = false
	n, b := f.node, &f.node.items[f.ord]
	e, p := px.component(b)
	if p == nil {
		return
	}
	w := px.tagged(b.comp, e, p)
	if px.proxy.Inject(n.replica, f.ord, b.comp.item, w) && b.comp.standIn != nil {
		b.comp.standIn.set(e, p, w)
	}
	px.notify.look(n, b)
}
