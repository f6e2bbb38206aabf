package rpl_test

import (
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A random world for the property tests: nodes of five kinds of item, whose
// model the oracle compares with what every client holds.

type xy struct{ X, Y float64 }

type bodyItem struct {
	Pos xy      `rpl:"step=1/8,pos,predict=Vel"`
	Vel xy      `rpl:"step=1/8"`
	Dir float64 `rpl:"angle,bits=12"`
	HP  uint8   `rpl:""`
}

type slotItem struct {
	Kind uint8 `rpl:""`
	N    int32 `rpl:""`
}

type bagItem struct {
	Name   string           `rpl:"max=40"`
	Slots  []slotItem       `rpl:"max=8"`
	Counts map[string]int32 `rpl:"max=6"`
	Aim    rpl.Opt[int32]   `rpl:""`
	Open   bool             `rpl:""`
	Inside int32            `rpl:"if=Open"`
	Label  string           `rpl:"if=Open,max=20"`
}

// secretItem's numbers and words are never used twice, so whoever has one was
// sent it.
type secretItem struct {
	Open      int32  `rpl:""`
	Token     int32  `rpl:"to=owner"`
	Word      string `rpl:"to=owner,max=40"`
	Other     int32  `rpl:"to=others"`
	Team      int32  `rpl:"to=team"`
	Watch     int32  `rpl:"to=watch"` // whose members a Condition names
	TeamWord  string `rpl:"to=team,max=40"`
	OwnerHint uint8  `rpl:"to=owner"`
}

type onceItem struct {
	Seed int32 `rpl:"once"`
	Seen int32 `rpl:""`
}

// tomeItem may be longer than a datagram: it travels as a block then.
type tomeItem struct {
	Page uint8  `rpl:""`
	Text []byte `rpl:"max=2400"`
}

// randomSchema is what both ends agree on.
type randomSchema struct {
	s     *rpl.Schema
	body  *rpl.ItemType
	extra []*rpl.ItemType // bag, secret, once, tome
	team  rpl.Audience
	watch rpl.Audience
	squad rpl.Audience // of nodes
	call  *rpl.RPCType // reliable
	hint  *rpl.RPCType // unreliable
	ask   *rpl.RPCType // to the server
	fab   *rpl.PrefabType
}

func newRandomSchema() *randomSchema {
	r := &randomSchema{s: rpl.NewSchema("random")}
	r.team, r.watch, r.squad = r.s.Group("team"), r.s.Group("watch"), r.s.Group("squad")
	r.body = r.s.Item("body", reflect.TypeFor[bodyItem](), nil)
	r.extra = []*rpl.ItemType{
		r.s.Item("bag", reflect.TypeFor[bagItem](), nil),
		r.s.Item("secret", reflect.TypeFor[secretItem](), nil),
		r.s.Item("once", reflect.TypeFor[onceItem](), nil),
		r.s.Item("tome", reflect.TypeFor[tomeItem](), nil),
	}
	r.fab = r.s.Prefab("fab", reflect.TypeFor[uint16]())
	r.call = r.s.RPC("call", reflect.TypeFor[uint32](), rpl.Broadcast, rpl.Reliable)
	r.hint = r.s.RPC("hint", reflect.TypeFor[uint32](), rpl.Broadcast, rpl.Unreliable)
	r.ask = r.s.RPC("ask", reflect.TypeFor[uint32](), rpl.ToServer, rpl.Reliable)
	return r
}

// part is one item of a node in the model.
type part struct {
	t    *rpl.ItemType
	item rpl.Item
	v    any // a pointer to the struct
}

func (p *part) ptr() unsafe.Pointer { return reflect.ValueOf(p.v).UnsafePointer() }

// thingy is one node in the model.
type thingy struct {
	id        rpl.Node
	owner     rpl.Peer
	parent    *thingy
	relevance rpl.Relevance
	keep      bool
	transient bool
	squad     bool
	moved     bool              // what it is relevant to may have changed
	greeting  uint32            // a call made with it
	greeted   []*rpltest.Client // who must have run it
	parts     []*part           // by ordinal; nil where removed
}

func (n *thingy) body() *bodyItem { return n.parts[0].v.(*bodyItem) }

func (n *thingy) root() *thingy {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// secrets are what one peer was entitled to read at some time.
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

// randomWorld is the model and the session.
type randomWorld struct {
	t        *rapid.T
	sch      *randomSchema
	net      *rpltest.Net
	nodes    []*thingy
	next     int32   // of secrets and calls
	given    secrets // all there ever were
	peers    rpl.Peer
	grid     *rpl.Grid
	at       map[rpl.Peer]xy
	team     map[rpl.Peer]bool
	watch    map[rpl.Peer]bool
	squad    map[rpl.Peer]bool
	may      map[rpl.Peer]*secrets
	ran      map[*rpltest.Client]map[uint32]int
	order    map[*rpltest.Client]map[rpl.Node]uint32
	said     map[uint32]rpl.Node
	past     map[rpl.Node]map[rpl.Tick][]int32 // bodies
	late     bool                              // the lanes are so late that last words may be lost
	expect   []expected
	wire     map[rpl.Peer]*eavesdropper
	bucket   map[rpl.Peer]*bucketCheck
	budget   int
	cond     netsim.Conditions
	log      strings.Builder // of the eavesdroppers
	refusals strings.Builder // of the clients
}

func newRandomWorld(t *rapid.T, cond netsim.Conditions, c rpl.Config) *randomWorld {
	w := &randomWorld{
		t: t, sch: newRandomSchema(),
		at: map[rpl.Peer]xy{}, team: map[rpl.Peer]bool{}, watch: map[rpl.Peer]bool{}, squad: map[rpl.Peer]bool{}, may: map[rpl.Peer]*secrets{},
		ran: map[*rpltest.Client]map[uint32]int{}, order: map[*rpltest.Client]map[rpl.Node]uint32{},
		said: map[uint32]rpl.Node{}, past: map[rpl.Node]map[rpl.Tick][]int32{},
		given: secrets{map[int32]bool{}, map[string]bool{}}, wire: map[rpl.Peer]*eavesdropper{}, bucket: map[rpl.Peer]*bucketCheck{}, peers: 1,
	}
	if g, ok := c.Interest.(rpl.Grid); ok {
		w.grid = &g
	}
	c.Schema, c.Hz = w.sch.s, 60
	c.Log = slog.New(slog.NewTextHandler(&w.refusals, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.budget = c.Budget
	net, err := rpltest.New(c, rapid.Uint64().Draw(t, "network"), cond)
	if err != nil {
		t.Fatal(err)
	}
	w.net, w.cond = net, cond
	net.A.Condition(w.sch.watch, func(p rpl.Peer) bool { return w.watch[p] })
	net.OnPacket = func(to rpl.Peer, seq uint64, b []byte) {
		w.wire[to].packet(seq, b)
		w.spent(to, len(b)+rpl.PacketOverhead)
	}
	net.OnMessage = func(to rpl.Peer, b []byte) {
		w.wire[to].message(b)
		w.spent(to, len(b))
	}
	return w
}

// An eavesdropper reads all that leaves for one peer, at once and without loss:
// what it has is what was in the plaintext. Where its client is deaf it knows other
// bases, may refuse what that can read, and reads amiss what builds upon it: what
// is no secret of anybody proves nothing then.
type eavesdropper struct {
	p   *rpl.Proxy
	log rpltest.Recorder
}

func (e *eavesdropper) packet(seq uint64, b []byte) { e.p.Receive(seq, 0, b) }
func (e *eavesdropper) message(b []byte)            { e.p.ReceiveMessage(b) }

// bucketCheck is promise 6: a token bucket of its own. A message that is longer
// than the bucket leaves when that is full.
type bucketCheck struct {
	level float64
	at    time.Duration
	worst float64
	debt  float64 // that one packet, or one message, may make
}

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
	b.worst = min(b.worst, b.level)
}

func (w *randomWorld) join() {
	w.peers++
	p := w.peers
	c, err := w.net.Join(p)
	if err != nil {
		w.t.Fatal(err)
	}
	spy, err := rpl.NewProxy(rpl.Config{Schema: w.sch.s, Hz: 60, Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, p)
	if err != nil {
		w.t.Fatal(err)
	}
	w.wire[p] = &eavesdropper{p: spy}
	w.wire[p].log.Held = map[rpl.Node]*rpl.Replica{}
	w.bucket[p] = &bucketCheck{debt: 1200}
	w.may[p] = &secrets{map[int32]bool{0: true}, map[string]bool{"": true}}
	w.at[p] = xy{}
	w.ran[c], w.order[c] = map[uint32]int{}, map[rpl.Node]uint32{}
	c.Log.OnRun = func(call rpl.Call) { w.onRun(c, call) }
	if w.grid != nil {
		w.net.A.Observe(p, [2]float64{})
	}
}

func (w *randomWorld) onRun(c *rpltest.Client, call rpl.Call) {
	if call.RPC != w.sch.call {
		return
	}
	id := uint32(call.Args[0]) | uint32(call.Args[1])<<8
	if w.said[id] != call.Node {
		w.t.Fatalf("client %d: call %d on %v ran on %v", c.Peer, id, w.said[id], call.Node)
	}
	w.ran[c][id]++
	if w.ran[c][id] > 1 {
		w.t.Fatalf("client %d: call %d on %v ran twice", c.Peer, id, call.Node)
	}
	if last := w.order[c][call.Node]; id < last {
		w.t.Fatalf("client %d: call %d on %v ran after %d", c.Peer, id, call.Node, last)
	}
	w.order[c][call.Node] = id
}

func (w *randomWorld) leave(c *rpltest.Client) {
	p := c.Peer
	w.net.Leave(c)
	w.ungreet() // what hung under its nodes is a root now
	delete(w.at, p)
	delete(w.team, p)
	delete(w.watch, p)
	delete(w.squad, p)
	w.expect = slices.DeleteFunc(w.expect, func(e expected) bool { return e.c == c })
	// The core removes what the peer owned, or takes it for nobody's.
	for _, n := range slices.Clone(w.nodes) {
		if n.owner == p && n.keep {
			n.owner = 0
		}
	}
	for _, n := range slices.Clone(w.nodes) {
		if n.owner == p {
			w.forget(n)
		}
	}
}

func (w *randomWorld) secret() int32 { w.next++; return w.next }

func (w *randomWorld) newPart(t *rpl.ItemType) *part {
	p := &part{t: t}
	switch t.Name {
	case "body":
		p.v = &bodyItem{HP: 100}
	case "bag":
		p.v = &bagItem{Name: "bag"}
	case "secret":
		s := &secretItem{}
		w.conceal(s)
		p.v = s
	case "once":
		p.v = &onceItem{Seed: w.secret()}
	case "tome":
		b := &tomeItem{}
		w.write(b)
		p.v = b
	}
	return p
}

// conceal gives an item new secrets.
func (w *randomWorld) conceal(s *secretItem) {
	s.Token, s.Other, s.Team, s.Watch = w.sparse(), w.sparse(), w.sparse(), w.sparse()
	s.Word, s.TeamWord = fmt.Sprint("owner ", w.secret()), fmt.Sprint("team ", w.secret())
	w.given.words[s.Word], w.given.words[s.TeamWord] = true, true
}

// sparse is a secret that is far from all others: none is had by reading another
// one amiss.
func (w *randomWorld) sparse() int32 {
	n := int32(uint32(w.secret()) * 0x9e3779b1 & math.MaxInt32)
	w.given.numbers[n] = true
	return n
}

func (w *randomWorld) spawn(parent *thingy, owner rpl.Peer, rel rpl.Relevance, transient, keep bool, hz uint8, items []*rpl.ItemType) *thingy {
	n := &thingy{owner: owner, parent: parent, relevance: rel, keep: keep, transient: transient}
	s := rpl.Spawn{Owner: owner, Relevance: rel, Transient: transient, Keep: keep, Hz: hz}
	if parent != nil {
		s.Parent = parent.id
	}
	if len(items)%2 == 0 {
		s.Prefab, s.Args = w.sch.fab, []byte{1, 2}
	}
	s.Items = append([]*rpl.ItemType{w.sch.body}, items...)
	id, err := w.net.A.Spawn(s)
	if err != nil {
		w.t.Fatal(err)
	}
	n.id = id
	for ord, t := range s.Items {
		p := w.newPart(t)
		p.item, _ = w.net.A.Item(id, ord)
		n.parts = append(n.parts, p)
	}
	b := n.body()
	b.Pos = xy{float64(rapid.IntRange(-800, 800).Draw(w.t, "x")), float64(rapid.IntRange(-800, 800).Draw(w.t, "y"))}
	w.nodes = append(w.nodes, n)
	w.set(n)
	return n
}

func (w *randomWorld) set(n *thingy) {
	for _, p := range n.parts {
		if p != nil {
			w.net.A.Set(p.item, p.ptr())
		}
	}
}

// forget takes a node out of the model; the core has it no more.
func (w *randomWorld) forget(n *thingy) {
	for _, c := range w.nodes {
		if c.parent == n {
			c.parent = nil
		}
	}
	w.nodes = slices.DeleteFunc(w.nodes, func(o *thingy) bool { return o == n })
}

func (w *randomWorld) owned(n *thingy, p rpl.Peer) {
	n.owner = p
	for _, c := range w.nodes {
		if c.parent == n {
			w.owned(c, p)
		}
	}
}
