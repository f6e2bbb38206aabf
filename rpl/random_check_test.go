package rpl_test

import (
	"fmt"
	"math"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// The checks of a random world that has become quiet.

// wants reports whether a peer must, and whether it may, hold a node.
func (w *randomWorld) wants(p rpl.Peer, n *thingy) (must, may bool) {
	root := n.root()
	for _, o := range w.nodes {
		if o.owner == p && o.root() == root {
			return true, true
		}
	}
	switch root.streaming.Relevance {
	case rpl.Always:
		return true, true
	case rpl.OwnerOnly:
		return false, false
	case rpl.Grouped:
		in := root.squad && w.squad[p]
		return in, in
	}
	if w.rules.grid == nil {
		return true, true
	}
	at, d := root.place(), math.Inf(1)
	for _, o := range w.at[p] {
		d = min(d, math.Hypot(at.X-o.X, at.Y-o.Y))
	}
	// The tolerance is for columns, whose positions the grid takes unquantised.
	return d <= w.rules.grid.Enter-.1, d <= w.rules.grid.Exit+.1
}

// equal checks promise 1: every client holds the nodes that it must, none that it may
// not, and their state equals the model's.
func (w *randomWorld) equal() error {
	for _, c := range w.net.Clients {
		if c.Peer == w.villain && !w.mended {
			continue
		}
		n := 1 // the session's node
		for _, th := range w.nodes {
			must, may := w.wants(c.Peer, th)
			r, has := c.P.Replica(th.id)
			if has {
				n++
			}
			switch {
			case must && !has:
				root := th.root()
				return fmt.Errorf("client %d misses %v of %d, relevance %d, at %v, its root %v of %d, relevance %d, at %v, seen from %v",
					c.Peer, th.id, th.owner, th.streaming.Relevance, th.place(), root.id, root.owner, root.streaming.Relevance, root.place(), w.at[c.Peer])
			case has && !may:
				return fmt.Errorf("client %d holds %v, which it should not see", c.Peer, th.id)
			case has:
				if err := w.same(c, th, r); err != nil {
					return fmt.Errorf("client %d, %v: %w", c.Peer, th.id, err)
				}
			}
		}
		if len(c.Log.Held) != n {
			return fmt.Errorf("client %d holds %d nodes, %d of them live", c.Peer, len(c.Log.Held), n)
		}
	}
	return w.allRan()
}

func (w *randomWorld) same(c *rpltest.Client, n *thingy, r *rpl.Replica) error {
	if r.Owner != n.owner {
		return fmt.Errorf("its owner is %d, want %d", r.Owner, n.owner)
	}
	parent := rpl.Node(0)
	if n.parent != nil {
		parent = n.parent.id
	}
	if r.Parent != parent {
		return fmt.Errorf("its parent is %v, want %v", r.Parent, parent)
	}
	if up := c.Log.Under(r); parent != 0 && up != c.Log.Held[parent] || parent == 0 && up != nil {
		return fmt.Errorf("its parent is %v, of which was not told", r.Parent)
	}
	if len(r.Items) < len(n.parts) {
		return fmt.Errorf("it has %d items, want %d", len(r.Items), len(n.parts))
	}
	for ord := range r.Items {
		var p *part
		if ord < len(n.parts) {
			p = n.parts[ord]
		}
		if (p == nil) != (r.Items[ord] == nil) {
			return fmt.Errorf("item %d is %v, want %v", ord, r.Items[ord], p)
		}
		if p == nil || n.transient {
			continue
		}
		if err := w.sameItem(c, n, r, ord, p); err != nil {
			return fmt.Errorf("item %d, %s: %w", ord, p.t.Name, err)
		}
	}
	return nil
}

func (w *randomWorld) sameItem(c *rpltest.Client, n *thingy, r *rpl.Replica, ord int, p *part) error {
	t := p.t
	here := p.blank()
	if !c.P.Inject(r, ord, t, here.ptr()) {
		return fmt.Errorf("it is a %s", r.Items[ord].Name)
	}
	extract := func(p *part) ([]int32, []any) {
		words, vars := make([]int32, len(t.Words)), make([]any, len(t.Vars))
		for k := range vars {
			vars[k] = t.Vars[k].Type.Default()
		}
		t.Extract(p.ptr(), words, vars, w)
		return words, vars
	}
	want, wantVars := extract(p)
	got, gotVars := extract(here)
	told := func(prop int) bool {
		q := &t.Props[prop]
		return !q.Once && (q.If < 0 || want[q.If] != 0)
	}
	for k := range want {
		prop := t.Words[k].Prop
		x := want[k]
		if !w.sees(c.Peer, n, t.Props[prop].Audience) {
			x = t.Words[k].Default
		}
		if told(prop) && got[k] != x {
			return fmt.Errorf("%s is %d, want %d", t.Props[prop].Name, got[k], x)
		}
	}
	for k := range wantVars {
		prop := t.Vars[k].Prop
		x := wantVars[k]
		if !w.sees(c.Peer, n, t.Props[prop].Audience) {
			x = t.Vars[k].Type.Default()
		}
		if told(prop) && !t.Vars[k].Type.Equal(gotVars[k], x) {
			return fmt.Errorf("%s is %.40v, want %.40v", t.Props[prop].Name, gotVars[k], x)
		}
	}
	return nil
}
