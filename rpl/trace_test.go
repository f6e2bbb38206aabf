package rpl_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Trace gives JSON lines for each packet, which name the records and props in it.
func TestTrace(t *testing.T) {
	w := newWorld(t, 3, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 20 * time.Millisecond, Loss: 0.05}, 30)
	c, err := w.net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var packets uint64
	c.P.Trace(func(line []byte) {
		var l rpl.TraceLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if l.Packet != 0 {
			packets++
		}
		seen[l.What]++
		if l.What == "update" {
			if _, ok := l.Props["hp"]; !ok || l.Item != "body" {
				t.Fatalf("%s does not name its props", line)
			}
		}
	})
	for range 300 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	n := c.P.Counters()
	if packets != n.Packets+n.Refused {
		t.Errorf("%d packets told, %d opened", packets, n.Packets+n.Refused)
	}
	for _, what := range []string{"arrival", "update", "removal"} {
		if seen[what] == 0 {
			t.Errorf("no line tells of an %s", what)
		}
	}
	c.P.Trace(nil)
	before := packets
	for range 10 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	if packets != before {
		t.Error("it goes on after its end")
	}
}
