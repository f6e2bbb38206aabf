package rpl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// The operations of random worlds.

func (w *randomWorld) pick(name string) *thingy {
	if len(w.nodes) == 0 {
		return nil
	}
	return w.nodes[rapid.IntRange(0, len(w.nodes)-1).Draw(w.t, name)]
}

// somebody returns a connected peer or 0, nobody.
func (w *randomWorld) somebody() rpl.Peer {
	k := rapid.IntRange(0, len(w.net.Clients)).Draw(w.t, "peer")
	if k == len(w.net.Clients) {
		return 0
	}
	return w.net.Clients[k].Peer
}

// anybody returns what somebody does, or the authority's local player, or a suspended
// peer.
func (w *randomWorld) anybody() rpl.Peer {
	some := append([]rpl.Peer{w.rules.local}, w.away...)
	if k := rapid.IntRange(0, 3*len(some)).Draw(w.t, "any"); k < len(some) {
		return some[k]
	}
	return w.somebody()
}

// client returns a random connected client.
func (w *randomWorld) client(name string) *rpltest.Client {
	return w.net.Clients[rapid.IntRange(0, len(w.net.Clients)-1).Draw(w.t, name)]
}

// shows are the operations that change the state of nodes or call RPCs. A name that
// stands twice is twice as likely.
var shows = []string{
	"change", "change", "pace", "pace", "bag", "bag", "conceal", "words", "write", "hulk", "hulk", "plate", "load", "jump", "edge", "busy", "lone",
	"call", "call", "hint", "ask", "check",
}

// shakes are the operations that change which nodes and items exist, who owns them, and
// who sees them.
var shakes = []string{
	"spawn", "spawn", "spawn", "remove", "replace", "parent", "parent", "give", "again", "add", "add", "drop", "team", "watch", "squad", "node",
	"look", "look", "die", "rate",
}

// operate does one random operation in the middle of a tick.
func (w *randomWorld) operate(of ...[]string) {
	op := rapid.SampledFrom(of[rapid.IntRange(0, len(of)-1).Draw(w.t, "kind")]).Draw(w.t, "op")
	n := w.pick("node")
	if n == nil {
		op = "spawn"
	}
	switch op {
	case "remove", "replace", "parent", "give", "team", "watch", "squad", "node", "again", "die":
		w.ungreet()
		w.unask()
	}
	w.show(op, n)
	w.shake(op, n)
}

// shake does an operation of shakes; other names do nothing.
func (w *randomWorld) shake(op string, n *thingy) {
	t := w.t
	switch op {
	case "spawn":
		w.spawnRandom(n)
	case "remove":
		w.net.A.Remove(n.id)
		w.forget(n)
	case "replace": // removed and spawned in one tick, so that the slot is used again at once
		w.net.A.Remove(n.id)
		w.forget(n)
		w.spawnRandom(w.pick("parent"))
	case "die": // a call, and the removal in the same tick
		w.say(n)
		w.net.A.Remove(n.id)
		w.forget(n)
	case "parent":
		w.adopt(n)
	case "give":
		p := w.anybody()
		w.net.A.Give(n.id, p)
		w.owned(n, p)
	case "again": // given away and back in one tick
		p, q := n.owner, w.anybody()
		w.net.A.Give(n.id, q)
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
	case "watch": // the group's Condition reports it from the next send on
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
		n.streaming.Relevance = rpl.Relevance(rapid.IntRange(0, 3).Draw(t, "relevance"))
		n.streaming.Keep = rapid.Bool().Draw(t, "keep")
		w.rate(n)
	case "rate":
		w.rate(n)
	case "look":
		if p := w.somebody(); p != 0 {
			var from []xy
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 0}).Draw(t, "observers") {
				from = append(from, xy{float64(rapid.IntRange(-800, 800).Draw(t, "px")), float64(rapid.IntRange(-800, 800).Draw(t, "py"))})
			}
			w.observe(p, from...)
		}
	}
}

// rate changes a node's Hz and Weight.
func (w *randomWorld) rate(n *thingy) {
	n.shake(w)
	n.streaming.Hz = rapid.SampledFrom([]uint8{0, 0, 10, 30, 1}).Draw(w.t, "hz")
	n.streaming.Weight = rapid.SampledFrom([]float32{1, 0, .1, 100}).Draw(w.t, "weight")
	if err := w.net.A.SetStreaming(n.id, n.streaming); err != nil {
		w.t.Fatal(err)
	}
}

