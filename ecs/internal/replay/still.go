package replay

// still: debug mode finds what a client predicts without a rule, such as by a command whose Apply only keeps the input
// for a system of the authority.

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A prop is said to be predicted without a rule after this many states more in which only the authority has changed it
// than others, and so many seconds.
const (
	stillStates  = 100
	stillSeconds = 5
)

// A still is what is known of one prop of the nodes of this machine's player.
type still struct {
	moved  bool // a rule has changed it here, or it was told of: nothing more is to be found
	states int
	since  rpl.Tick // the first of them
}

// noteStill notes how an own item, of the state after tick t, compares with the server's: in field, or nowhere. Between
// that tick and the newest, all of which ran since the last correction, its rules change what they ever change.
func (st *States) noteStill(n *nodes.Node, ord int, field string, t rpl.Tick) {
	b := &n.Items[ord]
	e, _ := st.Component(b)
	k, it := n.Predicted.Item(ord, b.Comp.Item), b.Comp.Item
	from, to := k.At(t), k.At(st.saved)
	if e == nil || n.Owner != st.Me || from == nil || to == nil || st.saved == t {
		return
	}
	if st.still == nil {
		st.still = map[*rpl.ItemType][]still{}
	}
	if st.still[it] == nil {
		st.still[it] = make([]still, len(it.Props))
	}
	words := func(kept unsafe.Pointer) ([]int32, []any) {
		words, vars := make([]int32, len(it.Words)), make([]any, len(it.Vars))
		it.Layout.Extract(st.Tagged(b.Comp, e, kept), words, vars, st.Nodes)
		return words, vars
	}
	was, wasVars := words(from)
	is, isVars := words(to)
	for i := range it.Props {
		p, s := &it.Props[i], &st.still[it][i]
		moves := !slices.Equal(was[p.Words[0]:p.Words[1]], is[p.Words[0]:p.Words[1]])
		for j := p.Vars[0]; j < p.Vars[1]; j++ {
			moves = moves || !it.Vars[j].Type.Equal(wasVars[j], isVars[j])
		}
		switch s.moved = s.moved || moves; {
		case s.moved, p.Name != field && field != "":
			continue
		case field == "":
			s.states = max(0, s.states-1)
			continue
		case s.states == 0, t < s.since: // of another session
			s.since = t
		}
		if s.states++; s.states >= stillStates && t-s.since >= rpl.Tick(stillSeconds*st.Steps) {
			s.moved = true
			st.Faults.Scold("predicted without a rule", b.Comp.Name+"."+p.Name,
				"the authority changes it all the time, on a node of this client's player, and no rule here ever has: each state is a correction; change it in the Apply of a command, declare the command Unpredicted, or keep what the authority alone decides on a node without a command: docs/guide/time.md")
		}
	}
}
