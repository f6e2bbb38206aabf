package rpl_test

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// What may happen to a random world, and what must hold when it has become
// quiet.

func (w *randomWorld) pick(name string) *thingy {
	if len(w.nodes) == 0 {
		return nil
	}
	return w.nodes[rapid.IntRange(0, len(w.nodes)-1).Draw(w.t, name)]
}

// somebody is a connected peer, or nobody.
func (w *randomWorld) somebody() rpl.Peer {
	k := rapid.IntRange(0, len(w.net.Clients)).Draw(w.t, "peer")
	if k == len(w.net.Clients) {
		return 0
	}
	return w.net.Clients[k].Peer
}

// operate does one random thing in the middle of a tick.
func (w *randomWorld) operate() {
	t := w.t
	n := w.pick("node")
	op := rapid.SampledFrom([]string{
		"spawn", "spawn", "change", "change", "change", "bag", "bag", "conceal", "remove", "replace", "words",
		"parent", "give", "add", "drop", "team", "squad", "node", "look", "call", "call", "hint", "ask", "again", "die",
	}).Draw(t, "op")
	if n == nil {
		op = "spawn"
	}
	switch op {
	case "spawn", "change", "bag", "conceal", "words", "add", "drop", "look", "call", "hint", "ask":
	default:
		// A node may leave a peer that it has not reached yet, and come again: what
		// it was greeted with is lost with its first coming.
		for _, o := range w.nodes {
			o.greeted = nil
		}
	}
	switch op {
	case "spawn":
		w.spawnRandom(n)
	case "change":
		b := n.body()
		b.Vel = xy{float64(rapid.IntRange(-400, 400).Draw(t, "vx")) / 8, float64(rapid.IntRange(-80, 80).Draw(t, "vy"))}
		b.Dir = float64(rapid.IntRange(0, 4095).Draw(t, "dir")) / 4096 * 2 * math.Pi
		b.HP = rapid.Uint8().Draw(t, "hp")
	case "bag":
		w.fill(n)
	case "conceal":
		for _, p := range n.parts {
			if p != nil && p.t.Name == "secret" {
				s := p.v.(*secretItem)
				w.conceal(s)
				s.Open = w.secret()
			}
		}
	case "words":
		for _, p := range n.parts {
			if p != nil && p.t.Name == "once" {
				p.v.(*onceItem).Seen++
			}
		}
	case "remove":
		w.net.A.Remove(n.id)
		w.forget(n)
	case "replace": // the slot has a new tenant at once
		w.net.A.Remove(n.id)
		w.forget(n)
		w.spawnRandom(w.pick("parent"))
	case "die": // last words
		w.say(n)
		w.net.A.Remove(n.id)
		w.forget(n)
	case "parent":
		w.adopt(n)
	case "give":
		p := w.somebody()
		w.net.A.Give(n.id, p)
		w.owned(n, p)
	case "add":
		w.addItem(n)
	case "drop":
		w.dropItem(n)
	case "team":
		if p := w.somebody(); p != 0 {
			w.team[p] = !w.team[p]
			w.net.A.SetGroup(p, w.sch.team, w.team[p])
		}
	case "squad":
		n.squad = !n.squad
		w.net.A.SetNodeGroup(n.id, w.sch.squad, n.squad)
		if p := w.somebody(); p != 0 {
			w.squad[p] = !w.squad[p]
			w.net.A.SetGroup(p, w.sch.squad, w.squad[p])
		}
	case "node":
		for _, o := range w.nodes {
			o.moved = true
		}
		n.relevance = rpl.Relevance(rapid.IntRange(0, 3).Draw(t, "relevance"))
		n.keep = rapid.Bool().Draw(t, "keep")
		hz := rapid.SampledFrom([]uint8{0, 0, 10, 30}).Draw(t, "hz")
		w.net.A.SetNode(n.id, n.relevance, 1, hz, n.keep)
	case "look":
		if p := w.somebody(); p != 0 && w.grid != nil {
			w.at[p] = xy{float64(rapid.IntRange(-800, 800).Draw(t, "px")), float64(rapid.IntRange(-800, 800).Draw(t, "py"))}
			w.net.A.Observe(p, [2]float64{w.at[p].X, w.at[p].Y})
		}
	case "call":
		w.say(n)
	case "hint":
		_ = w.net.A.Call(n.id, w.sch.hint, []byte{1})
	case "ask":
		for _, c := range w.net.Clients {
			_ = c.P.Call(n.id, w.sch.ask, []byte{1})
		}
	case "again": // there and back
		p, q := n.owner, w.somebody()
		w.net.A.Give(n.id, q)
		w.net.A.Give(n.id, p)
		w.owned(n, p)
	}
}

