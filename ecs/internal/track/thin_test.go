package track

import (
	"math"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// However far drawn time is behind, an item that goes evenly is drawn where it was, and where it leapt it leaps then.
func TestDrawnTimeIsFarBehind(t *testing.T) {
	k := New(drawnFields())
	at := func(tick float64) float64 {
		if tick >= 60 {
			return tick + 5000
		}
		return tick
	}
	for tick := 10; tick <= 250; tick += 2 {
		render := math.Max(0, float64(tick)-100) // more than three times as far as samples reach
		k.thin(render)
		k.push(rpl.Tick(tick), rpl.Tick(tick-2), 0, []int32{int32(at(float64(tick)) * 32), 0, 0})
		if render < 10 {
			continue
		}
		var d drawnData
		k.Draw(unsafe.Pointer(&d), render, false)
		if off := math.Abs(float64(d.X) - at(render)); off > 0.01 && !(render > 52 && render < 60) { // it is drawn standing from the last sample before a leap
			t.Fatalf("at tick %.0f it is drawn at %v, and was at %v", render, d.X, at(render))
		}
		if render < 60 && d.X > 60 || render >= 60 && d.X < 60 {
			t.Fatalf("at tick %.0f it is drawn at %v: it leaps at 60", render, d.X)
		}
	}
}
