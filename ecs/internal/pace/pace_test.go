package pace

import (
	"fmt"
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

// After a gap of 10 s a second of it is made up for, some steps at a time.
func TestGapIsGivenUp(t *testing.T) {
	lost := 0
	s := Steps{Hz: 60, GivenUp: func(n int) { lost += n }}
	s.Due(0)
	var got []int
	for range 9 {
		got = append(got, s.Due(10*time.Second))
	}
	if fmt.Sprint(got) != "[8 8 8 8 8 8 8 4 0]" {
		t.Errorf("%d steps after a gap of 10 s, want the 60 of one", got)
	}
	if lost != 540 {
		t.Errorf("told of %d steps that are given up", lost)
	}
	if got := s.Due(10*time.Second + 100*time.Millisecond); got != 6 || lost != 540 {
		t.Errorf("%d steps 100 ms later, want 6; told of %d that are given up", got, lost)
	}
	slow := Steps{Hz: 1}
	slow.Due(0)
	if got := slow.Due(10 * time.Second); got != 2 {
		t.Errorf("%d steps of a second, want 2", got)
	}
}

// display plays a window of 60 Hz for a minute, in which a step and drawing take so long;
// which begins with a hitch. It returns the steps, and the frames of its last ten seconds.
func display(step, draw, hitch time.Duration) (steps, frames int, longest time.Duration) {
	const vsync = time.Second / 60
	s := Steps{Hz: 60}
	s.Due(0)
	for now := hitch; now < time.Minute; {
		from, due := now, s.Due(now)
		steps += due
		now += time.Duration(due)*step + draw
		now = (now + vsync - 1) / vsync * vsync
		if from >= 50*time.Second {
			frames, longest = frames+1, max(longest, now-from)
		}
	}
	return steps, frames, longest
}

// A machine whose step is a little too slow goes on drawing: what it cannot make up for
// is not spent between two frames. One that is fast enough makes all steps, also those of
// a hitch.
func TestSlowMachine(t *testing.T) {
	for _, x := range []struct {
		step, hitch time.Duration
		all         bool // steps are taken
		frames      int  // a second at least, in the end
	}{
		{10 * time.Millisecond, 0, true, 59},
		{5 * time.Millisecond, 900 * time.Millisecond, true, 59},
		{10 * time.Millisecond, 900 * time.Millisecond, true, 29},
		{14 * time.Millisecond, 0, true, 29},
		{17 * time.Millisecond, 0, false, 6},
		{20 * time.Millisecond, 0, false, 5},
		{40 * time.Millisecond, 0, false, 2},
	} {
		steps, frames, longest := display(x.step, 3*time.Millisecond, x.hitch)
		t.Logf("a step of %v: %d steps, %.1f frames a second, the longest took %v", x.step, steps, float64(frames)/10, longest)
		if frames < 10*x.frames {
			t.Errorf("a step of %v: %d frames in 10 s, want %d a second", x.step, frames, x.frames)
		}
		if most := maxSteps*x.step + 20*time.Millisecond; longest > most {
			t.Errorf("a step of %v: a frame takes %v, want %v at most", x.step, longest, most)
		}
		if x.all && steps < 3600-maxSteps {
			t.Errorf("a step of %v, fast enough: %d steps in a minute, want 3600", x.step, steps)
		}
	}
}

// An update of a display that is about as quick as the steps takes one, a picture that comes as often
// as a step shows one more, whatever the updates' times swing by; and all steps are made.
func TestUpdatesTakeOneStepEach(t *testing.T) {
	for _, x := range []struct {
		display  float64 // Hz
		swing    time.Duration
		perFrame float64 // steps
		others   int     // updates in a minute that take another number
	}{
		{60, 0, 1, 0},
		{60, 3 * time.Millisecond, 1, 0},
		{59.94, 3 * time.Millisecond, 1, 4},
		{60.05, 3 * time.Millisecond, 1, 4},
		{30, 3 * time.Millisecond, 2, 0},
		{20, 3 * time.Millisecond, 3, 0},
	} {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		s := Steps{Hz: 60, Even: true}
		s.Due(0)
		total, others, now := 0, 0, time.Duration(0)
		for i := 1; now < time.Minute; i++ {
			now = time.Duration(float64(i)/x.display*float64(time.Second)) + time.Duration((rng.Float64()-0.5)*float64(x.swing))
			n := s.Due(now)
			if total += n; i > 2*meanSteps && float64(n) != x.perFrame {
				others++
			}
		}
		if others > x.others || total < 3597 || total > 3603 {
			t.Errorf("seed %d: %v Hz, times by %v: %d updates with another number than %v, %d steps in a minute", seed, x.display, x.swing, others, x.perFrame, total)
		}
	}
}

// With a limit as high as the steps' rate each frame shows one step more, on a quicker display.
func TestLimitedFramesShowOneStepEach(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	s, l := Steps{Hz: 60, Even: true}, Limit{FPS: 60}
	s.Due(0)
	const update = time.Second / 60 // as Ebitengine has them: in the first frame from then on
	since, frames, others, stepped, next := 0, 0, 0, false, time.Duration(0)
	for now := time.Duration(0); now < time.Minute; now += time.Duration(3e6 + rng.IntN(2e6)) {
		if now >= next {
			n := s.Due(now)
			since, stepped, next = since+n, stepped || n > 0, next+update
		}
		if l.Draw(now, stepped) {
			if frames++; since != 1 {
				others++
			}
			since, stepped = 0, false
		}
	}
	if frames < 3590 || frames > 3602 || others > 40 {
		t.Errorf("seed %d: %d frames, %d of them with another number of steps than one", seed, frames, others)
	}
}

func TestLimitDrawsAtMost(t *testing.T) {
	l := Limit{FPS: 30}
	drawn := 0
	for now := time.Duration(0); now < 10*time.Second; now += 7 * time.Millisecond {
		if l.Draw(now, true) {
			drawn++
		}
	}
	if drawn < 300 || drawn > 301 { // the last may be a little early
		t.Errorf("%d frames in 10 s, want 300: what a picture is late must not add up", drawn)
	}
	drawn = 0
	for now := 20 * time.Second; now < 21*time.Second; now += 7 * time.Millisecond {
		if l.Draw(now, true) {
			drawn++
		}
	}
	if drawn < 30 || drawn > 31 {
		t.Errorf("%d frames in the second after a gap of ten, want 30: no burst makes up for them", drawn)
	}
	free := Limit{}
	for range 2 {
		if !free.Draw(0, false) {
			t.Error("no limit, yet a frame was left out")
		}
	}
}

// The sessions of a window take their steps together, at the rate that they have; what is
// not given is named.
func TestCommon(t *testing.T) {
	whole := Pane{Session: "one", Hz: 30, Step: true, Draw: true}
	second, other, noRep, noStep, noDraw := whole, whole, whole, whole, whole
	second.Session = "two"
	other.Hz, noRep.Hz, noStep.Step, noDraw.Draw = 60, 0, false, false
	if hz, err := Common([]Pane{whole, second}); hz != 30 || err != nil {
		t.Errorf("two of 30: %d, %v", hz, err)
	}
	for _, x := range []struct {
		panes []Pane
		says  []string
	}{
		{nil, []string{"no pane"}},
		{[]Pane{whole, other}, []string{"30 and of 60", "Config.Steps"}},
		{[]Pane{whole, whole}, []string{"pane 2 of 2: it has the session of another"}},
		{[]Pane{noRep}, []string{"window: there is no session", "tendon.New"}},
		{[]Pane{noStep}, []string{"window: there is no Step", "Game.Step", "Pane.Step"}},
		{[]Pane{whole, noDraw}, []string{"window: pane 2 of 2: there is no Draw", "Pane.Draw"}},
	} {
		_, err := Common(x.panes)
		for _, word := range x.says {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%+v: %v, want %q", x.panes, err, word)
			}
		}
	}
}

