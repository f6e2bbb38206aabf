package faults

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func lines(b *bytes.Buffer) int { return strings.Count(b.String(), "\n") }

// What others may repeat is counted each time, and logged ever less often.
func TestRefusalsFillNoDisk(t *testing.T) {
	var out bytes.Buffer
	l := New(slog.New(slog.NewTextHandler(&out, nil)), false)
	for range 100_000 {
		l.Refuse("message refused", errors.New("nonsense"))
	}
	l.Refuse("message refused", nil)
	l.Report("nothing", nil)
	if n := *l.Counter("message refused"); n != 100_000 {
		t.Errorf("%d were counted", n)
	}
	if n := lines(&out); n != 17 {
		t.Errorf("%d lines were logged", n)
	}
}

// A mistake is logged once, and only in debug mode; of ever new ones, so many.
func TestMistakesAreLoggedOnce(t *testing.T) {
	for _, debug := range []bool{false, true} {
		var out bytes.Buffer
		l := New(slog.New(slog.NewTextHandler(&out, nil)), debug)
		for i := range 3 * MaxReported {
			l.Scold("mistake", fmt.Sprint("kind ", i/2), "think again", "entity", i)
		}
		want := 0
		if debug {
			want = MaxReported
		}
		if n := lines(&out); n != want {
			t.Errorf("debug %v: %d lines were logged, not %d", debug, n, want)
		}
		if n := *l.Counter("mistake"); n != 3*MaxReported {
			t.Errorf("debug %v: %d were counted", debug, n)
		}
	}
}

// What is certain and costs nothing to find is logged once without debug mode, too.
func TestCertainMistakesAreLoggedOnce(t *testing.T) {
	for _, debug := range []bool{false, true} {
		var out bytes.Buffer
		l := New(slog.New(slog.NewTextHandler(&out, nil)), debug)
		for i := range 10 {
			l.Warn("mistake", fmt.Sprint("kind ", i/5), "think again")
		}
		if n := lines(&out); n != 2 {
			t.Errorf("debug %v: %d lines were logged, not 2", debug, n)
		}
		if n := *l.Counter("mistake"); n != 10 {
			t.Errorf("debug %v: %d were counted", debug, n)
		}
	}
}

// A machine that is too slow for hours says so some times.
func TestStepsGivenUp(t *testing.T) {
	var b bytes.Buffer
	l := New(slog.New(slog.NewTextHandler(&b, nil)), false)
	l.Lose("steps given up", 0, "", "")
	for range 3600 {
		l.Lose("steps given up", 20, "it is slow", "measure it")
	}
	if n := lines(&b); *l.Counter("steps given up") != 72000 || n < 5 || n > 17 {
		t.Errorf("%d steps, %d lines", *l.Counter("steps given up"), n)
	}
}

// Counters come in the order of their names, and nothing is counted as nothing.
func TestCounters(t *testing.T) {
	l := New(slog.New(slog.DiscardHandler), false)
	l.Add("never", 0)
	l.Count("b")
	l.Add("a", 2)
	got := ""
	for name, n := range l.Counters() {
		got += fmt.Sprint(name, n, " ")
	}
	if got != "a2 b1 " {
		t.Errorf("counters are %q", got)
	}
}

// Of many events in a while the first pass; the next that passes is told how many did not.
func TestThrottle(t *testing.T) {
	th := Throttle{Most: 3, While: time.Minute}
	passed := 0
	for i := range 100 {
		if held, ok := th.Pass(time.Duration(i) * time.Millisecond); ok {
			if passed++; held != 0 {
				t.Errorf("event %d: %d were held back before", i, held)
			}
		}
	}
	if passed != 3 {
		t.Errorf("%d passed", passed)
	}
	if held, ok := th.Pass(2 * time.Minute); !ok || held != 97 {
		t.Errorf("later %v after %d", ok, held)
	}
}
