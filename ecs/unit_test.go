package ecs

// Small pieces by themselves: messages, the clock, and the tracks that views draw from.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Session messages have these bytes, and a message that is cut short is refused.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		hex   string
		bytes []byte
		parse func(b []byte) (any, error)
		want  any
	}{
		{
			"80" + "07000000" + "39300000" + "3c00" + "1e00" + "01" + "03" + "ff00000000000000" + "63617665",
			appendWelcome(nil, welcome{peer: 7, tick: 12345, steps: 60, sends: 30, host: 1, level: levelMessage{epoch: 3, after: 255, name: "cave"}}),
			func(b []byte) (any, error) { return parseWelcome(b) },
			welcome{peer: 7, tick: 12345, steps: 60, sends: 30, host: 1, level: levelMessage{epoch: 3, after: 255, name: "cave"}},
		},
		{
			"82" + "04" + "0001000000000000" + "62",
			appendLevel(nil, levelMessage{epoch: 4, after: 256, name: "b"}),
			func(b []byte) (any, error) { return parseLevel(b) },
			levelMessage{epoch: 4, after: 256, name: "b"},
		},
		{
			"81" + "04" + "0900000000000000" + "02000000" + "0300000000000000",
			appendReady(nil, ready{epoch: 4, after: 9, names: nameSum{2, 3}}),
			func(b []byte) (any, error) { return parseReady(b) },
			ready{epoch: 4, after: 9, names: nameSum{2, 3}},
		},
		{
			"84" + "05" + "01",
			appendAsk(nil, askMessage{group: 5, in: true}),
			func(b []byte) (any, error) { return parseAsk(b) },
			askMessage{group: 5, in: true},
		},
	} {
		want, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.bytes, want) {
			t.Errorf("%T is %x, not %x", c.want, c.bytes, want)
		}
		if got, err := c.parse(want); err != nil || got != c.want {
			t.Errorf("%x is read as %+v, %v", want, got, err)
		}
		name := 0
		switch m := c.want.(type) {
		case welcome:
			name = len(m.level.name)
		case levelMessage:
			name = len(m.name)
		}
		for n := range len(want) - name { // a name may end anywhere
			if _, err := c.parse(want[:n]); !errors.Is(err, errMessage) {
				t.Errorf("%x cut at %d: %v", want, n, err)
			}
		}
	}
	if _, err := parseLevel(append([]byte{msgLevel}, make([]byte, 9+maxLevelName+1)...)); !errors.Is(err, errMessage) {
		t.Errorf("a name too long: %v", err)
	}
	names := namesMessage{kind: namesDestroyed, names: []string{"door", "x"}}
	b := appendNames(nil, names)
	if want := "8301" + "04646f6f72" + "0178"; hex.EncodeToString(b) != want {
		t.Errorf("names are %x, not %s", b, want)
	}
	if m, err := parseNames(b); err != nil || !reflect.DeepEqual(m, names) {
		t.Errorf("names are read as %+v, %v", m, err)
	}
	for _, bad := range [][]byte{{msgNames}, {msgNames, 3}, {msgNames, 1, 0}, {msgNames, 1, 2, 'x'}, append([]byte{msgNames, 1, 65}, make([]byte, 65)...), {msgAsk, 1, 2}} {
		_, err := parseNames(bad)
		if _, ask := parseAsk(bad); !errors.Is(err, errMessage) || !errors.Is(ask, errMessage) {
			t.Errorf("%x: %v, %v", bad, err, ask)
		}
	}
	for _, m := range []welcome{{peer: 1, steps: 60, sends: 30}, {peer: 2, steps: 0, sends: 0}, {peer: 2, steps: 30, sends: 60}, {peer: 2, steps: 60, sends: 30, host: 2}} {
		if _, err := parseWelcome(appendWelcome(nil, m)); !errors.Is(err, errMessage) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// The client's clock settles on the quickest packets, never goes back, and follows a change
// of the route without a jump, for round trips of 20 to 300 ms.
func TestClock(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	for _, first := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond} { // each way
		t.Run(first.String(), func(t *testing.T) {
			clockSettles(t, rand.New(rand.NewPCG(seed, seed)), first, first+50*time.Millisecond)
		})
	}
}

func clockSettles(t *testing.T, rng *rand.Rand, delay, later time.Duration) {
	step := time.Second / 60
	c := clock{step: step}
	var last, before time.Duration
	for tick := range rpl.Tick(60 * 12) {
		if tick == 60*4 {
			delay = later
		}
		sent := time.Duration(tick) * step
		at := sent + delay + time.Duration(rng.Int64N(int64(20*time.Millisecond)))
		c.sample(tick, at)
		now := max(before, at) + time.Millisecond
		s := c.server(now)
		if s < last {
			t.Fatalf("tick %d: from %v back to %v", tick, last, s)
		}
		if went := now - before; tick > 0 && s-last > went+went/20+1 {
			t.Errorf("tick %d: %v in %v", tick, s-last, went)
		}
		last, before = s, now
		settled := tick > 60*2 && tick < 60*4 || tick > 60*8
		if off := s - (now - delay); settled && (off > 4*time.Millisecond || off < -5*time.Millisecond) {
			t.Errorf("tick %d: %v off", tick, off)
		}
	}
	// A machine that has slept jumps forward.
	c.sample(60*100, 20*time.Second)
	if s := c.server(20 * time.Second); s < 99*time.Second {
		t.Errorf("after sleep: %v", s)
	}
}

