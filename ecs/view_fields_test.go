package ecs_test

// Single fields: how they are drawn between samples, and how they are clamped.

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

type GaugeData struct {
	Label string           `rpl:"max=8"`
	Value rpl.Opt[float64] `rpl:"step=1/32,interp"`
	Slots [3]NeedleData    `rpl:""`
	Trail [2]float32       `rpl:"step=1/32,interp"`
}

type NeedleData struct {
	Kind uint8   `rpl:""`
	At   float32 `rpl:"step=1/32,interp"`
	note int
}

var Gauge = tendon.Replicate(proto, "gauge", donburi.NewComponentType[GaugeData]())

// Fields inside arrays and optional values are drawn between samples like any others. An
// optional value that appears is not interpolated from its absence, and stands where it appeared until
// drawn time comes to that.
func TestViewOfNestedFields(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Gauge))
	at := 0.0
	server.step = func() {
		at += 0.25
		g := Gauge.Get(server.find(id))
		g.Slots[2].At, g.Trail[1] = float32(at), float32(-at)
		if g.Value.Has() {
			g.Value.Set(at)
		}
	}
	l.steps(60)
	Gauge.Get(server.find(id)).Value.Set(at)
	between, last, lastValue := 0, 0.0, 0.0
	for i := range 240 { // two frames per step
		l.net.Advance(time.Second / 120)
		if i%2 == 0 {
			for _, m := range l.machines {
				m.Receive()
				if m.step != nil {
					m.step()
				}
				m.Send()
			}
		}
		client.Frame()
		v := tendon.View(client.find(id), Gauge)
		x := float64(v.Slots[2].At)
		if x < last || float64(v.Trail[1]) != -x {
			t.Fatalf("drawn at %v after %v, the trail at %v", x, last, v.Trail[1])
		}
		if x*4 != float64(int(x*4)) {
			between++
		}
		last = x
		if value, ok := v.Value.Get(); ok && value < lastValue {
			t.Fatalf("the value goes back from %v to %v", lastValue, value)
		} else if ok {
			lastValue = value
		}
		if value, ok := v.Value.Get(); ok && i > 60 && math.Abs(value-x) > 1e-5 {
			t.Fatalf("the value is drawn at %v, the needle at %v", value, x)
		} else if ok && value < 14.5 && value != 0 {
			t.Fatalf("the value is drawn at %v, where it never was", value)
		}
		check(t, "local fields", v.Slots[2].note, 0)
	}
	if between < 60 {
		t.Errorf("%d frames were drawn between two steps", between)
	}
	Gauge.Get(server.find(id)).Value.Clear()
	l.steps(30)
	gauge := tendon.View(client.find(id), Gauge)
	check(t, "the value is there", gauge.Value.Has(), false)
}

// LimitsData has bounds of each kind.
type LimitsData struct {
	Share float64          `rpl:"min=-1,max=1,bits=8"`
	Far   float64          `rpl:"step=1/8,min=5,max=10"`
	Pos   float32          `rpl:"step=1/8,interp"`
	Turn  float64          `rpl:"angle"`
	Exact float64          `rpl:""`
	Count uint32           `rpl:"interp"`
	Ammo  int              `rpl:"min=0,max=9"`
	Name  string           `rpl:"max=4"`
	Bag   []LimitsElement  `rpl:"max=2"`
	Tally map[string]uint8 `rpl:"max=2,each=4"`
	Goal  rpl.Opt[float64] `rpl:"min=0,max=1,bits=4"`
}

type LimitsElement struct {
	Name string  `rpl:"max=4"`
	Mass float64 `rpl:""`
}

var Limits = tendon.Replicate(proto, "limits", donburi.NewComponentType[LimitsData]())

