package rpl_test

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A random world for the property tests: a session, and a model of its nodes with
// eleven types of item. The checks compare the model with what every client holds.

// thingy is one node in the model.
type thingy struct {
	id        rpl.Node
	number    entity
	owner     rpl.Peer
	parent    *thingy
	streaming rpl.Streaming
	transient bool
	squad     bool
	pace      xy                // per second
	noisy     bool              // random noise is added to its movement
	busy      bool              // its HP changes at every tick
	born      rpl.Tick          // when it was spawned
	moved     bool              // the peers to which it is relevant may have changed
	shaken    rpl.Tick          // when its owner, parent, items or relevance last changed
	greeting  uint32            // the call that greet made
	greeted   []*rpltest.Client // the clients that must run it
	parts     []*part           // by ordinal; nil where removed
}

func (n *thingy) body() *bodyItem { return n.parts[0].v.(*bodyItem) }

// place returns a node's position as the authority has it: quantised and within bounds.
func (n *thingy) place() xy {
	t := n.parts[0].t
	words := make([]int32, len(t.Words))
	t.Extract(n.parts[0].ptr(), words, nil, nil)
	return xy{float64(words[t.Pos[0]]) * t.PosStep, float64(words[t.Pos[1]]) * t.PosStep}
}

func (n *thingy) root() *thingy {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// secrets are the numbers and words that a peer was allowed to read at some time.
type secrets struct {
	numbers map[int32]bool
	words   map[string]bool
}

// expected is a reliable call that must run at a client.
type expected struct {
	c  *rpltest.Client
	id uint32
	n  rpl.Node
}

// randomWorld is the session, the model of its nodes, and what the checks need.
type randomWorld struct {
	t        *rapid.T
	sch      *randomSchema
	net      *rpltest.Net
	rules    rules
	nodes    []*thingy
	gone     []*thingy           // those that had a secret
	numbers  map[entity]rpl.Node // of all nodes that exist
	last     entity
	next     int32   // the last number given to a secret or a call
	given    secrets // all secrets so far
	peers    rpl.Peer
	at       map[rpl.Peer][]xy // each peer's observers
	team     map[rpl.Peer]bool
	watch    map[rpl.Peer]bool
	squad    map[rpl.Peer]bool
	may      map[rpl.Peer]*secrets
	shaken   map[rpl.Peer]rpl.Tick // when a peer last joined or its observers changed
	away     []rpl.Peer            // suspended peers
	ran      map[*rpltest.Client]map[uint32]int
	order    map[*rpltest.Client]map[rpl.Node]uint32
	since    map[*rpl.Replica]rpl.Tick // when the client got it, or last need not have held it
	said     map[uint32]rpl.Node
	to       map[uint32]rpl.Peer // the only peer that may run a call, for calls to one peer
	asked    map[uint32]*request
	past     map[rpl.Node]map[rpl.Tick][][]int32 // words, by item
	noise    *rand.Rand                          // for noisy movement and hoards
	columns  map[*rpl.ItemType]*rpl.Column
	rows     map[*rpl.ItemType][]unsafe.Pointer
	hoards   map[rpl.Peer]*hoard
	late     bool // the lanes are so late that calls before a removal may be lost
	expect   []expected
	wire     map[rpl.Peer]*eavesdropper
	bucket   map[rpl.Peer]*bucketCheck
	budget   int
	cond     netsim.Conditions
	villain  rpl.Peer        // a peer that sends arbitrary packets; its own state is not checked …
	mended   bool            // … until it behaves again
	refusals strings.Builder // log of the session
}

// rules say how a world is played, beside its configuration.
type rules struct {
	grid    *rpl.Grid
	calm    bool // nothing is lost or late: clients show the current state
	columns bool // items are passed by columns
	crowded bool
	local   rpl.Peer
	first   uint64   // the number after which packets' numbers begin
	begin   rpl.Tick // the tick at which the session begins
	tables  []byte   // code tables with which the session begins
}

// NodeOf and EntityOf resolve references, at both ends.
func (w *randomWorld) NodeOf(e uint64) rpl.Node { return w.numbers[entity(e)] }

func (w *randomWorld) EntityOf(n rpl.Node) uint64 {
	for e, id := range w.numbers {
		if id == n {
			return uint64(e)
		}
	}
	return 0
}

func newRandomWorld(t *rapid.T, cond netsim.Conditions, c rpl.AuthorityConfig, r rules) *randomWorld {
	w := &randomWorld{
		t: t, sch: newRandomSchema(), rules: r, numbers: map[entity]rpl.Node{},
		at: map[rpl.Peer][]xy{}, team: map[rpl.Peer]bool{}, watch: map[rpl.Peer]bool{}, squad: map[rpl.Peer]bool{}, may: map[rpl.Peer]*secrets{},
		shaken: map[rpl.Peer]rpl.Tick{}, since: map[*rpl.Replica]rpl.Tick{},
		ran: map[*rpltest.Client]map[uint32]int{}, order: map[*rpltest.Client]map[rpl.Node]uint32{},
		said: map[uint32]rpl.Node{}, to: map[uint32]rpl.Peer{}, asked: map[uint32]*request{},
		past:  map[rpl.Node]map[rpl.Tick][][]int32{},
		given: secrets{map[int32]bool{}, map[string]bool{}}, wire: map[rpl.Peer]*eavesdropper{}, bucket: map[rpl.Peer]*bucketCheck{}, peers: 1,
		columns: map[*rpl.ItemType]*rpl.Column{}, rows: map[*rpl.ItemType][]unsafe.Pointer{}, hoards: map[rpl.Peer]*hoard{},
	}
	seed := rapid.Uint64().Draw(t, "network")
	w.noise = rand.New(rand.NewPCG(seed, 1))
	c.Schema, c.Hz, c.Refs, c.Local = w.sch.s, 60, w, r.local
	c.Log = slog.New(slog.NewTextHandler(&w.refusals, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.budget = c.Budget
	net, err := rpltest.New(c, seed, cond)
	if err != nil {
		t.Fatal(err)
	}
	net.A.SetSharers(rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "sharers"))
	net.A.SetMaxWanted(max(1, rapid.SampledFrom([]int{1 << 20, 200, 1000}).Draw(t, "wanted a second")/max(1, c.SendHz)))
	net.First = r.first
	net.Begin(r.begin)
	w.net, w.cond = net, cond
	if r.tables != nil {
		if err := net.A.LoadTables(r.tables); err != nil {
			t.Fatal(err)
		}
	}
	if r.columns {
		w.makeColumns()
	}
	net.A.Condition(w.sch.watch, func(p rpl.Peer) bool { return w.watch[p] })
	net.Run = w.onServer
	net.OnPacket = func(to rpl.Peer, seq uint64, b []byte) {
		w.wire[to].packet(seq, net.Now, b)
		w.spent(to, len(b)+rpl.PacketOverhead)
		w.hoards[to].keep(&w.hoards[to].down, seq, b)
	}
	net.OnUpPacket = func(from rpl.Peer, seq uint64, b []byte) {
		w.hoards[from].keep(&w.hoards[from].up, seq, b)
	}
	net.OnMessage = func(to rpl.Peer, b []byte) {
		w.wire[to].message(b)
		w.spent(to, len(b))
	}
	return w
}

// An eavesdropper is a proxy that receives everything sent to one peer, at once and
// without loss, so its state is what the plaintext said. If its client misses packets,
// the two have different baselines: the eavesdropper may then refuse a packet that the
// client can read, and misread what builds upon it. So only values that are somebody's
// secret are checked.
type eavesdropper struct {
	p        *rpl.Proxy
	log      rpltest.Recorder
	refusals strings.Builder
}

func (e *eavesdropper) packet(seq uint64, at time.Duration, b []byte) { e.p.Receive(seq, at, b) }
func (e *eavesdropper) message(b []byte)                              { e.p.ReceiveMessage(b) }

// bucketCheck checks promise 6 with a token bucket of its own. A message longer than
// the bucket may be sent when the bucket is full.
type bucketCheck struct {
	level float64
	at    time.Duration
	worst float64
	debt  float64 // the debt that one packet or one message may make
}

// beat is the largest size of a packet that carries only the tick.
const beat = 64

func (w *randomWorld) spent(to rpl.Peer, n int) {
	if w.budget == 0 {
		return
	}
	b, full := w.bucket[to], max(float64(w.budget)/4, 1200)
	if b.at == 0 {
		b.level = full
	} else {
		b.level = min(full, b.level+float64(w.budget)*(w.net.Now-b.at).Seconds())
	}
	b.at = w.net.Now
	b.level -= float64(n)
	b.debt = max(b.debt, float64(n)-full)
	if n > beat { // packets that only carry the tick are sent in debt, too
		b.worst = min(b.worst, b.level)
	}
}

func (w *randomWorld) join() {
	w.peers++
	w.admit(w.peers)
	w.may[w.peers] = &secrets{map[int32]bool{0: true}, map[string]bool{"": true}}
}

// admit begins the stream of a peer that is new or comes back.
func (w *randomWorld) admit(p rpl.Peer) {
	c, err := w.net.Join(p)
	if err != nil {
		w.t.Fatal(err)
	}
	ear := &eavesdropper{}
	ear.p, err = rpl.NewProxy(rpl.ProxyConfig{Schema: w.sch.s, Hz: 60, Refs: w, Log: slog.New(slog.NewTextHandler(&ear.refusals, &slog.HandlerOptions{Level: slog.LevelDebug}))}, p)
	if err != nil {
		w.t.Fatal(err)
	}
	w.wire[p] = ear
	w.wire[p].log.Held = map[rpl.Node]*rpl.Replica{}
	w.bucket[p] = &bucketCheck{debt: 1200}
	w.hoards[p] = &hoard{r: w.noise}
	w.shaken[p] = w.net.TickNumber()
	w.at[p] = nil
	w.ran[c], w.order[c] = map[uint32]int{}, map[rpl.Node]uint32{}
	c.Log.OnRun = func(call rpl.Call) { w.onRun(c, call) }
	w.observe(p, xy{})
}

// observe sets a peer's observers.
func (w *randomWorld) observe(p rpl.Peer, at ...xy) {
	if w.rules.grid == nil {
		return
	}
	w.at[p] = at
	w.shaken[p] = w.net.TickNumber()
	var points [][2]float64
	for _, o := range at {
		points = append(points, [2]float64{o.X, o.Y})
	}
	w.net.A.Observe(p, points...)
}

func (w *randomWorld) leave(c *rpltest.Client) {
	w.net.Leave(c)
	w.left(c)
	w.end(c.Peer)
}

// suspend ends a peer's stream. Its nodes stay its own, and it may come back.
func (w *randomWorld) suspend(c *rpltest.Client) {
	w.net.Suspend(c)
	w.left(c)
	w.away = append(w.away, c.Peer)
}

// back begins the stream of a suspended peer again.
func (w *randomWorld) back(k int) {
	p := w.away[k]
	w.away = slices.Delete(w.away, k, k+1)
	w.admit(p)
}

// over disconnects a suspended peer.
func (w *randomWorld) over(k int) {
	p := w.away[k]
	w.away = slices.Delete(w.away, k, k+1)
	w.net.A.Disconnect(p)
	w.end(p)
}

// left removes the stream of a client from the model.
func (w *randomWorld) left(c *rpltest.Client) {
	p := c.Peer
	w.ungreet() // children of the nodes that go with it become roots
	w.unask()
	delete(w.at, p)
	delete(w.team, p)
	delete(w.watch, p)
	delete(w.squad, p)
	w.expect = slices.DeleteFunc(w.expect, func(e expected) bool { return e.c == c })
}

// end removes a peer from the model. The authority removes its nodes, or makes them
// nobody's if they have Keep.
func (w *randomWorld) end(p rpl.Peer) {
	for _, n := range slices.Clone(w.nodes) {
		if n.owner == p && n.streaming.Keep {
			n.owner = 0
			n.shake(w)
		}
	}
	for _, n := range slices.Clone(w.nodes) {
		if n.owner == p {
			w.forget(n)
		}
	}
}

func (w *randomWorld) secret() int32 { w.next++; return w.next }

// spawn makes a node in the authority and in the model. parent may be nil.
func (w *randomWorld) spawn(s rpl.Spawn, parent *thingy) *thingy {
	w.last++
	n := &thingy{number: w.last, owner: s.Owner, parent: parent, streaming: s.Streaming, transient: s.Transient}
	if parent != nil {
		s.Parent = parent.id
	}
	if len(s.Items)%2 == 1 {
		s.Prefab, s.Args = w.sch.fab, []byte{1, 2}
	}
	id, err := w.net.A.Spawn(s)
	if err != nil {
		w.t.Fatal(err)
	}
	n.id = id
	for ord, t := range s.Items {
		n.parts = append(n.parts, nil)
		if t != nil {
			n.parts[ord] = w.newPart(t)
			n.parts[ord].item, _ = w.net.A.Item(id, ord)
		}
	}
	n.parts[0].goTo(xy{float64(rapid.IntRange(-800, 800).Draw(w.t, "x")), float64(rapid.IntRange(-800, 800).Draw(w.t, "y"))})
	n.born = w.net.TickNumber()
	w.nodes = append(w.nodes, n)
	w.numbers[n.number] = id
	n.shake(w)
	w.set(n)
	return n
}

// shake notes that a node's hierarchy has changed in a way that takes clients time to
// follow.
func (n *thingy) shake(w *randomWorld) {
	r := n.root()
	for _, o := range w.nodes {
		if o.root() == r {
			o.shaken = w.net.TickNumber()
		}
	}
	n.shaken = w.net.TickNumber()
}

// set passes a new node's items to the authority; columns take them over at the next
// tick that sends.
func (w *randomWorld) set(n *thingy) {
	for _, p := range n.parts {
		if p != nil {
			w.net.A.Set(p.item, p.ptr())
		}
	}
}

// forget removes a node from the model, after the authority has removed it. Its
// children become roots. The removal carries what its holders may see of it by then.
func (w *randomWorld) forget(n *thingy) {
	w.entitleTo(n)
	delete(w.numbers, n.number)
	n.shake(w)
	for _, c := range w.nodes {
		if c.parent == n {
			c.parent = nil
		}
	}
	w.nodes = slices.DeleteFunc(w.nodes, func(o *thingy) bool { return o == n })
	if slices.ContainsFunc(n.parts, func(p *part) bool { return p != nil && p.t.Name == "secret" }) {
		w.gone = append(w.gone, n)
	}
}

// owned sets the owner of a node and all below it in the model.
func (w *randomWorld) owned(n *thingy, p rpl.Peer) {
	n.owner = p
	n.shake(w)
	for _, c := range w.nodes {
		if c.parent == n {
			w.owned(c, p)
		}
	}
}
