package rate

import (
	"testing"
	"time"
)

// A line of which nothing is known is given all, one that carries little at first a first part, and more once
// that has arrived without a queue. A queue closes it, time without need narrows it.
func TestBurst(t *testing.T) {
	var l Line
	now := time.Second
	if l.Room(now) < 1<<20 {
		t.Errorf("%.0f bytes of which nothing is known", l.Room(now))
	}
	if now += unused + time.Second; l.Room(now) != first {
		t.Errorf("%.0f bytes after a while, want %d", l.Room(now), first)
	}
	arrives := func(bytes int, trip time.Duration) {
		sent, before, room := now, l.Total(), l.Room(now)
		l.Sent(bytes)
		if got := l.Room(now); got != room-float64(bytes) {
			t.Errorf("%.0f bytes with %d of %.0f under way", got, bytes, room)
		}
		now += trip
		l.Arrived(before, uint32(bytes), sent, now)
		l.Reached(l.Total())
	}
	arrives(100, 50*time.Millisecond)
	arrives(first, 52*time.Millisecond)
	if got := l.Room(now); got < widest*first {
		t.Errorf("%.0f bytes after %d have arrived at once", got, first)
	}
	arrives(first, 550*time.Millisecond)
	if got := l.Room(now); got > 3*first/10 {
		t.Errorf("%.0f bytes after a queue of half a second", got)
	}
	arrives(100, 50*time.Millisecond)
	if got := l.Room(now); got < first || got > 2*first {
		t.Errorf("%.0f bytes after the queue has gone", got)
	}
	for rate, want := range map[int]int{1: first, 8000: first, 1 << 17: 78_643} {
		var l Line
		if l.Expect(now, rate); int(l.Room(now)) != want {
			t.Errorf("%d B/s expected: %.0f bytes, want %d", rate, l.Room(now), want)
		}
	}
}