// greet calls a node that was just made: the call must run at every client that
// gets it.
func (w *randomWorld) greet(n *thingy) {
	if w.next++; w.next > 0xffff {
		return
	}
	id := uint32(w.next)
	w.said[id] = n.id
	if err := w.net.A.Call(n.id, w.sch.call, []byte{byte(id), byte(id >> 8)}); err != nil {
		w.t.Fatal(err)
	}
	n.greeting = id
}

func (w *randomWorld) spawnRandom(parent *thingy) {
	t := w.t
	if len(w.nodes) > 24 {
		return
	}
	if rapid.IntRange(0, 2).Draw(t, "root") > 0 {
		parent = nil
	}
	var items []*rpl.ItemType
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		items = append(items, w.sch.extra[rapid.IntRange(0, 2).Draw(t, "item")])
	}
	n := w.spawn(parent, w.somebody(), rpl.Relevance(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "relevance")),
		rapid.IntRange(0, 7).Draw(t, "transient") == 0, rapid.Bool().Draw(t, "keep"),
		rapid.SampledFrom([]uint8{0, 0, 0, 20}).Draw(t, "hz"), items)
	if rapid.IntRange(0, 3).Draw(t, "greet") == 0 && w.grid == nil && n.root().relevance == rpl.Always {
		w.greet(n)
		n.greeted = append(n.greeted, w.net.Clients...)
	}
}

func (w *randomWorld) fill(n *thingy) {
	t := w.t
	for _, p := range n.parts {
		if p == nil || p.t.Name != "bag" {
			continue
		}
		b := p.v.(*bagItem)
		switch rapid.IntRange(0, 5).Draw(t, "field") {
		case 0:
			b.Name = rapid.StringN(0, 10, 40).Draw(t, "name")
		case 1:
			b.Slots = slices.Clone(b.Slots)
			if k := len(b.Slots); k < 8 && rapid.Bool().Draw(t, "grow") {
				b.Slots = slices.Insert(b.Slots, rapid.IntRange(0, k).Draw(t, "at"), slotItem{1, w.secret()})
			} else if k > 0 {
				at := rapid.IntRange(0, k-1).Draw(t, "at")
				b.Slots = slices.Delete(b.Slots, at, at+1)
			}
		case 2:
			m := map[string]int32{}
			for range rapid.IntRange(0, 6).Draw(t, "entries") {
				m[rapid.SampledFrom([]string{"a", "b", "c", "long key", ""}).Draw(t, "key")] = w.secret()
			}
			b.Counts = m
		case 3:
			b.Aim = rpl.Opt[int32]{}
			if rapid.Bool().Draw(t, "aim") {
				b.Aim = rpl.Some(w.secret())
			}
		case 4:
			b.Open = !b.Open
		case 5:
			b.Inside, b.Label = w.secret(), fmt.Sprint("label ", w.secret())
		}
	}
}

func (w *randomWorld) adopt(n *thingy) {
	parent := w.pick("under")
	if rapid.IntRange(0, 2).Draw(w.t, "top") == 0 {
		parent = nil
	}
	id := rpl.Node(0)
	if parent != nil {
		id = parent.id
	}
	ring := false
	for up := parent; up != nil; up = up.parent {
		ring = ring || up == n
	}
	if err := w.net.A.SetParent(n.id, id); (err != nil) != ring {
		w.t.Fatalf("%v under %v: %v", n.id, id, err)
	}
	if !ring {
		for _, o := range w.nodes {
			o.moved = true // who has what may have changed before it was sent
		}
		n.parent = parent
	}
}

