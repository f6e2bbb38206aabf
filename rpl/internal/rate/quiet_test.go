package rate

// A long value over a slow line on which little was sent before, and little else is sent: the reliable lane has it, and
// only small packets, of which few leave, are acknowledged here.

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// value sends so many bytes by a reliable lane, of which some packets may be under way, and returns the least limit and
// how long it took.
func (s *sender) value(bytes int) (least float64, took time.Duration) {
	const fill, flight = 1168, 7 * 1168
	begun, left, under := s.now, bytes, 0
	least = budget
	for tick := 0; left > 0 || under > 0; tick++ {
		s.now += step
		s.acks()
		s.line.Update(s.now, s.short, budget)
		rate, bucket := float64(budget), budget/4.
		if l := s.line.Limit(); l > 0 {
			least = min(least, l)
			rate, bucket = l, max(l/10, packet)
		}
		s.tokens += rate * step.Seconds()
		s.short = s.tokens < bucket
		s.tokens = min(s.tokens, bucket)
		if tick%16 == 0 {
			s.packet(24)
		}
		for n := min(left, fill); n > 0 && s.tokens >= float64(n) && under+n <= flight; n = min(left, fill) {
			var b [packet]byte
			binary.LittleEndian.PutUint32(b[:], ^uint32(0))
			s.line.Sent(n)
			s.down.Send(s.now, b[:n])
			s.tokens -= float64(n)
			left, under = left-n, under+n
		}
		came := s.beside
		s.peer()
		under -= s.beside - came
	}
	return least, s.now - begun
}

// What little was sent before says nothing of what a line carries: where it is held back for the queue of a long value,
// that is not to far less, and not for long.
func TestQuietTimeIsNoSlowLine(t *testing.T) {
	low, slow, runs, used := 0, 0, 0, 0.
	for _, rate := range []int{12_000, 16_000, 20_000, 24_000} {
		for _, delay := range []time.Duration{10, 20, 50} {
			for _, jitter := range []time.Duration{0, 10} {
				for phase := range 8 { // of the period that is being measured
					way := netsim.Conditions{Delay: delay * time.Millisecond, Jitter: jitter * time.Millisecond, Rate: rate}
					s := newSender(uint64(phase), way, 0)
					for range 300 + 8*phase {
						s.now += step
						s.acks()
						s.line.Update(s.now, false, budget)
						if s.now%(16*step) < step {
							s.packet(24)
						}
						s.peer()
					}
					least, took := s.value(100_000)
					share := 100_000 / took.Seconds() / float64(rate)
					if runs++; least < float64(rate)/3 {
						low++
					}
					if used += share; share < 0.6 {
						slow++
					}
				}
			}
		}
	}
	t.Logf("%d values: %d held back to less than a third of the line, %d slower than 60 %% of it; %.0f %% is used", runs, low, slow, 100*used/float64(runs))
	if low > runs/50 || slow > runs/50 || used < 0.8*float64(runs) {
		t.Errorf("of %d values %d are held back to less than a third of the line, %d are slower than 60 %% of it; %.0f %% is used", runs, low, slow, 100*used/float64(runs))
	}
}
