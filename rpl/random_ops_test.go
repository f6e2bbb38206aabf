package rpl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
)

// What may happen to a random world.

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
		"parent", "give", "add", "drop", "team", "watch", "squad", "node", "look", "call", "call", "hint", "ask", "again", "die", "write",
	}).Draw(t, "op")
	if n == nil {
		op = "spawn"
	}
	switch op {
	case "spawn", "change", "bag", "conceal", "words", "write", "add", "drop", "look", "call", "hint", "ask":
	default:
		w.ungreet()
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
	case "write":
		for _, p := range n.parts {
			if p != nil && p.t.Name == "tome" {
				w.write(p.v.(*tomeItem))
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
	case "watch": // the group's condition says so from the next send on
		if p := w.somebody(); p != 0 {
			w.watch[p] = !w.watch[p]
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

// ungreet expects no greeting any more: a node may leave a peer that it has not
// reached yet, and come again, and what it was greeted with is lost with its
// first coming.
func (w *randomWorld) ungreet() {
	for _, n := range w.nodes {
		n.greeted = nil
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
		items = append(items, w.sch.extra[rapid.IntRange(0, len(w.sch.extra)-1).Draw(t, "item")])
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

// write gives a tome a new text, of which nothing is like the old one: half of
// them are longer than a datagram.
func (w *randomWorld) write(b *tomeItem) {
	n := rapid.IntRange(0, 2400).Draw(w.t, "letters")
	text := rand.New(rand.NewPCG(uint64(w.secret()), 0))
	b.Text = b.Text[:0]
	for range n {
		b.Text = append(b.Text, byte('a'+text.IntN(26)))
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
	p := w.newPart(w.sch.extra[rapid.IntRange(0, len(w.sch.extra)-1).Draw(w.t, "item")])
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
