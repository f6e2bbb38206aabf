package rpl_test

import (
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// walker has only fields that a column compares by itself; hauler has others too.
type walker struct {
	Pos  xy      `rpl:"step=1/8,pos,predict=Vel"`
	Vel  xy      `rpl:"step=1/8"`
	Dir  float64 `rpl:"angle,bits=9"`
	HP   uint8   `rpl:"max=100"`
	Team int16   `rpl:""`
	Born uint8   `rpl:"once"`
}

type hauler struct {
	Body walker  `rpl:""`
	Load []uint8 `rpl:"max=4"`
	Name string  `rpl:"max=8,to=owner"`
}

// columnWorld is one of two worlds that go through the same changes: one passes its
// items with Set, the other with columns.
type columnWorld struct {
	net      *rpltest.Net
	byColumn bool
	walker   *rpl.ItemType
	hauler   *rpl.ItemType

	walkers  []*walker
	haulers  []*hauler
	nodes    [2][]rpl.Node // of walkers and of haulers
	items    [2][]rpl.Item
	columns  [2]*rpl.Column
	reported uint64               // hash of all datagrams
	eyes     map[rpl.Peer]float64 // where they look from, on the x axis …
	reach    rpl.Grid             // … and how far; zero: everyone sees everything

	explicit bool                // the items are explicit, so columns read only bumped rows
	was      map[rpl.Item]walker // each walker when differs was last called, to find what to bump
	cargo    map[rpl.Item]hauler // the same for haulers
}

func newColumnWorld(t *rapid.T, cfg rpl.AuthorityConfig, cond netsim.Conditions, byColumn, explicit bool) *columnWorld {
	s := rpl.NewSchema("columns")
	w := &columnWorld{byColumn: byColumn, explicit: explicit, eyes: map[rpl.Peer]float64{}, was: map[rpl.Item]walker{}, cargo: map[rpl.Item]hauler{}}
	var ofWalker, ofHauler rpl.Tags
	if explicit {
		ofWalker, ofHauler = rpl.Tags{"HP": "max=100,explicit"}, rpl.Tags{"Load": "max=4,explicit"}
	}
	w.walker = s.Item("walker", reflect.TypeFor[walker](), ofWalker)
	w.hauler = s.Item("hauler", reflect.TypeFor[hauler](), ofHauler)
	cfg.Schema, cfg.Hz = s, 60
	w.reach, _ = cfg.Interest.(rpl.Grid)
	net, err := rpltest.New(cfg, 1, cond)
	if err != nil {
		t.Fatal(err)
	}
	w.net = net
	w.columns = [2]*rpl.Column{
		net.A.NewColumn(w.walker, func(row int) unsafe.Pointer { return unsafe.Pointer(w.walkers[row]) }),
		net.A.NewColumn(w.hauler, func(row int) unsafe.Pointer { return unsafe.Pointer(w.haulers[row]) }),
	}
	h := fnv.New64a()
	net.OnDatagram = func(to rpl.Peer, b []byte) {
		h.Write([]byte{byte(to)})
		h.Write(b)
		w.reported = h.Sum64()
	}
	return w
}

// extract passes the components to the authority, as an adapter does at each tick.
func (w *columnWorld) extract(sends, always bool) {
	var at [2][]unsafe.Pointer
	for _, c := range w.walkers {
		at[0] = append(at[0], unsafe.Pointer(c))
	}
	for _, c := range w.haulers {
		at[1] = append(at[1], unsafe.Pointer(c))
	}
	if w.byColumn && (sends || w.explicit) { // a bump stays with its item
		for k, c := range w.columns {
			c.Resize(len(w.items[k]))
			for i, it := range w.items[k] {
				c.Put(i, it)
				if w.explicit && w.differs(k, i, it) {
					c.Bump(i)
				}
			}
			if sends {
				w.net.A.SetColumn(c, at[k])
			}
		}
	}
	if w.byColumn || !sends && !always {
		return
	}
	for k := range at {
		for i, p := range at[k] {
			w.net.A.Set(w.items[k][i], p)
		}
	}
}

// differs reports whether a component has changed since the last call.
func (w *columnWorld) differs(kind, i int, it rpl.Item) bool {
	if kind == 0 {
		was, known := w.was[it]
		w.was[it] = *w.walkers[i]
		return !known || was != *w.walkers[i]
	}
	was, known := w.cargo[it]
	w.cargo[it] = *w.haulers[i]
	return !known || !reflect.DeepEqual(was, *w.haulers[i])
}

func (w *columnWorld) spawn(t *rapid.T, kind int) {
	typ := w.walker
	if kind == 1 {
		typ = w.hauler
	}
	id, err := w.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := w.net.A.Item(id, 0)
	delete(w.was, it)
	delete(w.cargo, it)
	w.nodes[kind], w.items[kind] = append(w.nodes[kind], id), append(w.items[kind], it)
	if kind == 0 {
		w.walkers = append(w.walkers, &walker{})
	} else {
		w.haulers = append(w.haulers, &hauler{})
	}
}

func (w *columnWorld) remove(kind, i int) {
	w.net.A.Remove(w.nodes[kind][i])
	last := len(w.nodes[kind]) - 1
	w.nodes[kind][i], w.items[kind][i] = w.nodes[kind][last], w.items[kind][last]
	w.nodes[kind], w.items[kind] = w.nodes[kind][:last], w.items[kind][:last]
	if kind == 0 {
		w.walkers[i] = w.walkers[last]
		w.walkers = w.walkers[:last]
	} else {
		w.haulers[i] = w.haulers[last]
		w.haulers = w.haulers[:last]
	}
}

// Clients end up with the same state whether items are passed one by one or by columns,
// also if items are explicit and all changes are bumped. If everyone sees everything
// and items are set only at ticks that send, the same bytes are sent too. Otherwise Set
// may make a version a tick earlier, for a peer that then loses sight of the node, or a
// version of a state that did not last until the next send.
func TestColumnsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := rpl.AuthorityConfig{SendHz: rapid.SampledFrom([]int{60, 30}).Draw(t, "sends")}
		always := cfg.SendHz < 60 && rapid.Bool().Draw(t, "items in every tick")
		if rapid.Bool().Draw(t, "grid") {
			cfg.Interest = rpl.Grid{Enter: 400, Exit: 440}
		}
		cond := netsim.Conditions{Delay: 40 * time.Millisecond, Loss: float64(rapid.IntRange(0, 20).Draw(t, "loss")) / 100}
		explicit := rapid.Bool().Draw(t, "explicit")
		worlds := [2]*columnWorld{newColumnWorld(t, cfg, cond, false, false), newColumnWorld(t, cfg, cond, true, explicit)}
		both := func(fn func(w *columnWorld)) { fn(worlds[0]); fn(worlds[1]) }
		both(func(w *columnWorld) {
			for p := range rpl.Peer(2) {
				if _, err := w.net.Join(p + 2); err != nil {
					t.Fatal(err)
				}
			}
		})
		tick := 0
		for range rapid.IntRange(10, 150).Draw(t, "ticks") {
			kind := rapid.IntRange(0, 1).Draw(t, "kind")
			if n := len(worlds[0].nodes[kind]); rapid.IntRange(0, 9).Draw(t, "births") == 0 || n == 0 {
				both(func(w *columnWorld) { w.spawn(t, kind) })
			} else if i := rapid.IntRange(0, 20*n).Draw(t, "death"); i < n {
				both(func(w *columnWorld) { w.remove(kind, i) })
			}
			if n := len(worlds[0].nodes[kind]); n > 0 {
				i, what := rapid.IntRange(0, n-1).Draw(t, "whom"), rapid.IntRange(0, 6).Draw(t, "what")
				x, y := rapid.IntRange(-4000, 4000).Draw(t, "x"), rapid.IntRange(-4000, 4000).Draw(t, "y")
				both(func(w *columnWorld) { w.change(kind, i, what, x, y) })
			}
			if rapid.IntRange(0, 20).Draw(t, "look") == 0 {
				x, p := float64(rapid.IntRange(-500, 500).Draw(t, "from")), rapid.IntRange(2, 3).Draw(t, "who")
				both(func(w *columnWorld) {
					w.eyes[rpl.Peer(p)] = x
					w.net.A.Observe(rpl.Peer(p), [2]float64{x, 0})
				})
			}
			tick++
			both(func(w *columnWorld) {
				w.net.Tick(func(tk rpl.Tick) {
					w.walk()
					w.extract(int(tk)%(60/cfg.SendHz) == 0, always)
				})
			})
			if cfg.Interest == nil && !always && worlds[0].reported != worlds[1].reported {
				t.Fatalf("tick %d: other bytes left", tick)
			}
		}
		both(func(w *columnWorld) {
			for range 180 {
				w.net.Tick(func(tk rpl.Tick) { w.extract(int(tk)%(60/cfg.SendHz) == 0, always) })
			}
		})
		worlds[0].agree(t, worlds[1])
	})
}

