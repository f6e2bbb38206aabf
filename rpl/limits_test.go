package rpl_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A roomSink offers packets with a fixed room, and fails the test if a packet is too
// long or packets do not end.
type roomSink struct {
	t       *testing.T
	seq     uint64
	room    int
	packets [][]byte
}

func (s *roomSink) Next() (uint64, int) {
	if s.seq++; len(s.packets) > 1000 {
		s.t.Fatal("packets without end")
	}
	return s.seq, s.room
}

func (s *roomSink) Datagram(b []byte) {
	if len(b) > rpl.PacketRoom {
		s.t.Fatalf("a packet of %d bytes, at most %d", len(b), rpl.PacketRoom)
	}
	s.packets = append(s.packets, append([]byte(nil), b...))
}

func (s *roomSink) Reliable([]byte) error { return rpl.ErrLimit }

// noise returns random bytes.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// A proxy's acks and refusals always fit one packet, however many there are, and its
// calls are still sent.
func TestProxysPacketsFit(t *testing.T) {
	s := rpl.NewSchema("fit")
	hint := s.RPC("hint", reflect.TypeFor[[]byte](), rpl.ToServer, rpl.Unreliable)
	hint.FromAnyone = true
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		net.Tick(nil)
	}
	seq := uint64(1000)
	for i := range 3000 { // every second packet is missing
		c.P.Receive(seq+2*uint64(i), net.Now, rpl.FaultsOf(c.P).ForgeSpeculative(net.TickNumber()))
	}
	c.P.Apply(net.Now, &c.Log)
	for _, room := range []int{rpl.PacketRoom, rpl.PacketRoom / 2} {
		if err := c.P.Call(rpl.SessionNode, hint, make([]byte, rpl.MaxUnreliableArgs)); err != nil {
			t.Fatal(err)
		}
		sink := &roomSink{t: t, room: room}
		c.P.Send(net.Now+time.Second, sink)
		for i, b := range sink.packets {
			if err := net.A.Receive(2, 1000+uint64(i), net.Now, b); err != nil && i > 0 {
				t.Errorf("room %d: %v", room, err) // the first packet acks packets that were never sent
			}
		}
		if len(sink.packets) != 2 {
			t.Errorf("room %d: %d packets", room, len(sink.packets))
		}
	}
	if n := net.A.Counters().CallsIn; n != 2 {
		t.Errorf("%d calls came", n)
	}
}

