package kcp

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/internal/hostile"
)

// Random tests begin with the same seed on every run.
func TestMain(m *testing.M) { rpltest.Main(m, 4) }

// TestHostile is the test of that name in package endpoint, over the raw KCP machine.
// KCP reads the clock of the process, which is virtual in a synctest bubble.
func TestHostile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failed any // rapid ends a check by a panic, on its own goroutine
		synctest.Test(t, func(*testing.T) {
			defer func() { failed = recover() }()
			hostile.New(hostile.Config{
				Draw: func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) },
				// KCP's own random numbers make a failure that rapid may not meet again: it is told at once.
				Fatalf: func(format string, args ...any) {
					t.Logf(format, args...)
					rt.Fatalf(format, args...)
				},
				Machine: newStock,
				Pass:    time.Sleep,
			}).Play()
		})
		if failed != nil {
			panic(failed)
		}
	})
}
