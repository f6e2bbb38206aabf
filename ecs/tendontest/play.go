package tendontest

// Windows of a Lab: frames at other rates than that of the steps.

import (
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/internal/pace"
)

// A screen is the window of a machine, from its first frame in Play until Steps goes on without windows.
type screen struct {
	steps pace.Steps
	next  time.Duration // when its next frame is due, by the network's clock; of a server without a player its next step
}

// FPS is for Play: each machine draws so many frames a second, evenly. Play fails the test for none or less.
func FPS(fps float64) func(m *Machine) time.Duration {
	if !(fps > 0) {
		return func(*Machine) time.Duration { return 0 }
	}
	return func(*Machine) time.Duration { return time.Duration(float64(time.Second) / fps) }
}

// Uneven returns, for Play, the frames of a machine that is busy: 8 to 25 ms apart, 60 a second on the
// mean. The same Game.Seed gives the same.
func Uneven() func(m *Machine) time.Duration {
	return func(m *Machine) time.Duration {
		return 8*time.Millisecond + time.Duration(m.frames.Int64N(int64(17*time.Millisecond)))
	}
}

// Play plays for a time as windows do. Each machine with a player draws one frame after the other, each by
// a clock of its own: it makes the steps that are due, as window.Run does, which may be none or several,
// then calls Frame, then drawn. So drawn sees by View what is on that machine's screen. A server without a
// player makes its steps as they are due, and draws nothing.
//
// frame says how long it is until a machine's next frame, and is asked once for each: FPS(144), Uneven(),
// or a function of the test, for a machine that is slower than the others, or a frame that is dropped.
// drawn may be nil.
//
// A second Play goes on where the first has ended, between two frames, too. Machines that are 60 steps
// a second fast make 60 in each second of it, one more or less; Steps then goes on in step.
func (l *Lab) Play(d time.Duration, frame func(m *Machine) time.Duration, drawn func(m *Machine)) {
	l.t.Helper()
	end := l.Net.Now() + d
	for {
		m := l.nextFrame(frame)
		if m == nil || m.screen.next > end {
			break
		}
		l.Net.Advance(m.screen.next - l.Net.Now())
		s := m.screen
		for range s.steps.Due(l.Net.Now()) {
			l.step(m)
		}
		if m.Mode() == tendon.Dedicated {
			s.next = s.steps.Next()
			continue
		}
		m.Frame()
		if drawn != nil {
			drawn(m)
		}
		s.next += l.lasts(m, frame)
	}
	l.Net.Advance(end - l.Net.Now())
}

// nextFrame returns the machine whose frame is due next, the host first; nil without machines. It
// opens the windows that are not open yet.
func (l *Lab) nextFrame(frame func(m *Machine) time.Duration) (first *Machine) {
	l.t.Helper()
	for _, m := range l.Machines {
		if m.screen == nil {
			m.screen = &screen{steps: pace.Steps{Hz: l.steps, Even: m.Mode() != tendon.Dedicated}}
			m.screen.steps.Due(l.Net.Now()) // they are counted from here on
			if m.screen.next = m.screen.steps.Next(); m.Mode() != tendon.Dedicated {
				m.screen.next = l.Net.Now() + l.lasts(m, frame)
			}
		}
		if first == nil || m.screen.next < first.screen.next {
			first = m
		}
	}
	return first
}

// lasts is how long it is until a machine's next frame.
func (l *Lab) lasts(m *Machine, frame func(m *Machine) time.Duration) time.Duration {
	l.t.Helper()
	d := frame(m)
	if d <= 0 {
		l.t.Fatalf("tendontest: Play is to draw %s again after %v: give the time until its next frame, as FPS(144) does", m.Name, d)
	}
	return d
}
