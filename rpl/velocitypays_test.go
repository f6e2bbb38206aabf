package rpl_test

// Inferred velocities where they do not pay, and where they pay again.

import (
	"math"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where nothing goes straight, places take little more than what is not inferred at all;
// and soon after all go straight, velocities are inferred again.
func TestVelocitiesThatDoNotPay(t *testing.T) {
	const things = 100
	play := func(inferred bool) (curves, straight float64) {
		s := rpl.NewSchema("pays")
		b := s.Build("body").Int("x", math.MinInt16, math.MaxInt16).Int("y", math.MinInt16, math.MaxInt16) // wider ones may count
		if inferred {
			b = b.Pos("x", "y")
		}
		typ := b.Done()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Join(2); err != nil {
			t.Fatal(err)
		}
		var items [things]rpl.Item
		var x, y, way [things]float64
		for i := range things {
			n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			items[i], _ = net.A.Item(n, 0)
			x[i], y[i], way[i] = float64(i*997%4_000-2_000), float64(i*613%4_000-2_000), float64(i)
		}
		run := func(ticks int, turn float64) {
			for range ticks {
				net.Tick(func(rpl.Tick) {
					for i := range things {
						speed := 20 + float64(i)*0.6
						way[i] += turn
						x[i], y[i] = x[i]+speed*math.Cos(way[i]), y[i]+speed*math.Sin(way[i])
						net.A.SetWords(items[i], []int32{int32(math.Round(x[i])), int32(math.Round(y[i]))})
					}
				})
			}
		}
		counted := func(ticks int, turn float64) float64 {
			before := net.A.BitsByItem(nil)[0].Updates
			run(ticks, turn)
			return float64(net.A.BitsByItem(nil)[0].Updates-before) / things / float64(ticks)
		}
		run(180, 0.02)
		curves = counted(300, 0.02)
		run(120, 0)
		return curves, counted(150, 0)
	}
	curves, straight := play(true)
	plain, plainStraight := play(false)
	t.Logf("bits a thing and tick, with inferred velocities and without: on curves %.1f, %.1f, straight on %.1f, %.1f", curves, plain, straight, plainStraight)
	if curves > plain*1.1 {
		t.Errorf("on curves %.1f bits a thing and tick, without velocities %.1f", curves, plain)
	}
	if straight > plainStraight/4 {
		t.Errorf("straight on %.1f bits a thing and tick, without velocities %.1f", straight, plainStraight)
	}
}
