package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// isTables tells the message that learned tables travel in.
func isTables(b []byte) bool { return len(b) > 0 && b[0] == 3 }

// tablesSent plays a crowd that begins with recorded tables, and counts the
// copies that its peer is sent.
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

// Tables are shipped once to who is sent much, and not to who is sent so little
// that they would cost more than they save.
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
	if n := tablesSent(t, 1, 10, c.a.Tables()); n != 0 {
		t.Errorf("a peer of one node was sent %d tables", n)
	}
}

// Tables that are cut short are refused.
func TestCutTablesAreRefused(t *testing.T) {
	b := learnedTables(t)
	w := newWorld(t, 6, rpl.Config{}, netsim.Conditions{}, 1).net
	if err := w.A.LoadTables(b); err != nil {
		t.Fatal(err)
	}
	for n := range len(b) {
		if w.A.LoadTables(b[:n]) == nil {
			t.Fatalf("%d of %d bytes were taken for tables", n, len(b))
		}
	}
}

// Tables that are loaded while others are fitted are those of the session: what is
// fitted was to follow others.
func TestTablesThatAreLoadedEndAFit(t *testing.T) {
	c, ticks := newCrowd(t, 300, 1), 0
	for ; c.a.Tables() == nil; ticks++ {
		if ticks > 600 {
			t.Fatal("nothing was learned")
		}
		c.play(1, false)
	}
	b := c.a.Tables()
	c = newCrowd(t, 300, 1)
	c.play(ticks-1, false)
	if c.a.Tables() != nil {
		t.Fatal("the fit is over")
	}
	if err := c.a.LoadTables(b); err != nil {
		t.Fatal(err)
	}
	c.play(20, false)
	if n := c.a.Counters().Tables; n != 1 {
		t.Errorf("%d tables were those of the session, want those that were loaded", n)
	}
}
