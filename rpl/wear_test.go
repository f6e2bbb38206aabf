package rpl_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Numbers that wrap, are used again or run out in long sessions.

// tenants lets n nodes, one after another, take a handle and go, in three ticks each.
func (m *postman) tenants(t *testing.T, n int) {
	t.Helper()
	for range n {
		id := m.spawn(t, m.sch.extra[2])
		m.ticks(t, 1)
		m.net.A.Remove(id)
		m.ticks(t, 2)
	}
}

// holds reports whether the client has a node.
func (m *postman) holds(id rpl.Node) bool {
	_, ok := m.c.P.Replica(id)
	return ok
}

// Late packets of a node that had the handle 256 nodes ago, with the same 8-bit
// generation, neither remove the node that has the handle now nor run calls on it.
func TestLatePacketsOfAnEarlierGeneration(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 10)
	first := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 3)
	late := m.tick(func() {
		if err := m.net.A.Call(first, m.sch.hint, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
	})
	late = append(late, m.tick(func() { m.net.A.Remove(first) })...) // is lost, and sent again
	for i := 0; m.holds(first); i++ {
		if m.ticks(t, 1); i > 60 {
			t.Fatal("the removal is not said again")
		}
	}
	m.ticks(t, 2)
	m.tenants(t, 255)
	id := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 3)
	if used, most, _, _ := m.net.A.HandlesInUse(2); used != 2 || most != 2 {
		t.Fatalf("%d handles are in use, up to %d", used, most)
	}
	for _, l := range late {
		m.deliver(t, []letter{l})
	}
	if !m.holds(id) {
		t.Error("it has lost the node")
	}
	if n := len(m.c.Log.Calls); n > 0 {
		t.Errorf("%d calls have run", n)
	}
	m.ticks(t, 30)
	m.net.A.Remove(id)
	m.ticks(t, 30)
	if m.holds(id) {
		t.Error("it has the node still")
	}
}

// A client's call that arrives after 256 other nodes have had the handle does not run
// on the node that has it now.
func TestLateCallOfAnEarlierGeneration(t *testing.T) {
	m := newPostman(t)
	ran := 0
	m.net.Run = func(rpl.Call) { ran++ }
	m.ticks(t, 10)
	mine := func() rpl.Node {
		id := m.spawn(t, m.sch.extra[2])
		m.net.A.Give(id, 2)
		m.ticks(t, 3)
		return id
	}
	call := func(id rpl.Node) (seq uint64, b []byte) {
		m.net.OnUpPacket = func(_ rpl.Peer, n uint64, p []byte) { seq, b = n, append([]byte(nil), p...) }
		m.c.Mute = true
		if err := m.c.P.Call(id, m.sch.nudge, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		m.ticks(t, 1)
		m.c.Mute, m.net.OnUpPacket = false, nil
		return seq, b
	}
	first := mine()
	seq, late := call(first)
	m.net.A.Remove(first)
	m.ticks(t, 60)
	m.tenants(t, 255)
	id := mine()
	if err := m.net.A.Receive(2, seq, m.net.Now, late); err != nil {
		t.Fatal(err)
	}
	if m.ticks(t, 2); ran != 0 {
		t.Errorf("%d calls have run that were of another node", ran)
	}
	seq, late = call(id) // this call is only a little late
	m.ticks(t, 20)
	if err := m.net.A.Receive(2, seq, m.net.Now, late); err != nil {
		t.Fatal(err)
	}
	if m.ticks(t, 2); ran != 1 {
		t.Errorf("%d calls have run, want 1", ran)
	}
}

// A datagram that was overtaken does not change how many reliable messages count as
// applied, although its 16-bit count has wrapped.
func TestOvertakenCountOfMessages(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 10)
	rpl.AgeMessages(m.net.A, m.c.P, 100_000)
	m.ticks(t, 5)
	id := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 5)
	m.net.LaneDelay = 1 << 40
	for range 20 {
		if err := m.net.A.Call(id, m.sch.call, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
	}
	m.ticks(t, 5)
	old := m.net.A.Forge(rpl.ForgedPacket{Applied: uint16(100_010 % (1 << 16))}) // a count of 65,526 messages ago
	if err := m.net.A.Receive(2, 1, m.net.Now, old); err != nil {
		t.Fatal(err)
	}
	if sent, arrived := m.net.A.Messages(2); sent != 100_020 || arrived != 100_000 {
		t.Errorf("of %d messages %d are taken for applied", sent, arrived)
	}
}

// Counting works beyond 2³² reliable messages: calls run, also those just before a
// removal, and handles become free.
func TestMessagesBeyond32Bits(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 10)
	rpl.AgeMessages(m.net.A, m.c.P, 1<<32-40)
	m.ticks(t, 5)
	const calls = 100
	for range calls {
		id := m.spawn(t, m.sch.extra[2])
		m.ticks(t, 1)
		if err := m.net.A.Call(id, m.sch.call, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		m.net.A.Remove(id)
		m.ticks(t, 1)
	}
	m.ticks(t, 60)
	if n := len(m.c.Log.Calls); n != calls {
		t.Errorf("%d calls have run of %d", n, calls)
	}
	if used, _, _, going := m.net.A.HandlesInUse(2); used != 1 || going != 0 {
		t.Errorf("%d handles are in use, %d of nodes that go", used, going)
	}
	if sent, arrived := m.net.A.Messages(2); arrived != sent || sent < 1<<32 {
		t.Errorf("%d messages were sent, %d applied", sent, arrived)
	}
}

// A slot that has used up its tenant numbers gets no more nodes.
func TestLastNodeOfASlot(t *testing.T) {
	m := newPostman(t)
	m.net.A.Remove(m.spawn(t, m.sch.extra[2]))
	m.net.A.AgeSlot()
	last := m.spawn(t, m.sch.extra[2])
	if last.Tenant() != math.MaxUint32 {
		t.Fatalf("the last is %v", last)
	}
	m.ticks(t, 10)
	if !m.holds(last) {
		t.Error("the last has not come")
	}
	m.net.A.Remove(last)
	next := m.spawn(t, m.sch.extra[2])
	if next.Slot() == last.Slot() || next.Tenant() == 0 {
		t.Errorf("after %v comes %v", last, next)
	}
	m.ticks(t, 10)
	if m.holds(last) || !m.holds(next) {
		t.Error("the next has not come, or the last has not gone")
	}
}

// A row whose version numbers have run out begins again at the first version with its
// next node.
func TestVersionsBeginAgain(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 10)
	spawn := func() rpl.Node {
		id, err := m.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{m.sch.body}})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	m.net.A.Remove(spawn())
	m.net.A.AgeRows(1<<31 - 1)
	for k, first := range []bool{false, true} {
		id := spawn()
		if head := m.net.A.Head(id); head <= 1 != first {
			t.Fatalf("node %d begins with version %d", k, head)
		}
		body := bodyItem{}
		for range 50 {
			body.HP++
			m.deliver(t, m.tick(func() { m.net.A.Set(m.item(id, 0), unsafe.Pointer(&body)) }))
		}
		r, ok := m.c.P.Replica(id)
		if !ok {
			t.Fatalf("node %d has not come", k)
		}
		var got bodyItem
		if m.c.P.Inject(r, 0, m.sch.body, unsafe.Pointer(&got)); got.HP != body.HP {
			t.Errorf("node %d shows %d, want %d", k, got.HP, body.HP)
		}
		m.net.A.Remove(id)
		m.ticks(t, 10)
	}
}
