package lan

import (
	"errors"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport/kcp"
)

// The player sees a numbered list, is asked until there is a number of it, and joins that one.
func TestPick(t *testing.T) {
	games := []kcp.Game{{Addr: "10.0.0.1:7777", Title: "Ada", Players: 1, Most: 8}, {Addr: "10.0.0.2:7777", Title: "Bob", Secret: true}}
	var out strings.Builder
	addr, err := pick(games, strings.NewReader("x\n0\n3\n 2 \n"), &out)
	if err != nil || addr != "10.0.0.2:7777" {
		t.Errorf("%q, %v", addr, err)
	}
	if s := out.String(); !strings.Contains(s, "1  Ada, 1 of 8 players, 10.0.0.1:7777") || !strings.Contains(s, "by invitation") || strings.Count(s, "Join number") != 4 {
		t.Errorf("%s", s)
	}
	if _, err := pick(games, strings.NewReader(""), &out); err == nil {
		t.Error("no number is one")
	}
	if _, err := pick(nil, strings.NewReader("1\n"), &out); !errors.Is(err, ErrNone) {
		t.Errorf("of no games: %v", err)
	}
}
