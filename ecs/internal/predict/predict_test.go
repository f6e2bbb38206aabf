package predict_test

import (
	"testing"

	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// A name travels whole, and nothing that is cut short or longer is one.
func TestName(t *testing.T) {
	for _, n := range []predict.Name{
		{Node: 1<<32 | 7, Tick: 1}, {Node: 0, Tick: 1 << 31, Command: 3, Key: -5}, {Node: 1<<64 - 1, Tick: 1<<32 - 1, Command: 1 << 15, Key: 1 << 30},
	} {
		b := n.Append(nil)
		if len(b) > predict.MaxName {
			t.Errorf("%+v takes %d bytes", n, len(b))
		}
		if got, ok := predict.ParseName(b); !ok || got != n {
			t.Errorf("%+v came as %+v", n, got)
		}
		for i := range b {
			if got, ok := predict.ParseName(b[:i]); ok {
				t.Errorf("%+v cut to %d bytes came as %+v", n, i, got)
			}
		}
		if _, ok := predict.ParseName(append(b, 0)); ok {
			t.Errorf("%+v with a byte more is read", n)
		}
	}
}

// An effect is shown once as long as any replay can come to it, and what is older is
// forgotten.
func TestOnce(t *testing.T) {
	var o predict.Once
	for tick := rpl.Tick(1); tick < 1000; tick++ {
		for back := rpl.Tick(0); back < min(tick, predict.Ticks); back++ {
			if first := o.First(predict.Name{Node: 1, Tick: tick - back}, tick); first != (back == 0) {
				t.Fatalf("in tick %d, that of %d ticks ago is shown: %v", tick, back, first)
			}
		}
	}
}
