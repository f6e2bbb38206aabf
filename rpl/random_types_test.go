package rpl_test

import (
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A property test of values: components of random types that change by random programs. At every tick every client holds
// of every row what the authority had of it at the tick that the row says, on a perfect line nothing is refused, and in the
// end all is equal, as near as the fields' steps allow.

// A fataler is a test.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A madeItem is an item in the model.
type madeItem struct {
	of       *typed
	item     rpl.Item
	v        reflect.Value // a pointer to the struct
	programs []program
	log      []madeState // what the authority had, oldest first; a new entry where that differs
	between  []madeState // of a column: what it was in ticks that do not send; the authority may have looked
	changed  bool
	before   *madeItem // one of the same type that was here before
	unread   bool      // nobody may have had its node for a while, in which it was not read
}

// A madeState is what the authority had from a tick on.
type madeState struct {
	from  rpl.Tick
	words []int32
	vars  []any
}

type madeNode struct {
	id     rpl.Node
	number entity
	owner  rpl.Peer
	born   rpl.Tick
	show   rpl.Streaming
	items  []*madeItem
}

type madeWorld struct {
	t       fataler
	r       *rand.Rand
	sch     *madeSchema
	net     *rpltest.Net
	hz      int
	calm    bool
	wild    float64
	nodes   []*madeNode
	logs    map[rpl.Node][]*madeItem // of all nodes there were
	last    entity
	ids     map[entity]rpl.Node
	numbers map[rpl.Node]entity
	columns []*rpl.Column // by type; nil where items are Set
	rows    [][]*madeItem
	team    map[rpl.Peer]bool
	peers   rpl.Peer
	said    strings.Builder
	still   bool
	changer changer
	begin   int
	rest    int // the world rests until this tick
}

func (w *madeWorld) NodeOf(e uint64) rpl.Node { return w.ids[entity(e)] }

func (w *madeWorld) EntityOf(n rpl.Node) uint64 { return uint64(w.numbers[n]) }

func (w *madeWorld) spawn() {
	if w.last++; len(w.nodes) > 60 {
		return
	}
	n := &madeNode{number: w.last, born: w.net.TickNumber()}
	if len(w.net.Clients) > 0 && w.r.IntN(2) == 0 {
		n.owner = one(w.r, w.net.Clients...).Peer
	}
	n.show = rpl.Streaming{Relevance: rpl.Always, Hz: one[uint8](w.r, 0, 0, 0, uint8(max(1, w.hz/3)))}
	var types []*rpl.ItemType
	for range 1 + w.r.IntN(4) {
		i := w.newItem()
		types, n.items = append(types, i.of.t), append(n.items, i)
	}
	id, err := w.net.A.Spawn(rpl.Spawn{Items: types, Owner: n.owner, Streaming: n.show})
	if err != nil {
		w.t.Fatal(err)
	}
	n.id = id
	for ord, i := range n.items {
		i.item, _ = w.net.A.Item(id, ord)
		w.net.A.Set(i.item, i.v.UnsafePointer())
		w.note(i)
	}
	w.nodes = append(w.nodes, n)
	w.logs[id] = slices.Clone(n.items)
	w.ids[n.number], w.numbers[id] = id, n.number
}

func (w *madeWorld) newItem() *madeItem {
	of := &w.sch.types[w.r.IntN(len(w.sch.types))]
	i := &madeItem{of: of, v: reflect.New(of.of.typ), programs: make([]program, len(of.of.of)), changed: true}
	if w.r.IntN(3) > 0 {
		w.changer.p = &program{way: anew, among: 1, bits: w.r.IntN(63), every: 1}
		w.changer.change(i.v.Elem(), &of.of, reflect.Value{})
	}
	return i
}

func (w *madeWorld) step(t rpl.Tick) {
	w.changer.tick = int(t) - w.begin
	now := w.changer.tick
	if w.still || now < w.rest {
		return
	}
	for _, n := range w.nodes {
		for _, i := range n.items {
			if i == nil {
				continue
			}
			for k := range i.programs {
				p := &i.programs[k]
				if now >= p.ends {
					*p = newProgram(w.r, now, w.wild)
				}
				of := &i.of.of.of[k]
				if p.asleep || of.velocity < 0 && (now+p.phase)%p.every != 0 {
					continue
				}
				i.changed = true
				w.changer.p = p
				if f := i.v.Elem().Field(k); p.way == followed && of.velocity >= 0 {
					w.changer.follow(f, i.v.Elem().Field(of.velocity), of, &i.of.of.of[of.velocity])
				} else if (now+p.phase)%p.every == 0 {
					w.changer.change(f, of, i.v.Elem())
				}
			}
		}
	}
}

// pass passes all items to the authority.
func (w *madeWorld) pass() {
	for k := range w.rows {
		w.rows[k] = w.rows[k][:0]
	}
	sends := w.net.Sends()
	for _, n := range w.nodes {
		for _, i := range n.items {
			if i == nil {
				continue
			}
			k := slices.IndexFunc(w.sch.types, func(t typed) bool { return t.t == i.of.t })
			switch {
			case w.columns[k] == nil:
				w.net.A.Set(i.item, i.v.UnsafePointer())
				w.note(i)
			case sends:
				w.rows[k] = append(w.rows[k], i)
				w.note(i)
			default:
				i.between = append(i.between, w.stateOf(i))
			}
		}
	}
	if !sends {
		return
	}
	for k, c := range w.columns {
		if c == nil {
			continue
		}
		c.Resize(len(w.rows[k]))
		at := make([]unsafe.Pointer, len(w.rows[k]))
		for row, i := range w.rows[k] {
			c.Put(row, i.item)
			at[row] = i.v.UnsafePointer()
			if i.changed {
				c.Bump(row)
				i.changed = false
			}
		}
		w.net.A.SetColumn(c, at)
	}
}

func (w *madeWorld) tick() {
	w.net.Tick(func(t rpl.Tick) {
		w.step(t)
		w.pass()
	})
	for _, c := range w.net.Clients {
		if len(c.Log.Errors) > 0 {
			w.t.Fatalf("client %d: %s", c.Peer, c.Log.Errors[0])
		}
		n := c.P.Counters()
		if n.Mismatches > 0 {
			w.t.Fatalf("client %d: %d versions are not the authority's: %s", c.Peer, n.Mismatches, w.said.String())
		}
		if w.calm && n.Resyncs > 0 {
			w.t.Fatalf("client %d: resync on a perfect line: %.2000s", c.Peer, w.said.String())
		}
		for r := range c.P.Replicas {
			w.check(c, r)
		}
	}
	if s := w.said.String(); strings.Contains(s, "refused") {
		for _, line := range strings.Split(s, "\n") {
			if strings.Contains(line, "refused") && !(strings.Contains(line, "is not known") && (!w.calm || strings.Contains(line, "block refused"))) {
				w.t.Fatalf("refused: %s", line)
			}
		}
	}
}

func (w *madeWorld) join() {
	w.peers++
	if _, err := w.net.Join(w.peers); err != nil {
		w.t.Fatal(err)
	}
}

// operate changes what there is.
func (w *madeWorld) operate() {
	r := w.r
	now := w.changer.tick
	if len(w.nodes) == 0 {
		w.spawn()
		return
	}
	n := one(r, w.nodes...)
	switch r.IntN(14) {
	case 0, 1:
		w.spawn()
	case 2:
		w.remove(n)
	case 3: // its slot is used again at once, by another
		w.remove(n)
		w.spawn()
	case 4:
		n.owner = one(r, w.net.Clients...).Peer
		w.net.A.Give(n.id, n.owner)
	case 5:
		p := one(r, w.net.Clients...).Peer
		w.team[p] = !w.team[p]
		w.net.A.SetGroup(p, w.sch.team, w.team[p])
	case 6:
		i := w.newItem()
		it, err := w.net.A.AddItem(n.id, i.of.t)
		if err != nil {
			return
		}
		i.item, i.unread = it, n.show.Relevance != rpl.Always
		w.net.A.Set(it, i.v.UnsafePointer())
		w.note(i)
		ord := w.net.A.Ordinal(it)
		if ord == len(n.items) {
			n.items = append(n.items, nil)
		}
		n.items[ord] = i
		if was := w.logs[n.id]; ord < len(was) && was[ord] != nil && was[ord].of == i.of {
			i.before = was[ord]
		}
		w.logs[n.id] = slices.Clone(n.items)
	case 7:
		ord := r.IntN(len(n.items))
		if i := n.items[ord]; i != nil && ord > 0 {
			if err := w.net.A.RemoveItem(i.item); err != nil {
				w.t.Fatal(err)
			}
			n.items[ord] = nil
		}
	case 9, 10: // gone for some, and there again
		n.show.Relevance = one(r, rpl.Always, rpl.OwnerOnly)
		for _, i := range n.items {
			if i != nil {
				i.unread = true
			}
		}
		n.show.Hz = one[uint8](r, 0, 0, uint8(max(1, w.hz/3)), 1)
		if err := w.net.A.SetStreaming(n.id, n.show); err != nil {
			w.t.Fatal(err)
		}
	case 11, 12:
		if w.calm {
			return
		}
		c := one(r, w.net.Clients...)
		c.Silent, c.Deaf, c.Mute = false, false, false
		switch r.IntN(5) {
		case 0:
			c.Silent = true
		case 1:
			c.Deaf = true
		case 2:
			c.Mute = true
		}
	case 13:
		if b := w.net.A.Tables(); len(b) > 0 && r.IntN(2) == 0 {
			w.net.A.Reship(b)
		}
	case 8:
		w.rest = now + one(r, 10, 40, 130, 400)
	}
}

func (w *madeWorld) remove(n *madeNode) {
	if len(w.nodes) < 2 {
		return
	}
	w.net.A.Remove(n.id)
	delete(w.ids, n.number)
	delete(w.numbers, n.id)
	w.nodes = slices.DeleteFunc(w.nodes, func(o *madeNode) bool { return o == n })
}

// Clients hold what the authority had, of components of random types.
func TestRandomTypes(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		seed                        uint64
		types, fields, nodes, ticks int
	}{
		{464, 4, 2, 9, 289},  // a client went on from a state that came in a block which it could not read
		{4878, 1, 4, 5, 109}, // a table was fitted that is not sent
	} {
		playMade(t, of.seed, of.types, of.fields, of.nodes, of.ticks)
	}
	rapid.Check(t, func(t *rapid.T) {
		types, fields := rapid.IntRange(1, 6).Draw(t, "types"), rapid.IntRange(1, 14).Draw(t, "fields")
		nodes, ticks := rapid.IntRange(1, 12).Draw(t, "nodes"), rapid.IntRange(1, 150).Draw(t, "ticks")
		playMade(t, rapid.Uint64().Draw(t, "seed"), types, fields, nodes, ticks)
	})
}

