package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Hundreds of random worlds begin with the same seed on every run of the tests. Under the
// race detector, which takes twelve times as long for them, the first sixty do: the package
// starts no goroutine.
func TestMain(m *testing.M) {
	checks := 300
	if raceEnabled {
		checks = 60
	}
	rpltest.Main(m, checks)
}
