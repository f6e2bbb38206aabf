package track

// The samples that are drawn, by themselves.

import (
	"math"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

type drawnData struct{ X, Y, R float32 }

func drawnFields() *Fields {
	at := func(f int) uintptr { return reflect.TypeFor[drawnData]().Field(f).Offset }
	return &Fields{Fields: []Field{
		{prop: 0, word: 0, offset: at(0), kind: reflect.Float32, step: 1.0 / 32},
		{prop: 0, word: 1, offset: at(1), kind: reflect.Float32, step: 1.0 / 32},
		{prop: 1, word: 2, offset: at(2), kind: reflect.Float32, step: 1, turn: 360, inPlace: true},
	}}
}

func TestTrack(t *testing.T) {
	k := New(drawnFields())
	draw := func(render float64) (d drawnData) {
		k.Draw(unsafe.Pointer(&d), render, false)
		return d
	}
	k.push(10, 0, 0, []int32{320, 0, 350})
	k.push(12, 10, 0, []int32{384, 0, 10})
	k.push(14, 12, 0, []int32{448, 64, 20})
	for _, c := range []struct {
		render float64
		want   drawnData
		why    string
	}{
		{5, drawnData{10, 0, 350}, "before the first sample"},
		{10, drawnData{10, 0, 350}, "at a sample"},
		{10.5, drawnData{10.5, 0, 355}, "between, and across the turn"},
		{11.5, drawnData{11.5, 0, 5}, "beyond the turn"},
		{13, drawnData{13, 1, 15}, "between"},
		{20, drawnData{14, 2, 20}, "after the last: no guess"},
	} {
		if got := draw(c.render); got != c.want {
			t.Errorf("%s (%v): %v, not %v", c.why, c.render, got, c.want)
		}
	}
	// It stood still until 30, the newest tick received before it moved at 32.
	k.push(32, 30, 0, []int32{512, 64, 20})
	if got := draw(29.9).X; got != 14 {
		t.Errorf("glides while it stood still: %v", got)
	}
	if got := draw(31).X; got != 15 {
		t.Errorf("when it moved again: %v", got)
	}
	// A lost packet does not mean that the value stood still.
	k.push(36, 32, 0, []int32{640, 64, 20})
	if got := draw(34).X; got != 18 {
		t.Errorf("over a lost packet: %v", got)
	}
	// A teleport.
	k.push(38, 36, 0, []int32{64000, 64, 20})
	if got := draw(37.9).X; got != 20 {
		t.Errorf("glides through a teleport: %v", got)
	}
	if got := draw(38).X; got != 2000 {
		t.Errorf("after a teleport: %v", got)
	}
	// Older state is not put behind newer state, and the ring keeps its bound.
	k.push(37, 36, 0, []int32{0, 0, 0})
	for i := range rpl.Tick(100) {
		k.push(40+2*i, 38+2*i, 0, []int32{int32(64000 + 64*i), 64, 20})
	}
	if got := draw(40 + 2*99 - 1).X; math.Abs(float64(got-(2000+2*99-1))) > 1e-3 || k.n != maxSamples {
		t.Errorf("after a hundred samples: %v, %d kept", got, k.n)
	}
}

// Fields that are drawn in place get their state back exactly; other fields stay untouched.
func TestTrackInPlace(t *testing.T) {
	k := New(drawnFields())
	k.push(10, 0, 0, []int32{320, 0, 90})
	k.push(12, 10, 0, []int32{384, 0, 100})
	d := drawnData{X: 1.7, Y: 2, R: 100}
	k.Save(unsafe.Pointer(&d))
	k.Draw(unsafe.Pointer(&d), 11, true)
	if d != (drawnData{1.7, 2, 95}) {
		t.Errorf("drawn in place: %v", d)
	}
	k.Restore(unsafe.Pointer(&d))
	if d != (drawnData{1.7, 2, 100}) || len(k.saved) != 0 {
		t.Errorf("restored: %v", d)
	}
}

// A field drawn in steps takes its next value when drawn time reaches it, however far that is
// off, and does not make the others teleport.
func TestTrackSteps(t *testing.T) {
	set := drawnFields()
	set.Fields[1].steps, set.Fields[1].prop, set.Fields[1].step = true, 2, 1
	k := New(set)
	k.push(10, 0, 0, []int32{320, 1, 0})
	k.push(12, 10, 0, []int32{384, 9000, 0})
	k.push(14, 12, 0, []int32{448, 2, 0})
	for _, c := range []struct{ render, x, y float64 }{{10.5, 10.5, 1}, {11.9, 11.9, 1}, {12, 12, 9000}, {13.5, 13.5, 9000}, {14, 14, 2}, {15, 14, 2}} {
		var d drawnData
		if k.Draw(unsafe.Pointer(&d), c.render, false); math.Abs(float64(d.X)-c.x) > 1e-3 || float64(d.Y) != c.y {
			t.Errorf("at %v: %v", c.render, d)
		}
	}
}

// An angle goes the shorter way round, and stays within a turn.
func TestBetweenAngles(t *testing.T) {
	f := Field{turn: 2 * math.Pi}
	for _, c := range [][4]float64{
		{0.1, 2*math.Pi - 0.1, 0.5, 0}, {6.2, 0.2, 0.25, math.Mod(6.2+(0.2+2*math.Pi-6.2)/4, 2*math.Pi)}, {1, 2, 0.5, 1.5},
	} {
		got := f.between(c[0], c[1], c[2])
		if d := math.Abs(math.Remainder(got-c[3], 2*math.Pi)); d > 1e-9 || got < 0 || got >= 2*math.Pi {
			t.Errorf("between %v and %v at %v: %v, not %v", c[0], c[1], c[2], got, c[3])
		}
	}
}

// What moved and is told of no more, after a loss, is drawn moving on, until what was lost would
// have come again: then it has stood, and what is drawn goes back to where it stands, at an
// even pace, and is there for good, whatever is lost then.
func TestSilenceAfterLoss(t *testing.T) {
	now := time.Duration(0)
	sc := Screen{Steps: 60, Sends: 30, Now: func() time.Duration { return now }}
	sc.SetTrip(11*time.Second/60, time.Second/60) // 14 ticks
	k := New(drawnFields())
	drawn := func() (d drawnData) {
		sc.Draw(k, unsafe.Pointer(&d), false)
		return d
	}
	hear := func(tick rpl.Tick, lost bool) {
		sc.Received.Missing = lost
		sc.Received.note(tick, 2)
		sc.Received.Missing = false
	}
	for tick := rpl.Tick(10); tick <= 40; tick += 2 {
		k.SentAt = tick
		sc.Push(k, Item{}, tick, sc.Received.before(tick), tick, []int32{int32(tick) * 64, 0, 0})
		hear(tick, false)
	}
	begins, before := rpl.Tick(0), 0.0
	for tick := rpl.Tick(46); tick <= 110; tick += 2 { // those of 42 and 44 are lost, and the others tell nothing of it
		hear(tick, tick == 46 || tick == 90)
		now += time.Second / 30
		sc.Render = float64(tick - 2)
		d := drawn()
		switch stands := tick-46 >= 14; {
		case !stands && d.X != float32(min(2*sc.Render, 92)):
			t.Errorf("tick %d: drawn at %v while it may move on", tick, d.X)
		case stands && begins == 0:
			begins = tick
		}
		if begins > 0 && tick > begins+28 && d.X != 80 {
			t.Errorf("tick %d: drawn at %v, it stands at 80", tick, d.X)
		}
		if way := before - float64(d.X); begins > 0 && way > 12/evenSeconds/30+1e-3 {
			t.Errorf("tick %d: it goes back by %v at once", tick, way)
		}
		before = float64(d.X)
	}
}