// agree compares the state of the clients of two worlds with each other and with the
// authority's.
func (w *columnWorld) agree(t *rapid.T, other *columnWorld) {
	for i, c := range w.net.Clients {
		d := other.net.Clients[i]
		has, otherHas := len(c.Log.Held), len(d.Log.Held)
		for kind, nodes := range w.nodes {
			for k, id := range nodes {
				a, b := c.Log.Held[id], d.Log.Held[id]
				if (a == nil) != (b == nil) && w.mayLinger(c.Peer, kind, k) {
					if a != nil {
						has--
					} else {
						otherHas--
					}
					continue
				}
				if (a == nil) != (b == nil) {
					t.Fatalf("client %d holds %v in one world alone", c.Peer, id)
				}
				if a == nil {
					continue
				}
				have, other := a.Words(0, nil), b.Words(0, nil)
				same := len(have)
				if w.reach.Enter > 0 {
					same = 7 // the last word is told once, as it was when the node came to the peer
				}
				if want := w.net.A.Words(w.items[kind][k], nil); !slices.Equal(have[:same], other[:same]) || !slices.Equal(have[:7], want[:7]) {
					t.Fatalf("client %d, %v: %v and %v, want %v", c.Peer, id, have, other, want)
				}
			}
		}
		if has != otherHas {
			t.Fatalf("client %d holds %d nodes in one world, %d in the other", c.Peer, has, otherHas)
		}
	}
}

