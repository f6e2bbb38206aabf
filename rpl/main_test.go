package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Property tests run 300 checks, with the same seeds on every run of the tests. Under
// the race detector, which takes twelve times as long, they run the first 60; the
// package starts no goroutine, so that is enough.
func TestMain(m *testing.M) {
	checks := 300
	if raceEnabled {
		checks = 60
	}
	rpltest.Main(m, checks)
}