// A value beyond its bounds arrives clamped, and NaN arrives as 0 or as the bound nearest
// to 0. Debug mode names each such field once, but no value that rounds to its bound.
func TestClamped(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	server := l.server(tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	client := l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Limits))
	at := func() *LimitsData { return Limits.Get(server.find(id)) }
	nan := math.NaN()
	*at() = LimitsData{
		Share: -1.001, Far: 10.05, Pos: 3.3, Turn: 99, Exact: nan, Count: 1 << 31, Ammo: 9, Name: "four",
		Bag: []LimitsElement{{"four", nan}, {"", math.Inf(1)}}, Tally: map[string]uint8{"four": 1, "": 2},
	}
	l.steps(10)
	check(t, "of what fits, said", log.Len() > 0 && strings.Contains(log.String(), "clamped"), false)

	*at() = LimitsData{
		Share: nan, Far: nan, Pos: float32(nan), Turn: nan, Exact: nan, Ammo: -3, Name: "\xff\xfeéé",
		Bag: []LimitsElement{{}, {Name: "of more bytes"}, {}}, Tally: map[string]uint8{"c": 1, "b": 2, "a": 3, "too long": 4}, Goal: rpl.Some(2.0),
	}
	l.steps(10)
	got := Limits.Get(client.find(id))
	check(t, "a share that is no number", math.Abs(got.Share) < 1./64, true)
	check(t, "one whose bounds leave 0 out", got.Far, 5)
	check(t, "a step that is no number", got.Pos, 0)
	check(t, "an angle", got.Turn, 0)
	check(t, "what is exact", math.IsNaN(got.Exact), true)
	check(t, "an integer", got.Ammo, 0)
	check(t, "a string of bytes that are no text", got.Name, "\xff\xfeé")
	check(t, "a list", len(got.Bag) == 2 && got.Bag[1].Name == "of m", true)
	check(t, "a map", len(got.Tally) == 2 && got.Tally["a"] == 3 && got.Tally["b"] == 2, true)
	goal, _ := got.Goal.Get()
	check(t, "an optional value", goal, 1)
	for _, field := range []string{"Share", "Far", "Pos", "Turn", "Ammo", "Name", "Bag", "Tally", "Goal"} {
		if n := strings.Count(log.String(), "limits."+field); n != 1 {
			t.Errorf("%s is named %d times", field, n)
		}
	}
	check(t, "what is exact is named", strings.Contains(log.String(), "limits.Exact"), false)
}

// Numbers above half the range of 32 bits are drawn between samples like any others.
func TestViewOfLargeNumbers(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Limits))
	n := uint32(1<<31 - 1000)
	server.step = func() { n += 16; Limits.Get(server.find(id)).Count = n }
	l.steps(30)
	last := uint32(0)
	for i := range 120 {
		l.steps(1)
		client.Frame()
		v := tendon.View(client.find(id), Limits).Count
		if i > 0 && (v < last || v > last+64) {
			t.Fatalf("from %d to %d", last, v)
		}
		last = v
	}
	check(t, "it has passed the middle", last > 1<<31, true)
	refused(t, "View of component", func() { tendon.View(client.find(id), Paint) })
}

// CountsData has an integer of each size.
type CountsData struct {
	A int8   `rpl:"interp"`
	B int16  `rpl:"interp"`
	C int32  `rpl:"interp"`
	D int64  `rpl:"interp,min=-1000,max=1000"`
	E int    `rpl:"interp,min=-1000,max=1000"`
	F uint8  `rpl:"interp"`
	G uint16 `rpl:"interp"`
	H uint32 `rpl:"interp"`
	I uint64 `rpl:"interp,max=1000"`
	J uint   `rpl:"interp,max=1000"`
}

var Counts = tendon.Replicate(proto, "counts", donburi.NewComponentType[CountsData]())

// Integers of every size are drawn between two updates, rounded, below zero too.
func TestViewOfIntegers(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Sends: 10}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Counts))
	n := 0
	server.step = func() {
		n++
		*Counts.Get(server.find(id)) = CountsData{
			int8(-n), int16(-n), int32(-n), int64(-n), -n, uint8(n), uint16(n), uint32(n), uint64(n), uint(n),
		}
	}
	l.steps(60)
	client.Frame()
	between, last := 0, int(tendon.View(client.find(id), Counts).J)
	for range 60 {
		l.steps(1)
		client.Frame()
		v := tendon.View(client.find(id), Counts)
		at := int(v.J)
		if want := (CountsData{int8(-at), int16(-at), int32(-at), int64(-at), -at, uint8(at), uint16(at), uint32(at), uint64(at), uint(at)}); v != want {
			t.Fatalf("drawn as %+v, not %+v", v, want)
		}
		if at < last || at > last+2 {
			t.Fatalf("drawn at %d after %d", at, last)
		}
		if last = at; at != int(Counts.Get(client.find(id)).J) {
			between++
		}
	}
	check(t, "frames between two updates", between > 30, true)
}