// mayLinger is whether a node is where who has it keeps it, and who has not does not get it. Of
// what moves where nobody is near, columns read the place in turns: so what comes near for a
// moment and goes back there may have been seen in one world alone.
func (w *columnWorld) mayLinger(p rpl.Peer, kind, i int) bool {
	at := w.walkers
	if kind == 1 {
		at = nil
		for _, h := range w.haulers {
			at = append(at, &h.Body)
		}
	}
	d := math.Hypot(at[i].Pos.X-w.eyes[p], at[i].Pos.Y)
	return w.reach.Enter > 0 && d > w.reach.Enter-1 && d <= w.reach.Exit+1
}

// change changes a component. Positions and velocities are in eighths, their step,
// because the grid may take an unquantised position from a column.
func (w *columnWorld) change(kind, i, what, x, y int) {
	var c *walker
	if kind == 0 {
		c = w.walkers[i]
	} else {
		c = &w.haulers[i].Body
		w.haulers[i].Load = append(w.haulers[i].Load[:0:0], uint8(x), uint8(y))
		w.haulers[i].Name = string(rune('a' + what))
	}
	switch what {
	case 0:
		c.Pos = xy{float64(x) / 8, float64(y) / 8}
	case 1:
		c.Vel = xy{float64(x/8*60) / 8, 0}
	case 2:
		c.Vel = xy{}
	case 3:
		c.HP, c.Team = uint8(x), int16(y)
	case 4:
		c.Dir = float64(x) / 100
	case 5:
		c.Born++
	}
}

