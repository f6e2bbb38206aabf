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
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

var update = flag.Bool("update", false, "write testdata/vectors anew: the wire has changed")

// The packets of a small session are the same bytes on every architecture. The file
// lists the tick, direction, number and bytes of each.
func TestVectors(t *testing.T) {
	w := newWorld(t, 7, rpl.AuthorityConfig{CheckEvery: 100 * time.Millisecond}, netsim.Conditions{Delay: 30 * time.Millisecond}, 4)
	got := listen(w.net)
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
			case 25:
				w.net.A.Leap(w.nodes[0].id)
			case 30:
				w.net.A.Remove(w.nodes[3].id)
				w.nodes = w.nodes[:3]
			}
		})
	}
	compare(t, "session.txt", got.String())
}

// The same for a node whose velocity is inferred.
func TestInferredVectors(t *testing.T) {
	s := rpl.NewSchema("infer")
	typ := s.Build("body").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Pos("x", "y").Done()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 7, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	got := listen(net)
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	for i := range int32(60) {
		x, y := 100*i/7, -9*i // first a straight line, …
		if i > 30 {
			y = -9*30 + (i-30)*(i-30)/3 // … then a curve
		}
		net.Tick(func(rpl.Tick) { net.A.SetWords(it, []int32{x, y}) })
	}
	compare(t, "inferred.txt", got.String())
}

// listen records all packets and messages of a network as text.
func listen(net *rpltest.Net) *strings.Builder {
	var got strings.Builder
	net.OnPacket = func(to rpl.Peer, seq uint64, b []byte) {
		fmt.Fprintf(&got, "%d down %d %x\n", net.TickNumber(), seq, b)
	}
	net.OnMessage = func(to rpl.Peer, b []byte) { fmt.Fprintf(&got, "%d message - %x\n", net.TickNumber(), b) }
	net.OnUp = func(from rpl.Peer, b []byte) { fmt.Fprintf(&got, "%d up - %x\n", net.TickNumber(), b) }
	return &got
}

// compare compares a record with a file in testdata/vectors, which -update writes.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "vectors", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	have := strings.Split(got, "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(have) || have[i] != line {
			t.Fatalf("line %d is\n%s\nwant\n%s\n(if the wire has changed: go test -run TestVectors -update)", i+1, have[min(i, len(have)-1)], line)
		}
	}
	t.Fatal("there are more packets than before")
}
