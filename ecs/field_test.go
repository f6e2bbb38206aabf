package ecs_test

import (
	"math"
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

// Fields inside arrays and optional values are drawn between samples like any
// other; an optional value is not glided to from where it was not.
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
	between, last := 0, 0.0
	for i := range 240 { // two frames a step
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