// show does an operation of shows; other names do nothing.
func (w *randomWorld) show(op string, n *thingy) {
	t := w.t
	switch op {
	case "change":
		*n.parts[0].hp() = rapid.Uint8().Draw(t, "hp")
		switch v := n.parts[0].v.(type) {
		case *bodyItem:
			v.Dir = float64(rapid.IntRange(0, 4095).Draw(t, "dir")) / 4096 * 2 * math.Pi
		case *moverItem:
			v.Face = rapid.Float64Range(-720, 720).Draw(t, "face")
			v.Seed++
		case *craftItem:
			v.Kind, v.Load = rapid.Uint8().Draw(t, "kind"), rapid.Int16().Draw(t, "load")
		}
	case "pace":
		n.pace = xy{float64(rapid.IntRange(-400, 400).Draw(t, "vx")) / 8, float64(rapid.IntRange(-80, 80).Draw(t, "vy"))}
		if rapid.IntRange(0, 3).Draw(t, "stands") == 0 {
			n.pace = xy{}
		}
		n.noisy = rapid.IntRange(0, 3).Draw(t, "noisy") == 0
	case "busy":
		n.busy = !n.busy
	case "jump":
		n.parts[0].goTo(xy{float64(rapid.IntRange(-800, 800).Draw(t, "x")), float64(rapid.IntRange(-800, 800).Draw(t, "y"))})
	case "edge": // at and beyond the bounds of values
		n.parts[0].goTo(xy{extreme.Draw(t, "x"), extreme.Draw(t, "y")})
		if rapid.Bool().Draw(t, "fast") {
			n.pace = xy{extreme.Draw(t, "vx"), 0}
		}
	case "lone":
		if p := n.parts[rapid.IntRange(0, len(n.parts)-1).Draw(t, "part")]; p != nil {
			p.lone = !p.lone
		}
	case "check":
		if rapid.Bool().Draw(t, "all") {
			w.net.A.CheckAll()
		} else {
			w.net.A.Check(n.id)
		}
	case "call":
		w.say(n)
	case "hint":
		w.hint(n)
	case "ask":
		w.ask(n)
	}
	for _, p := range n.items() {
		switch v := p.v.(type) {
		case *bagItem:
			if op == "bag" {
				w.fill(v)
			}
		case *secretItem:
			if op == "conceal" {
				w.conceal(v)
				v.Open = w.secret()
			}
		case *onceItem:
			if op == "words" {
				v.Seen++
			}
		case *tomeItem:
			if op == "write" {
				w.write(v)
			}
		case *hulkItem:
			if op == "hulk" {
				w.refit(v)
			}
		case *plateItem:
			if op == "plate" {
				w.cook(v)
			}
		}
	}
}

// extreme is a coordinate or a speed that no game would use.
var extreme = rapid.SampledFrom([]float64{
	900, -900, 899.97, -1e4, 1 << 27, -1 << 27, 1<<28 - 1./8, -1 << 28, 1e9, -1e9, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), 1e6 + .1,
})

func (w *randomWorld) refit(v *hulkItem) {
	t := w.t
	switch rapid.IntRange(0, 11).Draw(t, "field") {
	case 0:
		v.Long, v.Word, v.Full = rapid.Int64().Draw(t, "long"), rapid.Uint32().Draw(t, "word"), rapid.Int32().Draw(t, "full")
	case 1:
		v.Raw, v.Raw32 = rapid.Float64().Draw(t, "raw"), rapid.Float32().Draw(t, "raw32")
	case 2:
		v.Range = rapid.Float64Range(0, 4).Draw(t, "range")
	case 3:
		v.Rate = rapid.Float64Range(-100, 100).Draw(t, "rate")
	case 4:
		v.Turn = rapid.Float64Range(-1, 1).Draw(t, "turn")
	case 5:
		v.Drawn, v.Heat = rapid.Float64Range(-100, 100).Draw(t, "drawn"), extreme.Draw(t, "heat")
	case 6:
		for range rapid.IntRange(1, 12).Draw(t, "words") {
			v.Many[rapid.IntRange(0, 11).Draw(t, "which")] = rapid.Int16().Draw(t, "many")
		}
	case 7:
		v.Open = !v.Open
	case 8:
		v.Hidden[rapid.IntRange(0, 2).Draw(t, "which")] = rapid.Int32().Draw(t, "hidden")
	case 9:
		if v.Shield.Clear(); rapid.Bool().Draw(t, "shield") {
			v.Shield.Set(rapid.Float64Range(-50, 50).Draw(t, "strength"))
		}
	case 10:
		if v.Gear.Clear(); rapid.Bool().Draw(t, "gear") {
			v.Gear.Set(slotItem{rapid.Uint8().Draw(t, "kind"), rapid.Int32().Draw(t, "n")})
		}
	case 11:
		v.Mine++
		v.Aim = entity(rapid.Uint64Range(0, uint64(w.last)).Draw(t, "aim"))
		v.Tags = append(v.Tags[:0:0], v.Aim, entity(rapid.Uint64Range(0, uint64(w.last)).Draw(t, "tag")))
	}
}