func playMade(t fataler, seed uint64, types, fields, nodes, ticks int) {
	r := rand.New(rand.NewPCG(seed, 0))
	hz := one(r, 10, 20, 30, 60)
	w := &madeWorld{
		t: t, r: r, hz: hz, logs: map[rpl.Node][]*madeItem{}, ids: map[entity]rpl.Node{}, numbers: map[rpl.Node]entity{}, team: map[rpl.Peer]bool{}, peers: 1,
		wild: one(r, 0, .1, 1),
	}
	w.sch = makeSchema(r, types, fields, hz)
	w.changer = changer{r: r, hz: hz, entities: func() entity { return entity(r.IntN(int(w.last) + 2)) }}
	cfg := rpl.AuthorityConfig{Schema: w.sch.s, Hz: hz, Refs: w, SendHz: one(r, hz, hz, hz/2), Log: slog.New(slog.NewTextHandler(&w.said, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	cfg.CheckEvery = one(r, 0, -1, 10*time.Millisecond)
	cond := netsim.Conditions{Delay: time.Duration(r.IntN(100)) * time.Millisecond}
	if w.calm = r.IntN(2) == 0; !w.calm {
		cond.Loss, cond.Jitter, cond.Duplicate = one(r, 0, .02, .1, .4)*r.Float64(), time.Duration(r.IntN(80))*time.Millisecond, one(r, 0, .1)
		if r.IntN(3) == 0 {
			cfg.Budget = 4<<10 + r.IntN(64<<10)
		}
	}
	net, err := rpltest.New(cfg, seed, cond)
	if err != nil {
		t.Fatal(err)
	}
	w.net = net
	net.First = one[uint64](r, 0, 0, 1<<16-20, 1<<32-50)
	net.Begin(one[rpl.Tick](r, 0, 0, 1<<24-300, rpl.MaxTick-200_000))
	w.begin = int(net.TickNumber())
	net.A.SetSharers(one(r, 1, 2, 4))
	for _, x := range w.sch.types {
		var c *rpl.Column
		if r.IntN(2) == 0 {
			k := len(w.columns)
			c = net.A.NewColumn(x.t, func(row int) unsafe.Pointer { return w.rows[k][row].v.UnsafePointer() })
		}
		w.columns = append(w.columns, c)
	}
	w.rows = make([][]*madeItem, len(w.columns))
	for range 1 + r.IntN(3) {
		w.join()
	}
	w.net.Tick(func(rpl.Tick) {
		for range nodes {
			w.spawn()
		}
		w.pass()
	})
	busy := one(r, 0, .02, .2)
	for range ticks {
		if r.Float64() < busy {
			w.operate()
		}
		if r.IntN(200) == 0 && len(w.net.Clients) < 5 {
			w.join()
		}
		if r.IntN(300) == 0 && len(w.net.Clients) > 1 {
			w.net.Leave(one(r, w.net.Clients...))
			w.owners()
		}
		w.tick()
	}
	w.still = true
	for _, n := range w.nodes { // what a velocity leads away from its place is set back in each send
		n.show.Hz = 0
		if err := w.net.A.SetStreaming(n.id, n.show); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range w.net.Clients {
		c.Silent, c.Deaf, c.Mute = false, false, false
	}
	for range 30 * hz {
		w.tick()
		if err = w.equal(); err == nil {
			return
		}
	}
	t.Fatalf("after 30 s of quiet: %v\n%+v\n%.3000s", err, w.net.A.Counters(), w.said.String())
}

// owners forgets the nodes of peers that have left.
func (w *madeWorld) owners() {
	for _, n := range slices.Clone(w.nodes) {
		if n.owner != 0 && !slices.ContainsFunc(w.net.Clients, func(c *rpltest.Client) bool { return c.Peer == n.owner }) {
			delete(w.ids, n.number)
			delete(w.numbers, n.id)
			w.nodes = slices.DeleteFunc(w.nodes, func(o *madeNode) bool { return o == n })
		}
	}
}
