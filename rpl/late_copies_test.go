package rpl_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Copies of an arrival that were made under other rights, and come or are acked late.

// Copies of an arrival, made before and after the peer got a right, are acked in their
// order, and the peer loses the right again before the node's next update, which its own
// rate delays. The peer must lose what the later copy showed.
func TestRightsOfLaterCopies(t *testing.T) {
	m := newPostman(t)
	other := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 10)
	for i := range 60 { // packets are lost, so arrivals are sent in several copies
		letters := m.tick(func() {
			m.net.A.Set(m.item(other, 0), unsafe.Pointer(&bodyItem{HP: uint8(i)}))
		})
		if i%4 > 0 {
			m.deliver(t, letters)
		}
	}
	m.c.SetConditions(netsim.Conditions{}, netsim.Conditions{Delay: 100 * time.Millisecond})
	var id rpl.Node
	m.deliver(t, m.tick(func() {
		var err error
		id, err = m.net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{m.sch.body, m.sch.extra[1]}, Streaming: rpl.Streaming{Hz: 1}})
		if err != nil {
			t.Fatal(err)
		}
		m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secretItem{Team: 2}))
	}))
	m.deliver(t, m.tick(func() { m.net.A.SetGroup(2, m.sch.team, true) }))
	m.ticks(t, 20)
	var got secretItem
	if m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got)); got.Team != 2 {
		t.Fatalf("the later copy shows %d", got.Team)
	}
	m.deliver(t, m.tick(func() { m.net.A.SetGroup(2, m.sch.team, false) }))
	m.ticks(t, 200)
	if m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got)); got.Team != 0 {
		t.Errorf("it still shows the secret %d", got.Team)
	}
}

// A copy of an arrival, made while the peer had other rights, arrives long after
// another copy was acked. In the end the client must have what its peer may see.
func TestLateCopyOfAnArrival(t *testing.T) {
	for _, sees := range []bool{false, true} {
		for _, late := range []int{20, 50, 90, 200, 400, 600} { // ticks
			m := newPostman(t)
			team := func(in bool) func() { return func() { m.net.A.SetGroup(2, m.sch.team, in) } }
			m.net.A.SetGroup(2, m.sch.team, sees)
			m.ticks(t, 10)
			m.c.Mute = true
			var id rpl.Node
			m.deliver(t, m.tick(func() {
				id = m.spawn(t, m.sch.extra[1])
				m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secretItem{Team: 2}))
			}))
			m.tick(team(!sees))
			var copies []letter
			for range 30 {
				copies = append(copies, m.tick(nil)...)
			}
			m.tick(team(sees))
			m.c.Mute = false
			for range 10 {
				m.tick(nil) // the ack of the first copy arrives, all other packets are lost
			}
			for i := range late {
				m.deliver(t, m.tick(func() {
					m.net.A.Set(m.item(id, 0), unsafe.Pointer(&bodyItem{HP: uint8(i)}))
				}))
			}
			m.deliver(t, copies)
			m.ticks(t, 60)
			var got secretItem
			m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got))
			if (got.Team == 2) != sees {
				t.Errorf("%d ticks late: the secret of a peer that may see it (%v) is %d", late, sees, got.Team)
			}
		}
	}
}

// Copies of an arrival that differ in whether the peer may see a row, and of which an
// older one is acked after the newest: the peer has what the newest showed, and is sent the
// row that it lacked.
func TestCopiesWithAndWithoutARow(t *testing.T) {
	for later := range 4 {
		m := newPostman(t)
		right := func(in bool) func() { return func() { m.net.A.SetGroup(2, m.sch.team, in) } }
		busy := m.spawn(t, m.sch.extra[2])
		for i := range 200 { // on a bad network, where an arrival is sent in copies
			letters := m.tick(func() { m.net.A.Set(m.item(busy, 1), unsafe.Pointer(&onceItem{Seen: int32(i)})) })
			if i%3 > 0 {
				m.deliver(t, letters)
			}
		}
		var id rpl.Node
		first := m.tick(func() {
			id = m.spawn(t, m.sch.extra[1])
			m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secretItem{Team: 7}))
		})
		with, without := m.tick(right(true)), m.tick(right(false))
		if len(first) != 1 || len(with) != 1 || len(without) != 1 {
			t.Fatal("the arrival is not sent in copies")
		}
		m.deliver(t, first)
		m.deliver(t, m.tick(nil))
		m.deliver(t, m.tick(nil))
		m.deliver(t, without)
		m.deliver(t, m.tick(nil))
		m.deliver(t, with)
		m.ticks(t, later)
		m.deliver(t, m.tick(right(true)))
		m.ticks(t, 60)
		var got secretItem
		m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got))
		if got.Team != 7 {
			t.Errorf("%d ticks later: the peer has %v of what it may see", later, got.Team)
		}
	}
}

// Of the copies of an arrival the first lacks a row, which the others have. The first two are acked,
// one after the other, and so is what was sent after the last, which is late. An update then names
// the copy that it builds on: the last may be there by now.
func TestUpdateBuildsOnTheCopyThatWasAcked(t *testing.T) {
	for wait := range 6 {
		m := newPostman(t)
		busy := m.spawn(t, m.sch.extra[2])
		for i := range 200 { // on a bad network, where an arrival is sent in copies
			letters := m.tick(func() { m.net.A.Set(m.item(busy, 1), unsafe.Pointer(&onceItem{Seen: int32(i)})) })
			if i%3 > 0 {
				m.deliver(t, letters)
			}
		}
		var id rpl.Node
		is := func(team int32) func() {
			return func() { m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secretItem{Team: team})) }
		}
		without := m.tick(func() {
			id = m.spawn(t, m.sch.extra[1])
			is(100)()
		})
		with := m.tick(func() { m.net.A.SetGroup(2, m.sch.team, true) })
		m.tick(nil) // lost
		late := m.tick(is(2000))
		if len(without) != 1 || len(with) != 1 || len(late) != 1 {
			t.Fatal("the arrival is not sent in copies")
		}
		next := m.tick(nil)
		m.deliver(t, without)
		m.c.SetConditions(netsim.Conditions{}, netsim.Conditions{Delay: 20 * time.Millisecond}) // both acks come in one step
		m.tick(nil)                                                                             // lost, as are those below
		m.c.SetConditions(netsim.Conditions{}, netsim.Conditions{Delay: 5 * time.Millisecond})
		m.deliver(t, with)
		for range 3 {
			m.tick(nil)
		}
		m.deliver(t, next)
		for range wait {
			m.tick(nil)
		}
		update := m.tick(is(3))
		m.deliver(t, late)
		m.deliver(t, update)
		m.ticks(t, 60)
		var got secretItem
		if m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got)); got.Team != 3 {
			t.Errorf("%d ticks later: the peer has %d in place of 3", wait, got.Team)
		}
	}
}