type drawnData struct{ X, Y, R float32 }

func drawnComponent() *component {
	at := func(f int) uintptr { return reflect.TypeFor[drawnData]().Field(f).Offset }
	return &component{drawn: []field{
		{prop: 0, word: 0, offset: at(0), kind: reflect.Float32, step: 1.0 / 32},
		{prop: 0, word: 1, offset: at(1), kind: reflect.Float32, step: 1.0 / 32},
		{prop: 1, word: 2, offset: at(2), kind: reflect.Float32, step: 1, turn: 360, inPlace: true},
	}}
}

func TestTrack(t *testing.T) {
	k := newTrack(drawnComponent())
	draw := func(render float64) (d drawnData) {
		k.draw(unsafe.Pointer(&d), render, false)
		return d
	}
	k.push(10, 0, []int32{320, 0, 350})
	k.push(12, 10, []int32{384, 0, 10})
	k.push(14, 12, []int32{448, 64, 20})
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
	k.push(32, 30, []int32{512, 64, 20})
	if got := draw(29.9).X; got != 14 {
		t.Errorf("glides while it stood still: %v", got)
	}
	if got := draw(31).X; got != 15 {
		t.Errorf("when it moved again: %v", got)
	}
	// A lost packet does not mean that the value stood still.
	k.push(36, 32, []int32{640, 64, 20})
	if got := draw(34).X; got != 18 {
		t.Errorf("over a lost packet: %v", got)
	}
	// A teleport.
	k.push(38, 36, []int32{64000, 64, 20})
	if got := draw(37.9).X; got != 20 {
		t.Errorf("glides through a teleport: %v", got)
	}
	if got := draw(38).X; got != 2000 {
		t.Errorf("after a teleport: %v", got)
	}
	// Older state is not put behind newer state, and the ring keeps its bound.
	k.push(37, 36, []int32{0, 0, 0})
	for i := range rpl.Tick(100) {
		k.push(40+2*i, 38+2*i, []int32{int32(64000 + 64*i), 64, 20})
	}
	if got := draw(40 + 2*99 - 1).X; math.Abs(float64(got-(2000+2*99-1))) > 1e-3 || k.n != maxSamples {
		t.Errorf("after a hundred samples: %v, %d kept", got, k.n)
	}
}

// Fields that are drawn in place get their state back exactly; other fields stay untouched.
func TestTrackInPlace(t *testing.T) {
	k := newTrack(drawnComponent())
	k.push(10, 0, []int32{320, 0, 90})
	k.push(12, 10, []int32{384, 0, 100})
	d := drawnData{X: 1.7, Y: 2, R: 100}
	k.save(unsafe.Pointer(&d))
	k.draw(unsafe.Pointer(&d), 11, true)
	if d != (drawnData{1.7, 2, 95}) {
		t.Errorf("drawn in place: %v", d)
	}
	k.restore(unsafe.Pointer(&d))
	if d != (drawnData{1.7, 2, 100}) || len(k.saved) != 0 {
		t.Errorf("restored: %v", d)
	}
}

func TestFieldsSkipsNothing(t *testing.T) {
	f := field{turn: 2 * math.Pi}
	for _, c := range [][4]float64{
		{0.1, 2*math.Pi - 0.1, 0.5, 0}, {6.2, 0.2, 0.25, math.Mod(6.2+(0.2+2*math.Pi-6.2)/4, 2*math.Pi)}, {1, 2, 0.5, 1.5},
	} {
		got := f.between(c[0], c[1], c[2])
		if d := math.Abs(math.Remainder(got-c[3], 2*math.Pi)); d > 1e-9 || got < 0 || got >= 2*math.Pi {
			t.Errorf("between %v and %v at %v: %v, not %v", c[0], c[1], c[2], got, c[3])
		}
	}
}

// A clock that is ahead because the server has paused stands still until the server has
// caught up, and is right again. However long the pause was, that takes no more than a few
// seconds.
func TestClockWaits(t *testing.T) {
	const step, send = 10 * time.Millisecond, 30 * time.Millisecond
	for _, pause := range []time.Duration{300 * time.Millisecond, 3 * time.Second, 15 * time.Second, time.Hour} {
		c := clock{step: step}
		var at, last time.Duration
		play := func(long, paused time.Duration) {
			for end := at + long; at < end; at += send {
				c.sample(rpl.Tick((at-paused)/step), at)
				now := c.server(at)
				if now < last {
					t.Fatalf("after %v it goes back from %v to %v", pause, last, now)
				}
				last = now
			}
		}
		play(5*time.Second, 0)
		at += pause
		c.server(at)
		play(min(pause, clockWaits)+2*clockWindow, pause)
		if off := c.server(at) - (at - pause); off < -step || off > step {
			t.Errorf("after a pause of %v it is off by %v", pause, off)
		}
	}
}
