package predict_test

import (
	"slices"
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
			if first := o.First(predict.Name{Node: 1, Tick: tick - back}, tick, back > 0); first != (back == 0) {
				t.Fatalf("in tick %d, that of %d ticks ago is shown: %v", tick, back, first)
			}
		}
	}
}

// What a replay moves, and what runs for the first time in place of what one has taken back, is not
// shown again; what is there beside it is, and what another makes.
func TestOnceMoved(t *testing.T) {
	for _, c := range []struct {
		shown  []rpl.Tick
		from   rpl.Tick
		replay []rpl.Tick
		then   rpl.Tick
		anew   []rpl.Tick
	}{
		{[]rpl.Tick{100, 103, 106}, 100, []rpl.Tick{104, 107}, 110, []rpl.Tick{110}},
		{[]rpl.Tick{100, 103, 106}, 100, []rpl.Tick{105}, 108, nil},                            // the last is for later
		{[]rpl.Tick{100, 103, 106}, 100, []rpl.Tick{102, 104, 106}, 108, []rpl.Tick{106, 108}}, // one more
		{[]rpl.Tick{100, 103, 106}, 100, []rpl.Tick{103, 106}, 109, []rpl.Tick{109}},
		{[]rpl.Tick{100}, 100, []rpl.Tick{101}, 103, []rpl.Tick{103}}, // the server's comes later
		{[]rpl.Tick{100}, 100, nil, 103, []rpl.Tick{103}},             // it has come
		{[]rpl.Tick{100}, 90, []rpl.Tick{106}, 110, []rpl.Tick{106, 110}},
	} {
		var o predict.Once
		name := predict.Name{Node: 1, Command: 2}
		for _, name.Tick = range c.shown {
			o.First(name, name.Tick, false)
		}
		var anew []rpl.Tick
		o.Again(c.from)
		for _, name.Tick = range c.replay {
			if o.First(name, c.then-1, true) {
				anew = append(anew, name.Tick)
			}
		}
		if name.Tick = c.then; o.First(name, c.then, false) {
			anew = append(anew, name.Tick)
		}
		if !slices.Equal(anew, c.anew) {
			t.Errorf("shown in %d, after a replay behind %d in %d and %d: %d are new, want %d", c.shown, c.from, c.replay, c.then, anew, c.anew)
		}
		for _, other := range []predict.Name{{Node: 2, Command: 2}, {Node: 1, Command: 1}, {Node: 1, Command: 2, Key: 1}} {
			if other.Tick = c.shown[0] + 1; !o.First(other, c.then, true) {
				t.Errorf("%+v is taken for another", other)
			}
		}
	}
}

// Why a key names a kind of effect and does not count: an effect that was not foreseen, or was and did not happen, gives
// those after it other numbers.
func TestOnceCounted(t *testing.T) {
	for _, c := range []struct{ foreseen, happens []rpl.Tick }{
		{[]rpl.Tick{100}, []rpl.Tick{85, 100}}, {[]rpl.Tick{85, 100}, []rpl.Tick{100}},
	} {
		for _, counts := range []bool{false, true} {
			var o predict.Once
			again := false
			run := func(ticks []rpl.Tick, replay bool) {
				for i, at := range ticks {
					name := predict.Name{Node: 1, Tick: at, Command: 2}
					if counts {
						name.Key = i
					}
					if o.First(name, 110, replay) && replay && at == 100 {
						again = true
					}
				}
			}
			run(c.foreseen, false)
			o.Again(80)
			if run(c.happens, true); again != counts {
				t.Errorf("foreseen in %d, happens in %d, counted: %v: that of 100 is shown again: %v", c.foreseen, c.happens, counts, again)
			}
		}
	}
}

// What a rule and a call of the authority both make is shown by the first of them, whichever that is, if
// they are near: each of several calls is of one run of a rule, and each run of one call.
func TestOnceByRuleAndCall(t *testing.T) {
	const called = 1000 // added to the tick of a call
	for _, c := range []struct{ made, shown []rpl.Tick }{
		{[]rpl.Tick{100, called + 100}, []rpl.Tick{100}},
		{[]rpl.Tick{called + 100, 100}, []rpl.Tick{called + 100}},
		{[]rpl.Tick{100, called + 105, called + 106}, []rpl.Tick{100, called + 106}},
		{[]rpl.Tick{100, called + 106}, []rpl.Tick{100, called + 106}},
		{[]rpl.Tick{105, called + 100, called + 100}, []rpl.Tick{105, called + 100}},
		{[]rpl.Tick{called + 100, called + 101, 102, 103, 104}, []rpl.Tick{called + 100, called + 101, 104}},
		{[]rpl.Tick{100, 104, 108, called + 101, called + 105, called + 109}, []rpl.Tick{100, 104, 108}},
		{[]rpl.Tick{100, 108, called + 100, called + 104, called + 108}, []rpl.Tick{100, 108, called + 108}},
	} {
		var o predict.Once
		var shown []rpl.Tick
		for _, at := range c.made {
			name := predict.Name{Node: 1, Tick: at, Command: 2, Key: 3}
			if at > called {
				name.Tick, name.Command = at-called, predict.Called
			}
			if o.First(name, 110, false) {
				shown = append(shown, at)
			}
		}
		if !slices.Equal(shown, c.shown) {
			t.Errorf("of %d, where calls are beyond %d, %d are shown, want %d", c.made, called, shown, c.shown)
		}
		for _, other := range []predict.Name{{Node: 2, Command: predict.Called, Key: 3}, {Node: 1, Command: predict.Called, Key: 4}} {
			if other.Tick = 100; !o.First(other, 110, false) {
				t.Errorf("%+v is taken for another", other)
			}
		}
	}
	var o predict.Once // a replay moves what a call was of: it is still that call's
	name := predict.Name{Node: 1, Tick: 100, Command: 2}
	o.First(name, 110, false)
	call := predict.Name{Node: 1, Tick: 102, Command: predict.Called}
	first := o.First(call, 110, false)
	o.Again(99)
	name.Tick = 102
	if moved := o.First(name, 110, true); first || moved || !o.First(call, 110, false) {
		t.Error("what a replay has moved is shown again, or taken for two calls")
	}
}
