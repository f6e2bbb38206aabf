package livesim

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// kept are the sizes of the recordings in testdata, which keep each below 100 KB.
var kept = map[string]struct{ slots, ticks int }{
	"platform": {10, 100}, "duel": {16, 150}, "street": {40, 150}, "pitch": {5, 350},
}

// The recordings in testdata are what the simulators make.
func TestTestdataIsRecorded(t *testing.T) {
	for _, m := range Mixes() {
		m.Slots, m.Ticks = kept[m.Name].slots, kept[m.Name].ticks
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", m.Name+".rplt"))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 100<<10 {
			t.Errorf("%s has %d bytes, more than 100 KiB", m.Name, len(b))
		}
		got, err := trace.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		want, err := Record(m, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got.Hz != m.hz || got.Slots != m.Slots || got.Ticks != m.Ticks || !got.SameFields(want) {
			t.Errorf("%s has %d Hz, %d slots, %d ticks, or other fields", m.Name, got.Hz, got.Slots, got.Ticks)
		}
	}
}

// What each simulator exists for occurs often enough in its trace.
func TestTheyAreLikePeople(t *testing.T) {
	tr := record(t, "platform")
	if share := held(tr, 2, 3); share < 0.2 || share > 0.8 {
		t.Errorf("people of the platform stand in %.2f of all ticks", share)
	}
	if share := held(tr, 1); share > 0.01 {
		t.Errorf("their clock stands in %.2f", share)
	}
	if share := held(record(t, "street"), 1, 2); share > 0.2 {
		t.Errorf("walkers of the street stand in %.2f of all ticks: there is no noise", share)
	}
	if share := held(record(t, "pitch"), 2, 3, 4); share < 0.5 || share > 0.65 {
		t.Errorf("bodies of the pitch are held in %.2f of all ticks", share)
	}
}

func record(t *testing.T, name string) *trace.Trace {
	t.Helper()
	m, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	m.Ticks = 400
	tr, err := Record(m, 2)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// held is the share of rows of which some fields are what they were a tick before.
func held(tr *trace.Trace, fields ...int) float64 {
	n, all := 0, 0
	for tick := 1; tick < tr.Ticks; tick++ {
		for slot := range tr.Slots {
			was, is := tr.Row(tick-1, slot), tr.Row(tick, slot)
			if was[0] == 0 || is[0] == 0 {
				continue
			}
			all++
			same := true
			for _, f := range fields {
				same = same && was[f] == is[f]
			}
			if same {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

// A mix that does not exist is an error that names those that do.
func TestUnknownMix(t *testing.T) {
	if _, err := Named("moon"); err == nil {
		t.Error("there is a moon")
	}
}
