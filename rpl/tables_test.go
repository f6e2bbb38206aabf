package rpl_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// isTables reports whether a reliable message carries code tables.
func isTables(b []byte) bool { return len(b) > 0 && b[0] == 3 }

// tablesSent plays a crowd whose authority has loaded tables, and counts how often they
// are sent to its peer.
func tablesSent(t *testing.T, nodes, ticks int, tables []byte) (n int) {
	c := newCrowd(t, nodes, 1)
	if err := c.a.LoadTables(tables); err != nil {
		t.Fatal(err)
	}
	for range ticks {
		c.step()
		c.send()
		for _, m := range c.ends[0].down.mail {
			if isTables(m) {
				n++
			}
		}
		c.deliver(c.ends[0])
	}
	return n
}

// Tables are sent once to a peer that is sent much, and not to a peer that is sent so
// little that they would cost more than they save.
func TestTablesAreOfferedWhereTheyPay(t *testing.T) {
	c := newCrowd(t, 300, 1)
	for i := 0; c.a.Tables() == nil; i++ {
		if i > 600 {
			t.Fatal("nothing was learned")
		}
		c.play(1, false)
	}
	if n := tablesSent(t, 300, 40, c.a.Tables()); n != 1 {
		t.Errorf("a peer of 300 nodes was sent %d tables, want 1", n)
	}
	if n := tablesSent(t, 1, 5, c.a.Tables()); n != 0 {
		t.Errorf("a peer of one node was sent %d tables", n)
	}
}

// LoadTables refuses tables that are cut short or followed by more bytes.
func TestCutTablesAreRefused(t *testing.T) {
	b := learnedTables(t)
	w := newWorld(t, 6, rpl.AuthorityConfig{}, netsim.Conditions{}, 1).net
	if err := w.A.LoadTables(b); err != nil {
		t.Fatal(err)
	}
	for n := range len(b) {
		if err := w.A.LoadTables(b[:n]); err == nil || !strings.Contains(err.Error(), "record them anew") {
			t.Fatalf("%d of %d bytes of tables: %v", n, len(b), err)
		}
	}
	for _, more := range []string{"\x00", "\x01", "more"} {
		if w.A.LoadTables(append(slices.Clip(b), more...)) == nil {
			t.Errorf("%q was taken for a part of tables", more)
		}
	}
}

// LoadTables ends a fit that is under way, because the fit was to replace other tables.
// It refuses tables while a peer may have others.
func TestTablesThatAreLoadedEndAFit(t *testing.T) {
	c := newCrowd(t, 300, 1)
	for tick := 0; c.a.Tables() == nil; tick++ {
		if tick > 600 {
			t.Fatal("nothing was learned")
		}
		c.play(1, false)
	}
	b := c.a.Tables()
	c = newCrowd(t, 300, 1)
	c.a.NeverLearn() // by itself
	c.play(40, false)
	c.a.BeginFit()
	c.play(3, false)
	if !c.a.Fits() {
		t.Fatal("the fit is over")
	}
	if err := c.a.LoadTables(b); err != nil {
		t.Fatal(err)
	}
	if c.a.Fits() {
		t.Error("it goes on")
	}
	if err := c.a.LoadTables(b); err == nil || !strings.Contains(err.Error(), "before anyone joins") {
		t.Errorf("others in the place of what peers may have: %v", err)
	}
}

// While four sets of tables are on a peer's lane, of which the last has the number of
// the first, the authority knows which of these two the peer reports.
func TestTablesOfOneNumber(t *testing.T) {
	m := newPostman(t)
	m.net.LaneDelay = time.Second
	var items []rpl.Item
	for range 30 {
		items = append(items, m.item(m.spawn(t, m.sch.extra[2]), 0))
	}
	for k := range 200 {
		m.deliver(t, m.tick(func() {
			for i, it := range items {
				b := bodyItem{Pos: xy{float64(k * i), 3}, Vel: xy{float64(k % 7 * i), 5}, HP: uint8(k * i)}
				m.net.A.Set(it, unsafe.Pointer(&b))
			}
			if k >= 20 && k < 60 && k%10 == 0 && !m.net.A.Reship(recordedTables()[k/10%2]) {
				t.Fatal("there is no number for tables")
			}
		}))
	}
	if b := m.tick(nil)[0].b; b[0]&3 == 0 {
		t.Error("in the end packets are coded with the default tables")
	}
}

