package rpl_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

var update = flag.Bool("update", false, "write testdata/vectors anew: the wire has changed")

// The packets of a small session, byte for byte, on every architecture: tick,
// direction, number, bytes.
func TestVectors(t *testing.T) {
	w := newWorld(t, 7, rpl.Config{CheckEvery: 100 * time.Millisecond}, netsim.Conditions{Delay: 30 * time.Millisecond}, 4)
	var got strings.Builder
	w.net.OnPacket = func(to rpl.Peer, seq uint64, b []byte) {
		fmt.Fprintf(&got, "%d down %d %x\n", w.net.TickNumber(), seq, b)
	}
	w.net.OnMessage = func(to rpl.Peer, b []byte) { fmt.Fprintf(&got, "%d message - %x\n", w.net.TickNumber(), b) }
	w.net.OnUp = func(from rpl.Peer, b []byte) { fmt.Fprintf(&got, "%d up - %x\n", w.net.TickNumber(), b) }
	if _, err := w.net.Join(2); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		w.net.Tick(func(rpl.Tick) {
			w.step(t)
			switch i {
			case 10:
				w.net.A.Give(w.nodes[0].id, 2)
			case 20:
				_ = w.net.A.SetParent(w.nodes[1].id, w.nodes[2].id)
			case 30:
				w.net.A.Remove(w.nodes[3].id)
				w.nodes = w.nodes[:3]
			}
		})
	}
	file := filepath.Join("testdata", "vectors", "session.txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() == string(want) {
		return
	}
	have := strings.Split(got.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(have) || have[i] != line {
			t.Fatalf("line %d is\n%s\nwant\n%s\n(if the wire has changed: go test -run TestVectors -update)", i+1, have[min(i, len(have)-1)], line)
		}
	}
	t.Fatal("there are more packets than before")
}
