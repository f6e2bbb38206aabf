package kcp

// Programs in a browser, where the tests of this file alone can run (.ci/vectors).

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport/internal/linktest"
)

// In a browser hosting and joining fail at once and say why. Elsewhere nothing of it is
// said.
func TestBrowserHasNoUDP(t *testing.T) {
	s := &fakeSession{}
	errs := []error{Start(s, "127.0.0.1:0", ""), Start(s, "", "127.0.0.1:7777"), Start(s, "", "example.org:7777")}
	l, err := Listen("127.0.0.1:0")
	if err == nil {
		defer l.Close()
	}
	link, dialled := Dialer("127.0.0.1:7777").Dial(linktest.Offer())
	if dialled == nil {
		defer link.Close("")
	}
	browser := runtime.GOARCH == "wasm"
	for i, err := range append(errs, err, dialled) {
		if said := err != nil && strings.Contains(err.Error(), "browser has no UDP"); said != browser {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if browser == (s.l != nil) || browser == (s.d != nil) {
		t.Errorf("in a browser: %v; it hosts on %v and joins %v", browser, s.l, s.d)
	}
	if s.l != nil {
		s.l.Close()
	}
	if err := Start(s, "", ""); err != nil {
		t.Errorf("single player: %v", err)
	}
}
