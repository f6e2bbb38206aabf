package rpl_test

import (
	"bytes"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Packets that arrive after packets that were sent later.

// A postman holds back the packets of one client, which the test delivers by hand.
type postman struct {
	net     *rpltest.Net
	c       *rpltest.Client
	sch     *randomSchema
	letters []letter // sent and not yet taken by tick
}

type letter struct {
	seq uint64
	b   []byte
}

func newPostman(t *testing.T) *postman {
	m := &postman{sch: newRandomSchema()}
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: m.sch.s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	m.net = net
	if m.c, err = net.Join(2); err != nil {
		t.Fatal(err)
	}
	m.c.Deaf = true
	net.OnPacket = func(_ rpl.Peer, seq uint64, b []byte) {
		m.letters = append(m.letters, letter{seq, append([]byte(nil), b...)})
	}
	return m
}

// spawn makes a node with a body and one more item.
func (m *postman) spawn(t *testing.T, extra *rpl.ItemType) rpl.Node {
	id, err := m.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{m.sch.body, extra}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// item returns an item of a node.
func (m *postman) item(id rpl.Node, ordinal int) rpl.Item {
	it, _ := m.net.A.Item(id, ordinal)
	return it
}

// tick plays a tick, and returns its packets undelivered.
func (m *postman) tick(change func()) []letter {
	from := len(m.letters)
	m.net.Tick(func(rpl.Tick) {
		if change != nil {
			change()
		}
	})
	kept := m.letters[from:]
	m.letters = m.letters[:from:from]
	return kept
}

// deliver gives letters to the client now, and checks that it refuses none.
func (m *postman) deliver(t *testing.T, letters []letter) {
	t.Helper()
	refused := m.c.P.Counters().Refused
	for _, l := range letters {
		m.c.P.Receive(l.seq, m.net.Now, l.b)
	}
	m.c.P.Apply(m.net.Now, &m.c.Log)
	if len(m.c.Log.Errors) > 0 {
		t.Fatal(m.c.Log.Errors[0])
	}
	if n := m.c.P.Counters().Refused; n > refused {
		t.Fatalf("%d packets were refused", n-refused)
	}
}

// ticks plays n ticks and delivers their packets.
func (m *postman) ticks(t *testing.T, n int) {
	t.Helper()
	for range n {
		m.deliver(t, m.tick(nil))
	}
}

// read injects the client's state of an item into the component at p.
func (m *postman) read(t *testing.T, id rpl.Node, ordinal int, typ *rpl.ItemType, p unsafe.Pointer) {
	t.Helper()
	if r, ok := m.c.P.Replica(id); !ok {
		t.Fatalf("%v is not there: %+v", id, m.c.P.Counters())
	} else if !m.c.P.Inject(r, ordinal, typ, p) {
		t.Fatalf("item %d of %v is not a %s", ordinal, id, typ.Name)
	}
}

// A packet that makes the client forget a row is ignored when it arrives after the
// node's removal.
func TestLateForgetOfGoneNode(t *testing.T) {
	m := newPostman(t)
	m.net.A.SetGroup(2, m.sch.team, true)
	id := m.spawn(t, m.sch.extra[1])
	m.ticks(t, 10)
	late := m.tick(func() { m.net.A.SetGroup(2, m.sch.team, false) })
	m.deliver(t, m.tick(func() { m.net.A.Remove(id) }))
	m.deliver(t, late)
}

// An update from before a node's items changed does not change the items that it has
// now.
func TestLateUpdateOfRemovedItem(t *testing.T) {
	m := newPostman(t)
	id := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 10)
	late := m.tick(func() {
		m.net.A.Set(m.item(id, 1), unsafe.Pointer(&onceItem{Seen: 7}))
	})
	m.deliver(t, m.tick(func() {
		if err := m.net.A.RemoveItem(m.item(id, 1)); err != nil {
			t.Fatal(err)
		}
	}))
	m.deliver(t, late)
}

// When a node's items change twice within one Apply, the callbacks report only the
// items that remain.
func TestItemsThatCameAndWent(t *testing.T) {
	m := newPostman(t)
	id := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 10)
	var brief rpl.Item
	came := m.tick(func() {
		var err error
		if brief, err = m.net.A.AddItem(id, m.sch.extra[2]); err != nil {
			t.Fatal(err)
		}
	})
	went := m.tick(func() {
		if err := m.net.A.RemoveItem(brief); err != nil {
			t.Fatal(err)
		}
	})
	m.deliver(t, append(came, went...))
}

// A block that arrives so late that its baseline is forgotten is sent again, even if
// the first requests for it are lost.
func TestLateBlock(t *testing.T) {
	m := newPostman(t)
	m.net.LaneDelay = 3 * time.Second
	id := m.spawn(t, m.sch.extra[3])
	tome := tomeItem{Text: []byte("once")}
	m.net.A.Set(m.item(id, 1), unsafe.Pointer(&tome))
	m.ticks(t, 10)
	body := bodyItem{HP: 1}
	change := func() {
		body.HP++
		m.net.A.Set(m.item(id, 0), unsafe.Pointer(&body))
	}
	m.deliver(t, m.tick(func() {
		change()
		tome.Text = bytes.Repeat([]byte("up one a time "), 120)
		for i := range tome.Text {
			tome.Text[i] += byte(i % 7)
		}
		m.net.A.Set(m.item(id, 1), unsafe.Pointer(&tome))
	}))
	for range 3 * 60 {
		m.deliver(t, m.tick(change))
	}
	m.c.Mute = true
	m.ticks(t, 10)
	if n := m.c.P.Counters().Refused; n == 0 {
		t.Fatal("the block could be read")
	}
	m.c.Mute = false
	m.ticks(t, 5*60)
	var got tomeItem
	m.read(t, id, 1, m.sch.extra[3], unsafe.Pointer(&got))
	if !bytes.Equal(got.Text, tome.Text) {
		t.Errorf("the text is %.40q…, want %.40q…", got.Text, tome.Text)
	}
}

