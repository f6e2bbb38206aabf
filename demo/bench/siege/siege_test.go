package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The scenarios have the names under which others look for their figures, and can be chosen
// by them.
func TestNames(t *testing.T) {
	const want = "forged replayed deadline joinflood oneaddress amplification rebind copied pause restart mtu kick slowline leaves soak kept"
	var names []string
	for _, c := range scenarios {
		names = append(names, c.name)
		if one, err := choose(c.name); err != nil || len(one) != 1 || one[0].name != c.name {
			t.Errorf("%s is chosen as %v, %v", c.name, one, err)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s", got)
	}
	if _, err := choose("forged,forge"); err == nil {
		t.Error("a name that does not exist is chosen")
	}
}

// What a relay records an attacker reads.
func TestPacketsAreKept(t *testing.T) {
	name := t.TempDir() + "/packets"
	want := [][]byte{{1, 2, 3}, {}, bytes.Repeat([]byte{9}, 1200)}
	if err := writeFile(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := readPackets(name)
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("packet %d: %x", i, got[i])
		}
	}
}

// A forged packet is another one each time, and never the packet itself.
func TestForged(t *testing.T) {
	p := bytes.Repeat([]byte{7}, 60)
	for i := range 1000 {
		if b := forged(p, i); bytes.Equal(b, p) {
			t.Errorf("number %d is the packet itself", i)
		}
	}
}

// The figures of a scenario can be written as JSON, also beside an error.
func TestFiguresAreJSON(t *testing.T) {
	s := newStage("test", time.Minute)
	err := s.play(func(s *stage) error {
		s.figure("age", 1.5)
		fail("no %s", "answer")
		return nil
	})
	if err == nil || err.Error() != "no answer" || !strings.Contains(s.line(err), "age=1.5") {
		t.Errorf("%v, %q", err, s.line(err))
	}
	if _, err := json.Marshal(s.figures); err != nil {
		t.Error(err)
	}
}
