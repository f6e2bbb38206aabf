package pace

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestStepsFollowTimeNotCalls(t *testing.T) {
	for _, hz := range []int{1, 25, 60, 128} {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		s := Steps{Hz: hz}
		now, total := 5*time.Second, 0
		s.Due(now)
		begin := now
		for now-begin < 20*time.Second {
			now += time.Duration(rng.IntN(30)) * time.Millisecond
			total += s.Due(now)
		}
		if want := int(int64(now-begin) * int64(hz) / int64(time.Second)); total != want {
			t.Errorf("seed %d: %d Hz for %v: %d steps, want %d", seed, hz, now-begin, total, want)
		}
	}
}

func TestGapIsGivenUp(t *testing.T) {
	s := Steps{Hz: 60}
	s.Due(0)
	if got := s.Due(10 * time.Second); got != 60 {
		t.Errorf("%d steps after a gap of 10 s, want the 60 of one", got)
	}
	if got := s.Due(10 * time.Second); got != 0 {
		t.Errorf("%d steps at the same time, want 0", got)
	}
	if got := s.Due(10*time.Second + 100*time.Millisecond); got != 6 {
		t.Errorf("%d steps 100 ms later, want 6", got)
	}
}

func TestLimitDrawsAtMost(t *testing.T) {
	l := Limit{FPS: 30}
	drawn := 0
	for now := time.Duration(0); now < 10*time.Second; now += 7 * time.Millisecond {
		if l.Draw(now) {
			drawn++
		}
	}
	if drawn < 285 || drawn > 301 {
		t.Errorf("%d frames in 10 s, want about 300 and not more", drawn)
	}
	free := Limit{}
	for range 2 {
		if !free.Draw(0) {
			t.Error("no limit, yet a frame was left out")
		}
	}
}

// The sessions of a window take their steps together, at the rate that they have.
func TestCommon(t *testing.T) {
	if hz, err := Common([]int{30, 30}); hz != 30 || err != nil {
		t.Errorf("two of 30: %d, %v", hz, err)
	}
	if _, err := Common([]int{30, 60}); err == nil || !strings.Contains(err.Error(), "30 and of 60") || !strings.Contains(err.Error(), "Config.Steps") {
		t.Errorf("30 and 60: %v", err)
	}
}
