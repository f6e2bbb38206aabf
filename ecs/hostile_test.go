package ecs

// Input from other machines that breaks the rules.

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// Wrong input from others is counted each time, and logged ever less often.
func TestRefusalsFillNoDisk(t *testing.T) {
	var log bytes.Buffer
	r, err := New(donburi.NewWorld(), NewProtocol("refusals"), Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Count(log.String(), "\n")
	for range 100_000 {
		r.refuse("message refused", sessionmsg.ErrMessage)
	}
	if n := *r.Counter("message refused"); n != 100_000 {
		t.Errorf("%d were counted", n)
	}
	if n := strings.Count(log.String(), "\n") - before; n != 17 {
		t.Errorf("%d lines were logged", n)
	}
}