func (w *randomWorld) cook(v *plateItem) {
	t := w.t
	switch rapid.IntRange(0, 3).Draw(t, "field") {
	case 0:
		v.A, v.B = rapid.Int32().Draw(t, "a"), v.B+1
	case 1:
		v.Pace = rapid.SampledFrom([]float64{0, 1, -.125, 1e5, -1 << 27}).Draw(t, "pace")
	case 2:
		v.Glow = extreme.Draw(t, "glow")
	case 3:
		v.Rest[rapid.IntRange(0, 2).Draw(t, "which")] = rapid.Int8().Draw(t, "rest")
	}
}

// items returns the parts of a node that are not removed.
func (n *thingy) items() (some []*part) {
	if n == nil {
		return nil
	}
	for _, p := range n.parts {
		if p != nil {
			some = append(some, p)
		}
	}
	return some
}

func (w *randomWorld) spawnRandom(parent *thingy) {
	t := w.t
	if len(w.nodes) > 24 && !w.rules.crowded || len(w.nodes) > 200 {
		return
	}
	if rapid.IntRange(0, 2).Draw(t, "root") > 0 {
		parent = nil
	}
	s := rpl.Spawn{
		Owner:     w.anybody(),
		Transient: rapid.IntRange(0, 7).Draw(t, "transient") == 0,
		Streaming: rpl.Streaming{
			Relevance: rpl.Relevance(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "relevance")),
			Keep:      rapid.Bool().Draw(t, "keep"),
			Hz:        rapid.SampledFrom([]uint8{0, 0, 0, 20}).Draw(t, "hz"),
		},
		Items: []*rpl.ItemType{w.sch.first[rapid.IntRange(0, len(w.sch.first)-1).Draw(t, "first")]},
	}
	if rapid.IntRange(0, 7).Draw(t, "named") == 0 {
		s.Name = fmt.Sprint("node ", w.last)
	}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		if rapid.IntRange(0, 7).Draw(t, "free") == 0 {
			s.Items = append(s.Items, nil)
		}
		s.Items = append(s.Items, w.extra())
	}
	n := w.spawn(s, parent)
	if rapid.IntRange(0, 3).Draw(t, "greet") == 0 && w.rules.grid == nil && n.root().streaming.Relevance == rpl.Always {
		w.greet(n)
	}
}

// extra returns a random type for an item that is not a node's first.
func (w *randomWorld) extra() *rpl.ItemType {
	return w.sch.extra[rapid.IntRange(0, len(w.sch.extra)-1).Draw(w.t, "item")]
}

func (w *randomWorld) fill(b *bagItem) {
	t := w.t
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

// write gives a tome a new random text, so that a delta saves nothing. Half of the
// texts are longer than a datagram.
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
			o.moved = true // which peers hold the node may have changed before the greeting was sent
		}
		n.shake(w)
		n.parent = parent
		n.shake(w)
	}
}

func (w *randomWorld) addItem(n *thingy) {
	if len(n.parts) > 6 && !slices.Contains(n.parts, nil) {
		return
	}
	p := w.newPart(w.extra())
	it, err := w.net.A.AddItem(n.id, p.t)
	if err != nil {
		w.t.Fatal(err)
	}
	p.item = it
	w.net.A.Set(it, p.ptr())
	ord := w.net.A.Ordinal(it)
	if ord == len(n.parts) {
		n.parts = append(n.parts, nil)
	}
	if n.parts[ord] != nil {
		w.t.Fatalf("%v: a new item at %d, where there is one", n.id, ord)
	}
	n.parts[ord] = p
	if was := w.past[n.id][w.net.TickNumber()]; ord < len(was) {
		was[ord] = nil // another item had this ordinal earlier in this tick
	}
	n.shake(w)
}

func (w *randomWorld) dropItem(n *thingy) {
	k := rapid.IntRange(1, 7).Draw(w.t, "ordinal")
	if k < len(n.parts) && n.parts[k] != nil {
		if err := w.net.A.RemoveItem(n.parts[k].item); err != nil {
			w.t.Fatal(err)
		}
		n.parts[k] = nil
		n.shake(w)
	}
}
