package endpoint_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/internal/hostile"
	"github.com/tendonengine/tendon/transport/lane"
)

// Random tests begin with the same seed on every run.
func TestMain(m *testing.M) { rpltest.Main(m, 12) }

// Honest peers get correct sessions, or the reason why not, beside hostile, broken and
// unlucky peers; and the endpoint holds no more than its limits.
func TestHostile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hostile.New(hostile.Config{
			Draw:    func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) },
			Fatalf:  rt.Fatalf,
			Machine: lane.NewARQ,
		}).Play()
	})
}
