package rpl_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A tombItem can be longer than a reliable message.
type tombItem struct {
	Names []byte `rpl:"max=65000"`
	Dates []byte `rpl:"max=65000"`
	Curse []byte `rpl:"to=owner,max=65000"`
	Count int32  `rpl:""`
}

// partSize is the largest part of a message that the authority gives to a lane at once.
const partSize = 16 << 10

func newTomb(t *testing.T, c rpl.AuthorityConfig) (net *rpltest.Net, tomb *rpl.ItemType, reader *rpltest.Client) {
	t.Helper()
	s := rpl.NewSchema("tomb")
	tomb = s.Item("tomb", reflect.TypeFor[tombItem](), nil)
	c.Schema, c.Hz, c.CheckEvery = s, 60, -1
	net, err := rpltest.New(c, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if reader, err = net.Join(2); err != nil {
		t.Fatal(err)
	}
	return net, tomb, reader
}

func spawn(t *testing.T, net *rpltest.Net, s rpl.Spawn) rpl.Node {
	t.Helper()
	id, err := net.A.Spawn(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (i *tombItem) read(c *rpltest.Client, id rpl.Node, tomb *rpl.ItemType) bool {
	*i = tombItem{}
	r, ok := c.P.Replica(id)
	return ok && c.P.Inject(r, 0, tomb, unsafe.Pointer(i))
}

// The arrival and the changes of a node that is longer than a reliable message are sent
// in parts, and other nodes do not wait for them.
func TestLongNodesGoInFragments(t *testing.T) {
	net, tomb, reader := newTomb(t, rpl.AuthorityConfig{})
	longest, parts := 0, 0
	net.OnMessage = func(_ rpl.Peer, b []byte) {
		if longest = max(longest, len(b)); b[0] == 5 {
			parts++
		}
	}
	long := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{tomb}, Owner: 2})
	short := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{tomb}})
	for round := range uint64(3) {
		want := tombItem{Names: noise(3*round, 60_000), Dates: noise(3*round+1, 65_000), Curse: noise(3*round+2, 64_000), Count: int32(round)}
		small := tombItem{Names: noise(round, 20), Count: int32(100 + round)}
		net.Tick(func(rpl.Tick) {
			it, _ := net.A.Item(long, 0)
			net.A.Set(it, unsafe.Pointer(&want))
			it, _ = net.A.Item(short, 0)
			net.A.Set(it, unsafe.Pointer(&small))
		})
		for range 30 {
			net.Tick(nil)
		}
		var got tombItem
		if !got.read(reader, long, tomb) || !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: the long one has %d, %d and %d bytes, %d", round, len(got.Names), len(got.Dates), len(got.Curse), got.Count)
		}
		if !got.read(reader, short, tomb) || !reflect.DeepEqual(got, small) {
			t.Errorf("round %d: the short one has %d bytes, %d", round, len(got.Names), got.Count)
		}
	}
	if parts < 3*180_000/partSize || longest > partSize {
		t.Errorf("%d parts came, the longest message has %d bytes", parts, longest)
	}
	if n := reader.P.Counters().Refused; n > 0 || len(reader.Log.Errors) > 0 {
		t.Errorf("%d refused, %v", n, reader.Log.Errors)
	}
}

