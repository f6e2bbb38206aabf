package own

import "testing"

// moving is of what never stands.
func moving(_, _ uint32) bool { return false }

// What is predicted is drawn evenly, at the newest tick where steps make one each, and never
// ahead of it or backwards, whatever the rate of the server.
func TestPace(t *testing.T) {
	for _, c := range []struct{ rate, least, most, lag float64 }{
		{1, 1, 1, 0},
		{50. / 60, 0.6, 1, 1.9},
		{58. / 60, 0.2, 1.2, 1.2},
		{72. / 60, 0.9, 1.5, 1.9},
	} {
		var p pace
		made := 100.0
		for step := range 1200 {
			made += c.rate
			tick := uint32(made + 1e-9)
			p.stepped(tick, moving)
			moved := p.drawn - p.before
			if step > 0 && moved < 0 || p.drawn > float64(tick) || p.drawn < float64(tick)-2 {
				t.Fatalf("rate %v, step %d: drawn at %v, then %v, of tick %d", c.rate, step, p.before, p.drawn, tick)
			}
			if step > 240 && (moved < c.least || moved > c.most || float64(tick)-p.drawn > c.lag) {
				t.Fatalf("rate %v, step %d: moves by %v, %v behind", c.rate, step, moved, float64(tick)-p.drawn)
			}
		}
	}
}

// A step without a tick, and one that leaps to a later one, show as no way back.
func TestPaceNowAndThen(t *testing.T) {
	var p pace
	for _, tick := range []uint32{10, 11, 12, 12, 13, 14, 16, 17, 18, 90, 91, 40, 41} {
		before := p.drawn
		if p.stepped(tick, moving); p.drawn > float64(tick) || p.drawn < before && tick != 40 {
			t.Errorf("tick %d: drawn at %v after %v", tick, p.drawn, before)
		}
		if tick == 90 || tick == 40 {
			if p.drawn != float64(tick) {
				t.Errorf("after a leap to %d drawn at %v", tick, p.drawn)
			}
		}
	}
}