// A window whose size is not given has one; half a size, or a negative one, is refused by
// name, where Ebitengine would panic.
func TestWindow(t *testing.T) {
	for _, x := range []struct{ width, height, w, h int }{{0, 0, 640, 480}, {1, 1, 1, 1}, {320, 200, 320, 200}} {
		if w, h, err := Window(x.width, x.height); w != x.w || h != x.h || err != nil {
			t.Errorf("%dx%d: %dx%d, %v", x.width, x.height, w, h, err)
		}
	}
	for _, x := range [][2]int{{0, 480}, {640, 0}, {-1, 480}, {-1, -1}} {
		if _, _, err := Window(x[0], x[1]); err == nil || !strings.Contains(err.Error(), "Game.Width") {
			t.Errorf("%v: %v, want what to give", x, err)
		}
	}
}

// Where a machine is slow Ebitengine makes up to five updates for one frame: all of them together take as many
// steps as one may. A window that is not drawn at all goes on, and the first update takes a step.
func TestUpdatesOfOneFrame(t *testing.T) {
	s := Steps{Hz: 60, Even: true}
	if n := s.Due(0); n != 1 {
		t.Errorf("%d steps in the first update", n)
	}
	s.Drawn()
	for frame := range 5 {
		steps := 0
		for range 5 {
			steps += s.Due(time.Duration(frame+1) * time.Second)
		}
		if s.Drawn(); steps != maxSteps {
			t.Errorf("%d steps for one frame", steps)
		}
	}
	steps := 0
	for n := range 600 {
		steps += s.Due(10*time.Second + time.Duration(n)*time.Second/60)
	}
	if steps < 600 {
		t.Errorf("%d steps in 600 updates of a window that is not drawn", steps)
	}
}

// A program that stops for 300 ms of each second, and looks at the clock when the next
// step is due otherwise, makes all its steps.
func TestHitchesAreMadeUpFor(t *testing.T) {
	for _, hz := range []int{1, 30, 60, 240} {
		s := Steps{Hz: hz}
		now, total, hitch := time.Duration(0), 0, time.Second
		s.Due(now)
		for now < 20*time.Second {
			if now = max(now, s.Next()); now >= hitch {
				now, hitch = now+300*time.Millisecond, hitch+time.Second
			}
			total += s.Due(now)
		}
		for n := s.Due(now); n > 0; n = s.Due(now) {
			total += n
		}
		if want := int(int64(now) * int64(hz) / int64(time.Second)); total != want {
			t.Errorf("%d Hz: %d steps in %v, want %d", hz, total, now, want)
		}
	}
}

// At Next a step is due, and not a nanosecond before.
func TestNextIsWhenAStepIsDue(t *testing.T) {
	for _, hz := range []int{1, 7, 60, 240} {
		s := Steps{Hz: hz}
		s.Due(3 * time.Second)
		for range 500 {
			at := s.Next()
			if early := s.Due(at - 1); early != 0 {
				t.Fatalf("%d Hz: %d steps before %v", hz, early, at)
			}
			if due := s.Due(at); due != 1 {
				t.Fatalf("%d Hz: %d steps at %v, want 1", hz, due, at)
			}
		}
	}
}