// When a peer loses the right to a message of which some parts were given to the lane,
// the other parts are not sent, and the state that the peer may still see is sent
// again.
func TestFragmentsOfLostRights(t *testing.T) {
	net, tomb, reader := newTomb(t, rpl.AuthorityConfig{})
	id := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{tomb}, Owner: 2})
	for range 10 {
		net.Tick(nil)
	}
	given, leaked := 0, false
	said := tombItem{Names: noise(1, 1000), Curse: noise(2, 60_000), Count: 7}
	net.OnMessage = func(_ rpl.Peer, b []byte) {
		given++
		reader.Clogged = given == 1
		leaked = leaked || holds(b, said.Curse[50_000:50_064])
	}
	write := func() {
		it, _ := net.A.Item(id, 0)
		net.A.Set(it, unsafe.Pointer(&said))
	}
	net.Tick(func(rpl.Tick) { write() })
	for range 5 {
		net.Tick(nil)
	}
	if b := net.A.Backlog(2); given != 1 || b.Ready == 0 {
		t.Fatalf("%d parts are given, %+v waits", given, b)
	}
	net.A.Give(id, rpl.Server)
	for range 5 {
		net.Tick(nil)
	}
	reader.Clogged = false
	for range 30 {
		net.Tick(nil)
	}
	var got tombItem
	if !got.read(reader, id, tomb) || !bytes.Equal(got.Names, said.Names) || got.Count != 7 || len(got.Curse) > 0 {
		t.Errorf("it has %d bytes and a curse of %d, %d", len(got.Names), len(got.Curse), got.Count)
	}
	if n := reader.P.Counters().Refused; leaked || n > 0 {
		t.Errorf("the end of the curse was told: %v; %d refused", leaked, n)
	}
	said.Count = 8
	net.Tick(func(rpl.Tick) { write() })
	for range 10 {
		net.Tick(nil)
	}
	if !got.read(reader, id, tomb) || got.Count != 8 {
		t.Errorf("it is stuck at %d", got.Count)
	}
}

// A node that is too long even for parts is not sent, which is logged and counted.
// Other nodes are sent, also if a budget pays for less, and the node too once it is shorter.
func TestTooLongForFragments(t *testing.T) {
	t.Parallel()
	for _, budget := range some([]int{1 << 21, 0}) {
		t.Run(fmt.Sprint("budget ", budget), func(t *testing.T) { tooLongForParts(t, budget) })
	}
}

func tooLongForParts(t *testing.T, budget int) {
	var log bytes.Buffer
	net, tomb, reader := newTomb(t, rpl.AuthorityConfig{Budget: budget, Log: slog.New(slog.NewTextHandler(&log, nil))})
	items := make([]*rpl.ItemType, 33)
	for i := range items {
		items[i] = tomb
	}
	long := spawn(t, net, rpl.Spawn{Items: items})
	short := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{tomb}})
	text := tombItem{Names: noise(1, 65_000), Dates: noise(2, 65_000), Count: 5}
	net.Tick(func(rpl.Tick) {
		for i := range items {
			it, _ := net.A.Item(long, i)
			net.A.Set(it, unsafe.Pointer(&text))
		}
		it, _ := net.A.Item(short, 0)
		net.A.Set(it, unsafe.Pointer(&text))
	})
	for range 20 {
		net.Tick(nil)
	}
	var got tombItem
	if !got.read(reader, short, tomb) || !reflect.DeepEqual(got, text) {
		t.Error("the other one is not there")
	}
	if _, here := reader.P.Replica(long); here || net.A.Counters().TooLong == 0 {
		t.Errorf("it is there: %v, and counted %d times", here, net.A.Counters().TooLong)
	}
	if n := strings.Count(log.String(), "spread its values"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	text.Names, text.Dates = nil, nil
	net.Tick(func(rpl.Tick) {
		for i := range items {
			it, _ := net.A.Item(long, i)
			net.A.Set(it, unsafe.Pointer(&text))
		}
	})
	for range 20 {
		net.Tick(nil)
	}
	if !got.read(reader, long, tomb) || got.Count != 5 {
		t.Error("it is not there once it is short")
	}
}

// A proxy refuses parts without end once they exceed the longest message.
func TestFragmentsWithoutEnd(t *testing.T) {
	net, _, reader := newTomb(t, rpl.AuthorityConfig{})
	for range 300 {
		reader.P.ReceiveMessage(append([]byte{5}, make([]byte, partSize-1)...))
	}
	reader.P.Apply(net.Now, &reader.Log)
	if n := reader.P.Counters().Refused; n != 1 {
		t.Errorf("%d messages are refused, want the one that was too long", n)
	}
	for range 10 {
		net.Tick(nil)
	}
	if len(reader.Log.Errors) > 0 {
		t.Error(reader.Log.Errors)
	}
}