// When the acks of an arrival and of a later update come together, the update stays the
// baseline, not the arrival.
func TestArrivalAckedWithItsUpdate(t *testing.T) {
	m := newPostman(t)
	m.c.SetConditions(netsim.Conditions{}, netsim.Conditions{Delay: 100 * time.Millisecond})
	m.ticks(t, 60)
	var id rpl.Node
	set := func(hp uint8) {
		m.net.A.Set(m.item(id, 0), unsafe.Pointer(&bodyItem{HP: hp}))
	}
	m.c.Mute = true
	m.deliver(t, m.tick(func() { id = m.spawn(t, m.sch.extra[2]); set(1) }))
	m.deliver(t, m.tick(func() { set(2) }))
	m.c.Mute = false
	m.ticks(t, 20)
	m.tick(func() { set(1) }) // this packet is lost
	m.ticks(t, 60)
	var got bodyItem
	m.read(t, id, 0, m.sch.body, unsafe.Pointer(&got))
	if got.HP != 1 {
		t.Errorf("it has %d, want 1", got.HP)
	}
}

// A peer loses and regains a right while a node is arriving. The client keeps the first
// copy of the arrival that it gets, whose ack comes last; it must still get the current
// secret.
func TestRightsThatComeBackBeforeTheAck(t *testing.T) {
	m := newPostman(t)
	secret := secretItem{Team: 1}
	var id rpl.Node
	set := func() { m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secret)) }
	m.net.A.SetGroup(2, m.sch.team, true)
	m.ticks(t, 10)
	m.c.Mute = true
	m.deliver(t, m.tick(func() {
		id = m.spawn(t, m.sch.extra[1])
		set()
	}))
	lose := func(change func()) {
		m.tick(change)
		for range 30 {
			m.tick(nil)
		}
	}
	lose(func() {
		m.net.A.SetGroup(2, m.sch.team, false)
		secret.Team = 2
		set()
	})
	lose(func() { m.net.A.SetGroup(2, m.sch.team, true) })
	m.c.Mute = false
	m.ticks(t, 120)
	var got secretItem
	m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got))
	if got.Team != 2 {
		t.Errorf("the secret is %d, want 2", got.Team)
	}
}

// When a node's parent arrives late, in the same Apply that changes the node's items,
// the item callbacks run before Parented; and Inject no longer writes the old item's
// type at any ordinal.
func TestItemsAreReportedBeforeAParent(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 10)
	var parent, child rpl.Node
	late := m.tick(func() { parent = m.spawn(t, m.sch.extra[2]) })
	m.deliver(t, m.tick(func() {
		var err error
		if child, err = m.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{m.sch.body, m.sch.extra[2]}, Parent: parent}); err != nil {
			t.Fatal(err)
		}
	}))
	r, ok := m.c.P.Replica(child)
	if !ok || r.Parent != 0 {
		t.Fatal("the child is not here, or not alone")
	}
	was := r.Items[1]
	tome := tomeItem{Text: []byte("what was not there before")}
	m.deliver(t, append(late, m.tick(func() {
		if err := m.net.A.RemoveItem(m.item(child, 1)); err != nil {
			t.Fatal(err)
		}
		it, err := m.net.A.AddItem(child, m.sch.extra[3])
		if err != nil {
			t.Fatal(err)
		}
		m.net.A.Set(it, unsafe.Pointer(&tome))
	})...))
	if r.Parent != parent || r.Items[1] != m.sch.extra[3] {
		t.Fatalf("its parent is %v, its item %v", r.Parent, r.Items[1])
	}
	m.ticks(t, 60)
	var once onceItem
	for _, ord := range []int{-1, 0, 1, 2} {
		if m.c.P.Inject(r, ord, was, unsafe.Pointer(&once)) || once != (onceItem{}) {
			t.Errorf("item %d is written as what was item 1: %+v", ord, once)
		}
	}
	var got tomeItem
	if m.read(t, child, 1, m.sch.extra[3], unsafe.Pointer(&got)); !bytes.Equal(got.Text, tome.Text) {
		t.Errorf("item 1 is %q", got.Text)
	}
}

// A packet that was judged lost arrives long after the value in it has changed back.
// The client must end with the current value.
func TestLateUpdateOfAMoment(t *testing.T) {
	for _, late := range []int{20, 50, 90, 200} { // ticks
		m := newPostman(t)
		id := m.spawn(t, m.sch.extra[2])
		m.ticks(t, 10)
		set := func(hp uint8) func() {
			return func() { m.net.A.Set(m.item(id, 0), unsafe.Pointer(&bodyItem{HP: hp})) }
		}
		packets := m.tick(set(4))
		for i := range late {
			if m.tick(nil); i == late-10 {
				m.tick(set(0))
			}
		}
		m.deliver(t, packets)
		m.ticks(t, 60)
		var got bodyItem
		if m.read(t, id, 0, m.sch.body, unsafe.Pointer(&got)); got.HP != 0 {
			t.Errorf("%d ticks late: it shows %d", late, got.HP)
		}
	}
}