// A packet that arrives after its tables were replaced by others of the same number is
// refused, because it would be misread.
func TestPacketOfReplacedTables(t *testing.T) {
	m := newPostman(t)
	var items []rpl.Item
	for range 30 { // sent once a second, so that nothing is repeated meanwhile
		id := m.spawn(t, m.sch.extra[2])
		m.net.A.SetStreaming(id, rpl.Streaming{Hz: 1})
		items = append(items, m.item(id, 0))
	}
	busy, n := m.item(m.spawn(t, m.sch.extra[2]), 0), 0
	ticks := func(k int) {
		for range k {
			m.deliver(t, m.tick(func() {
				n++
				m.net.A.Set(busy, unsafe.Pointer(&bodyItem{HP: uint8(n)}))
			}))
		}
	}
	ticks(90)
	var late []letter
	for k := range 4 {
		if !m.net.A.Reship(recordedTables()[k%3%2]) {
			t.Fatal("there is no number for tables")
		}
		ticks(4)
		for k == 0 && len(late) < len(items) {
			late = append(late, m.tick(func() {
				i := len(late)
				m.net.A.Set(items[i], unsafe.Pointer(&bodyItem{Pos: xy{float64(i), 1}, HP: uint8(i)}))
			})...)
		}
		ticks(4)
	}
	before := m.c.P.Counters()
	for _, l := range late {
		m.c.P.Receive(l.seq, m.net.Now, l.b)
	}
	m.c.P.Apply(m.net.Now, &m.c.Log)
	if after := m.c.P.Counters(); after.Packets != before.Packets || after.Refused != before.Refused+uint64(len(late)) {
		t.Errorf("%d of %d packets were read, %d refused", after.Packets-before.Packets, len(late), after.Refused-before.Refused)
	}
}

// New tables do not get a number that packets on their way to a peer may name.
func TestNumbersOfTablesWait(t *testing.T) {
	m := newPostman(t)
	m.ticks(t, 30)
	for k := range 4 {
		if !m.net.A.Reship(recordedTables()[k%2]) {
			t.Fatal("there is no number for tables")
		}
		m.ticks(t, 40)
	}
	m.tick(func() { m.net.A.Reship(recordedTables()[0]) })
	for range 40 {
		m.tick(nil) // only reliable messages arrive
	}
	if m.net.A.Reship(recordedTables()[1]) {
		t.Error("a number is used again, and the peer has had nothing that was coded since")
	}
	m.ticks(t, 40)
	if !m.net.A.Reship(recordedTables()[1]) {
		t.Error("no number is free in the end")
	}
}

// A peer that gets the reliable messages with tables but none of the packets coded with
// them holds up new tables for a limited time only. After that its packets are coded
// with the default tables, and it is sent no others until it has acked a packet. Late
// packets with replaced tables are not misread.
func TestDeafPeerDoesNotHoldUpTables(t *testing.T) {
	m := newPostman(t)
	var items []rpl.Item
	for range 30 {
		items = append(items, m.item(m.spawn(t, m.sch.extra[2]), 0))
	}
	n, sent := 0, 0
	m.net.OnMessage = func(_ rpl.Peer, b []byte) {
		if isTables(b) {
			sent++
		}
	}
	ticks := func(k int) (all []letter) {
		for range k {
			all = append(all, m.tick(func() {
				n++
				for i, it := range items {
					m.net.A.Set(it, unsafe.Pointer(&bodyItem{Pos: xy{float64(n * i), 1}, HP: uint8(n + i)}))
				}
			})...)
		}
		return all
	}
	hears := func(k int) {
		t.Helper()
		for range k {
			m.deliver(t, ticks(1))
		}
	}
	reship := func(k int) bool { return m.net.A.Reship(recordedTables()[k%2]) }
	hears(30)
	for k := range 2 {
		if !reship(k) {
			t.Fatal("there is no number for tables")
		}
		if k == 0 {
			hears(40)
		}
	}
	late := ticks(60) // coded with tables 1, then 2
	of := [4]int{}
	for _, l := range late {
		of[l.b[0]&3]++
	}
	if slices.Max(of[:]) == len(late) {
		t.Fatalf("packets by their tables: %d", of)
	}
	had := sent
	if reship(2) {
		t.Fatal("tables are replaced, and the peer has had nothing that was coded with the newest")
	}
	ticks(11 * 60)
	for k := range 4 { // uses up all numbers
		if !reship(k) {
			t.Fatal("a peer that hears nothing holds up the tables")
		}
		for _, l := range ticks(30) {
			if l.b[0]&3 != 0 {
				t.Fatalf("it is served with tables %d", l.b[0]&3)
			}
		}
	}
	if sent != had {
		t.Fatalf("it was sent %d sets of tables, and had heard of none before", sent-had)
	}
	m.deliver(t, late[len(late)/2:]) // for which it still has the tables
	hears(60)
	for k := range 3 { // now it gets its packets
		if !reship(k) {
			t.Fatal("there is no number for tables")
		}
		hears(60)
	}
	if sent < had+3 {
		t.Errorf("it was sent %d sets of tables since, want 3", sent-had)
	}
	if b := ticks(1)[0].b; b[0]&3 == 0 {
		t.Error("in the end it is served with the default tables")
	}
	late = late[:len(late)/2]
	before := m.c.P.Counters()
	for _, l := range late {
		m.c.P.Receive(l.seq, m.net.Now, l.b)
	}
	m.c.P.Apply(m.net.Now, &m.c.Log)
	if after := m.c.P.Counters(); after.Packets != before.Packets {
		t.Errorf("%d packets of tables that were replaced were read", after.Packets-before.Packets)
	}
}
