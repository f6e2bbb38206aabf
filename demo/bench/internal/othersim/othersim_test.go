package othersim

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// testdata is the path of the recording that the repository holds.
const testdata = "../../testdata/cave.rplt"

// The trace in testdata has the rate, size and fields of this simulator, and is at most
// 100 KiB long.
func TestTestdataIsARecording(t *testing.T) {
	b, err := os.ReadFile(filepath.FromSlash(testdata))
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 100<<10 {
		t.Errorf("it has %d bytes, more than 100 KiB", len(b))
	}
	got, err := trace.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Hz != Hz || got.Slots != Slots || got.Ticks != Ticks || got.Column(trace.VelX) >= 0 {
		t.Errorf("it has %d Hz, %d slots, %d ticks, velocity in column %d", got.Hz, got.Slots, got.Ticks, got.Column(trace.VelX))
	}
	want, err := Record(Slots, Ticks, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !got.SameFields(want) {
		t.Error("its fields are not the simulator's")
	}
}

// The features for which this simulator exists occur often enough in its trace: jumps,
// deaths, angles that wrap, and slots used again.
func TestItIsUnlikeTheFirst(t *testing.T) {
	tr, err := Record(Slots, Ticks, 1)
	if err != nil {
		t.Fatal(err)
	}
	jumps, deaths, wraps := 0, 0, 0
	look := tr.Column(trace.Angle)
	for tick := 1; tick < tr.Ticks; tick++ {
		for slot := range tr.Slots {
			was, is := tr.Row(tick-1, slot), tr.Row(tick, slot)
			switch {
			case was[0] == 1 && is[0] == 0:
				deaths++
			case was[0] == 1:
				if d := is[2] - was[2]; d > 1000 || d < -1000 {
					jumps++
				}
				if d := is[look] - was[look]; d > 180 || d < -180 {
					wraps++
				}
			}
		}
	}
	if jumps < 5 || deaths < 5 || wraps < 5 {
		t.Errorf("%d jumps, %d deaths and %d wraps: too few to matter", jumps, deaths, wraps)
	}
	if lives := len(trace.NewLives(tr).All); lives <= tr.Slots {
		t.Errorf("%d entities in %d slots: no slot is used again", lives, tr.Slots)
	}
}
