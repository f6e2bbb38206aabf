package track

import (
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// What has rested and begins to run while packets are lost slides to where it is by the time that is told; what is
// as far without a loss, or farther than anything runs meanwhile, leaps.
func TestWhatBeganUnheard(t *testing.T) {
	for _, c := range []struct {
		name  string
		lost  bool // what was sent from tick 102 to 114
		x     int32
		leaps bool
	}{
		{"a run", true, 96, false},
		{"a leap in a loss", true, 400, true},
		{"a leap without a loss", false, 96, true},
	} {
		now := time.Duration(0)
		sc := Screen{Steps: 60, Sends: 30, Now: func() time.Duration { return now }, Skips: func() uint64 { return 0 }}
		sc.SetTrip(6*time.Second/60, time.Second/60)
		k := New(drawnFields())
		last, worst := float32(1), float32(0)
		for tick := rpl.Tick(2); tick <= 150; tick += 2 {
			if c.lost && tick > 100 && tick < 116 {
				now += time.Second / 30
				continue
			}
			sent := 1
			if c.lost && tick == 116 {
				sent = 8
			}
			sc.Expect(sent, sent-1, false)
			if tick == 2 || tick == 124 { // told again a round trip after the loss shows
				x := int32(32)
				if tick == 124 {
					x = c.x * 32
				}
				k.SentAt = tick
				sc.Push(k, Item{}, tick, sc.StillUntil(k, tick), tick, []int32{x, 0, 0})
			}
			sc.Note(tick, tick-min(tick, 8))
			for range 2 {
				now += time.Second / 60
				sc.Render = max(sc.Render, float64(tick)-4)
				var d drawnData
				sc.Draw(k, unsafe.Pointer(&d), false)
				worst, last = max(worst, d.X-last), d.X
				sc.Render++
			}
		}
		if last != float32(c.x) {
			t.Errorf("%s: ends at %v, not %v", c.name, last, c.x)
		}
		if leaps := worst > float32(c.x)/2; leaps != c.leaps {
			t.Errorf("%s: goes up to %v of %v in a frame", c.name, worst, c.x)
		}
	}
}
