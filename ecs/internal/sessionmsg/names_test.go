package sessionmsg

// Names of load-time nodes, as a server tells them.

import (
	"errors"
	"fmt"
	"testing"
)

// A client refuses names from a server that sends them without end, or after their end.
func TestNamesWithoutEnd(t *testing.T) {
	var s ServerNames
	taken := 0
	for i := range 10_000 {
		m := Names{Kind: NamesAlive}
		for k := range 100 {
			m.Names = append(m.Names, fmt.Sprintf("name %d of %d", k, i))
		}
		if err := s.Take(m); err == nil {
			taken += 100
		} else if !errors.Is(err, ErrMessage) {
			t.Fatal(err)
		}
	}
	if len(s.Alive) != taken || taken == 0 || taken > MaxNameBytes/8 {
		t.Errorf("%d names are kept of %d", len(s.Alive), taken)
	}
	s = ServerNames{}
	if s.Take(Names{Kind: NamesEnd}) != nil || s.Take(Names{Kind: NamesDestroyed, Names: []string{"a"}}) == nil || len(s.Destroyed) != 0 {
		t.Errorf("after the end: %+v", s)
	}
}