// For a peer whose lane stays full, messages are kept up to a limit; further calls are
// dropped, counted and return an error. Other peers get all calls.
func TestFullLaneIsBounded(t *testing.T) {
	s := rpl.NewSchema("full")
	tome := s.Item("tome", reflect.TypeFor[tomeItem](), nil)
	call := s.RPC("call", reflect.TypeFor[uint32](), rpl.Broadcast, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := range 2 {
		if _, err := net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{tome}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	for range 10 {
		net.Tick(nil)
	}
	net.Clients[0].Clogged = true
	const calls = 10_000
	refused := uint64(0)
	for i := range calls / 10 {
		net.Tick(func(rpl.Tick) {
			net.A.Set(it, unsafe.Pointer(&tomeItem{Text: noise(uint64(i), 2000)}))
			for range 10 {
				if err := net.A.Call(id, call, make([]byte, 4)); errors.Is(err, rpl.ErrLimit) {
					refused++
				} else if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for range 5 {
		net.Tick(nil)
	}
	b := net.A.Backlog(2)
	if b.Ready+b.Waiting > 4100 || b.Blocks > 1 {
		t.Errorf("kept for a peer whose lane is full: %+v", b)
	}
	if n := len(net.Clients[1].Log.Calls); n != calls {
		t.Errorf("the other has run %d calls of %d", n, calls)
	}
	if n := net.A.Counters().CallsDropped; n < calls/2 || n != refused {
		t.Errorf("%d calls dropped, of which %d were errors", n, refused)
	}
	net.Clients[0].Clogged = false
	for range 60 {
		net.Tick(nil)
	}
	if got := net.A.Backlog(2); got.Ready+got.Waiting > 0 {
		t.Errorf("its lane is open again: %+v", got)
	}
}

// If a peer's lane is full while the peer claims to have applied its messages and
// refuses their nodes, the authority still keeps each long node for it only once.
func TestNodesAreKeptOnceForFalseAcks(t *testing.T) {
	s := rpl.NewSchema("lies")
	tome := s.Item("tome", reflect.TypeFor[tomeItem](), nil)
	for _, budget := range []int{0, 256 << 10} {
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: budget}, 1, netsim.Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		liar, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		liar.Clogged, liar.Mute = true, true
		const nodes, size = 8, 2400
		for i := range nodes {
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{tome}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := net.A.Item(id, 0)
			net.A.Set(it, unsafe.Pointer(&tomeItem{Text: noise(uint64(i), size)}))
		}
		lie := rpl.ForgedPacket{}
		for h := range uint32(nodes + 2) {
			lie.Refused = append(lie.Refused, [2]uint32{h, 255})
		}
		for seq := range uint64(1200) {
			net.Tick(nil)
			b := net.A.Backlog(2)
			if b.Bytes > 2*nodes*size {
				t.Fatalf("budget %d, %d ticks: kept for a liar: %+v", budget, seq, b)
			}
			lie.Applied = uint16(b.Ready) // claims all waiting messages, though the lane has taken none
			if err := net.A.Receive(2, seq+1, net.Now, net.A.Forge(lie)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Calls that a peer makes to others are forwarded to a peer until too much waits for
// that peer's lane, and are then dropped for it. The authority's own calls and calls to
// other peers are not affected.
func TestForwardedCallsAreBounded(t *testing.T) {
	s := rpl.NewSchema("handed on")
	shout := s.RPC("shout", reflect.TypeFor[shoutArgs](), rpl.Everywhere, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := range rpl.Peer(3) {
		if _, err := net.Join(2 + p); err != nil {
			t.Fatal(err)
		}
	}
	id, err := net.A.Spawn(rpl.Spawn{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		net.Tick(nil)
	}
	net.Clients[0].Clogged = true
	const calls, size = 200, 4000
	args, err := shout.Args.Append(nil, unsafe.Pointer(&shoutArgs{Text: make([]byte, size-20)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range calls {
		net.Tick(func(rpl.Tick) {
			if err := net.A.CallOthers(id, shout, args, 4); errors.Is(err, rpl.ErrLimit) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
	b := net.A.Backlog(2)
	if b.Bytes < 256<<10 || b.Bytes > 256<<10+size || refused != calls-b.Ready || net.A.Counters().CallsDropped != uint64(refused) {
		t.Errorf("%d of %d calls are refused, %d bytes in %d messages wait", refused, calls, b.Bytes, b.Ready)
	}
	if err := net.A.Call(id, shout, args); err != nil {
		t.Errorf("the authority's own call: %v", err)
	}
	net.Clients[0].Clogged = false
	for range 5 {
		net.Tick(nil)
	}
	for i, want := range []int{calls - refused + 1, calls + 1, 1} {
		if got := len(net.Clients[i].Log.Calls); got != want {
			t.Errorf("peer %d has run %d calls, not %d", i+2, got, want)
		}
	}
}

type shoutArgs struct {
	Text []byte `rpl:"max=4000"`
}

// A peer gets at most as many nodes as there are handles; the other nodes wait until
// handles are free.
func TestMoreNodesThanHandles(t *testing.T) {
	s := rpl.NewSchema("many")
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	const handles, more = 1 << 16, 100
	var ids []rpl.Node
	for i := range handles + more - 1 { // the session's node is one more
		spawn := rpl.Spawn{Streaming: rpl.Streaming{Relevance: rpl.Always}}
		if i >= handles-10 && i < handles+10 {
			spawn.Parent = ids[handles-11] // a hierarchy for which there are too few handles
		}
		id, err := net.A.Spawn(spawn)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(n int) {
		t.Helper()
		for i := 0; len(c.Log.Held) != n; i++ {
			if net.Tick(nil); i > 300 {
				t.Fatalf("it holds %d nodes, not %d: %+v", len(c.Log.Held), n, c.P.Counters())
			}
		}
	}
	holds(handles)
	for range 10 {
		net.Tick(nil)
	}
	if n := net.A.Counters().HandlesOut; n == 0 {
		t.Error("that nodes wait was not counted")
	}
	for _, id := range ids[:2*more] {
		net.A.Remove(id)
	}
	holds(handles - more)
	if len(c.Log.Errors) > 0 {
		t.Error(c.Log.Errors[0])
	}
}

// Spawn and AddItem refuse a node with more than the largest number of rows; a node
// close to that number is replicated.
func TestMoreRowsThanFit(t *testing.T) {
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	secret := sch.extra[1] // has five parts
	items := slices.Repeat([]*rpl.ItemType{secret}, 52)
	if _, err := net.A.Spawn(rpl.Spawn{Items: items}); !errors.Is(err, rpl.ErrLimit) {
		t.Errorf("260 rows: %v", err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: items[:51], Owner: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.A.AddItem(id, secret); !errors.Is(err, rpl.ErrLimit) {
		t.Errorf("260 rows by an added item: %v", err)
	}
	last, _ := net.A.Item(id, 50)
	for i := range 20 {
		net.Tick(func(rpl.Tick) { net.A.Set(last, unsafe.Pointer(&secretItem{Open: 1, Token: int32(i), Other: 3})) })
	}
	net.Tick(func(rpl.Tick) {}) // what the token counts on to is told when it rests
	r, ok := c.P.Replica(id)
	if !ok {
		t.Fatal("it has not come")
	}
	var got secretItem
	c.P.Inject(r, 50, secret, unsafe.Pointer(&got))
	if want := (secretItem{Open: 1, Token: 19}); got != want {
		t.Errorf("the last of 51 items is %+v, not %+v", got, want)
	}
}

// Spawn and SetStreaming refuse an unknown relevance and a weight out of range. A
// refused SetStreaming changes nothing, so no peer sees a node that was hidden from it.
func TestUnknownRelevanceIsRefused(t *testing.T) {
	m := newPostman(t)
	kept, err := m.net.A.Spawn(rpl.Spawn{Streaming: rpl.Streaming{Relevance: rpl.OwnerOnly}})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := m.net.A.Spawn(rpl.Spawn{Streaming: rpl.Streaming{Weight: rpl.MaxWeight}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []rpl.Streaming{
		{Relevance: rpl.Grouped + 1},
		{Relevance: 255},
		{Weight: -1},
		{Weight: 2 * rpl.MaxWeight},
		{Weight: float32(math.Inf(1))},
		{Weight: float32(math.NaN())},
	} {
		if _, err := m.net.A.Spawn(rpl.Spawn{Streaming: s}); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("Spawn of %d, %v: %v", s.Relevance, s.Weight, err)
		}
		for _, id := range []rpl.Node{kept, seen} {
			if err := m.net.A.SetStreaming(id, s); !errors.Is(err, rpl.ErrRange) || !strings.Contains(err.Error(), id.String()) {
				t.Errorf("SetStreaming of %d, %v: %v", s.Relevance, s.Weight, err)
			}
		}
	}
	if err := m.net.A.SetStreaming(seen+1, rpl.Streaming{Relevance: rpl.Near, Weight: 1}); !errors.Is(err, rpl.ErrNoNode) {
		t.Errorf("SetStreaming of no node: %v", err)
	}
	m.ticks(t, 20)
	if _, ok := m.c.P.Replica(kept); ok {
		t.Error("a client sees what its owner alone may see")
	}
	if _, ok := m.c.P.Replica(seen); !ok {
		t.Error("a client does not see what everyone may see")
	}
}
