package ecs

// Input from other machines that breaks the rules.

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/yohamta/donburi"
)

// A client refuses names from a server that sends them without end, or after their end.
func TestNamesWithoutEnd(t *testing.T) {
	var s serverNames
	taken := 0
	for i := range 10_000 {
		m := namesMessage{kind: namesAlive}
		for k := range 100 {
			m.names = append(m.names, fmt.Sprintf("name %d of %d", k, i))
		}
		if err := s.take(m); err == nil {
			taken += 100
		} else if !errors.Is(err, errMessage) {
			t.Fatal(err)
		}
	}
	if len(s.alive) != taken || taken == 0 || taken > maxNameBytes/8 {
		t.Errorf("%d names are kept of %d", len(s.alive), taken)
	}
	s = serverNames{}
	if s.take(namesMessage{kind: namesEnd}) != nil || s.take(namesMessage{kind: namesDestroyed, names: []string{"a"}}) == nil || len(s.destroyed) != 0 {
		t.Errorf("after the end: %+v", s)
	}
}

// Wrong input from others is counted each time, and logged ever less often.
func TestRefusalsFillNoDisk(t *testing.T) {
	var log bytes.Buffer
	r, err := New(donburi.NewWorld(), NewProtocol("refusals"), Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Count(log.String(), "\n")
	for range 100_000 {
		r.refuse("message refused", errMessage)
	}
	if n := *r.Counter("message refused"); n != 100_000 {
		t.Errorf("%d were counted", n)
	}
	if n := strings.Count(log.String(), "\n") - before; n != 17 {
		t.Errorf("%d lines were logged", n)
	}
}