func (w *randomWorld) addItem(n *thingy) {
	if len(n.parts) > 6 {
		return
	}
	p := w.newPart(w.sch.extra[rapid.IntRange(0, 2).Draw(w.t, "item")])
	it, err := w.net.A.AddItem(n.id, p.t)
	if err != nil {
		w.t.Fatal(err)
	}
	p.item = it
	n.parts = append(n.parts, p)
}

func (w *randomWorld) dropItem(n *thingy) {
	k := rapid.IntRange(1, 7).Draw(w.t, "ordinal")
	if k < len(n.parts) && n.parts[k] != nil {
		if err := w.net.A.RemoveItem(n.parts[k].item); err != nil {
			w.t.Fatal(err)
		}
		n.parts[k] = nil
	}
}

// say makes a reliable call that must run wherever the node is.
func (w *randomWorld) say(n *thingy) {
	if w.next++; w.next > 0xffff {
		return
	}
	id := uint32(w.next)
	holders := w.net.A.Holders(n.id, nil)
	for _, c := range w.net.Clients {
		if slices.Contains(holders, c.Peer) && c.Log.Held[n.id] != nil {
			w.expect = append(w.expect, expected{c, id, n.id})
		}
	}
	w.said[id] = n.id
	if err := w.net.A.Call(n.id, w.sch.call, []byte{byte(id), byte(id >> 8)}); err != nil {
		w.t.Fatal(err)
	}
}

// wants is whether a peer must, and whether it may, hold a node.
func (w *randomWorld) wants(p rpl.Peer, n *thingy) (must, may bool) {
	root := n.root()
	for _, o := range w.nodes {
		if o.owner == p && o.root() == root {
			return true, true
		}
	}
	switch root.relevance {
	case rpl.Always:
		return true, true
	case rpl.OwnerOnly:
		return false, false
	case rpl.Grouped:
		in := root.squad && w.squad[p]
		return in, in
	}
	if w.grid == nil {
		return true, true
	}
	// As the stream sees it: quantised.
	b, at := root.body(), w.at[p]
	d := math.Hypot(math.Round(b.Pos.X*8)/8-at.X, math.Round(b.Pos.Y*8)/8-at.Y)
	return d <= w.grid.Enter, d <= w.grid.Exit
}

// equal is promise 1.
func (w *randomWorld) equal() error {
	for _, c := range w.net.Clients {
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
					c.Peer, th.id, th.owner, th.relevance, th.body().Pos, root.id, root.owner, root.relevance, root.body().Pos, w.at[c.Peer])
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

func (w *randomWorld) allRan() error {
	if w.late {
		return nil
	}
	for _, n := range w.nodes {
		for _, c := range n.greeted {
			if slices.Contains(w.net.Clients, c) && w.ran[c][n.greeting] == 0 && !n.moved {
				return fmt.Errorf("client %d never ran call %d, made with %v", c.Peer, n.greeting, n.id)
			}
		}
	}
	for _, e := range w.expect {
		if w.ran[e.c][e.id] == 0 {
			return fmt.Errorf("client %d never ran call %d on %v, which it had: %+v", e.c.Peer, e.id, e.n, e.c.P.Counters())
		}
	}
	return nil
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
	here := w.newPart(t)
	switch v := here.v.(type) {
	case *bodyItem:
		*v = bodyItem{}
	case *bagItem:
		*v = bagItem{}
	case *secretItem:
		*v = secretItem{}
	case *onceItem:
		*v = onceItem{}
	}
	c.P.Inject(r, ord, here.ptr())
	extract := func(p *part) ([]int32, []any) {
		words, vars := make([]int32, len(t.Words)), make([]any, len(t.Vars))
		for k := range vars {
			vars[k] = t.Vars[k].Type.Default()
		}
		t.Extract(p.ptr(), words, vars, nil)
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
			return fmt.Errorf("%s is %v, want %v", t.Props[prop].Name, gotVars[k], x)
		}
	}
	return nil
}