func (w *columnWorld) walk() {
	step := func(c *walker) { c.Pos.X += c.Vel.X / 60 }
	for _, c := range w.walkers {
		step(c)
	}
	for _, c := range w.haulers {
		step(&c.Body)
	}
}

// A loneRow is a column with one row.
type loneRow[T any] struct {
	column *rpl.Column
	is     *T
	at     []unsafe.Pointer // its address, for SetColumn
}

// lone makes a network with one node, whose item is in a column, and one client with an
// enter radius of 400.
func lone[T any](t *testing.T, c netsim.Conditions) (*rpltest.Net, *rpltest.Client, rpl.Node, loneRow[T]) {
	s := rpl.NewSchema("lone")
	typ := s.Item("it", reflect.TypeFor[T](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: rpl.Grid{Enter: 400, Exit: 440}}, 1, c)
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	row := loneRow[T]{is: new(T)}
	row.at = []unsafe.Pointer{unsafe.Pointer(row.is)}
	row.column = net.A.NewColumn(typ, func(int) unsafe.Pointer { return row.at[0] })
	row.column.Resize(1)
	row.column.Put(0, it)
	return net, client, id, row
}

// A client that streams a node in sees its current state, also if the state changed in
// a column and changed back while no client held the node.
func TestSetAfterTheWalk(t *testing.T) {
	net, c, id, w := lone[walker](t, netsim.Conditions{Delay: 20 * time.Millisecond})
	shows := func() int32 {
		if r := c.Log.Held[id]; r != nil {
			return r.Words(0, nil)[5]
		}
		return -1
	}
	for _, step := range []struct {
		hp   uint8
		from float64
		was  int32 // the value that the client may still show
		want int32
	}{{10, 0, -1, 10}, {20, 0, 10, 20}, {20, 9000, 20, -1}, {10, 9000, -1, -1}, {10, 0, -1, 10}} {
		w.is.HP = step.hp
		net.A.Observe(2, [2]float64{step.from, 0})
		for range 60 {
			net.Tick(func(rpl.Tick) {
				net.A.SetColumn(w.column, w.at)
			})
			if x := shows(); x != step.was && x != step.want {
				t.Fatalf("%d seen from %v shows %d", step.hp, step.from, x)
			}
		}
		if shows() != step.want {
			t.Fatalf("%d seen from %v shows %d in the end", step.hp, step.from, shows())
		}
	}
}

// An item that moves to another item's row of the column is found to have changed, even
// if its new value equals the other item's last value.
func TestItemsMoveInTheirColumn(t *testing.T) {
	s := rpl.NewSchema("moves")
	typ := s.Item("walker", reflect.TypeFor[walker](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	walkers := [2]walker{{HP: 7}, {HP: 8}}
	at := []unsafe.Pointer{unsafe.Pointer(&walkers[0]), unsafe.Pointer(&walkers[1])}
	column := net.A.NewColumn(typ, func(row int) unsafe.Pointer { return at[row] })
	column.Resize(len(walkers))
	var nodes [2]rpl.Node
	var items [2]rpl.Item
	for i := range walkers {
		if nodes[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
		items[i], _ = net.A.Item(nodes[i], 0)
		column.Put(i, items[i])
	}
	for range 10 {
		net.Tick(func(rpl.Tick) { net.A.SetColumn(column, at) })
	}
	net.A.Remove(nodes[0])
	at = at[1:]
	column.Resize(1)
	column.Put(0, items[1])
	walkers[1].HP = 7
	net.Tick(func(rpl.Tick) { net.A.SetColumn(column, at) })
	if hp := net.A.Words(items[1], nil)[5]; hp != 7 {
		t.Errorf("the store has %d, the component 7", hp)
	}
}
