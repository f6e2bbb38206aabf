package play

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// oddTrace records 60 ticks of a world of 12 slots. step changes a slot's row, without
// alive, at each tick; every slot is dead at one tick in 20.
func oddTrace(t *testing.T, hz int, fields []trace.Field, step func(rng *rand.Rand, tick int, row []int32)) *trace.Trace {
	t.Helper()
	const slots, ticks = 12, 60
	rng := rand.New(rand.NewPCG(9, 9))
	r := trace.NewRecorder("odd", hz, slots, append([]trace.Field{{Name: "alive", Role: trace.Alive}}, fields...))
	rows := make([][]int32, slots)
	for i := range rows {
		rows[i] = make([]int32, len(fields)+1)
		rows[i][0] = 1
	}
	for tick := range ticks {
		for i := range rows {
			step(rng, tick, rows[i][1:])
			if (tick+i)%20 == 0 {
				r.Add(nil)
				continue
			}
			r.Add(rows[i])
		}
	}
	tr, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Every trace that can be read can be played without mismatches, whatever its fields
// and its rate are.
func TestOddTraces(t *testing.T) {
	noise := func(rng *rand.Rand, _ int, row []int32) {
		for i := range row {
			row[i] = int32(rng.Uint32())
		}
	}
	var wide []trace.Field
	for i := range 128 {
		wide = append(wide, trace.Field{Name: "f" + strconv.Itoa(i)})
	}
	for name, tr := range map[string]*trace.Trace{
		"names":       oddTrace(t, 30, []trace.Field{{Name: "pos x (m)"}, {Name: "Größe"}, {Name: "a.b"}, {Name: "-"}, {Name: `"`}}, noise),
		"all 32 bits": oddTrace(t, 60, []trace.Field{{Name: "x", Role: trace.PosX}, {Name: "y", Role: trace.PosY}, {Name: "vx", Role: trace.VelX}, {Name: "vy", Role: trace.VelY}}, noise),
		"128 fields": oddTrace(t, 20, wide, func(rng *rand.Rand, tick int, row []int32) {
			row[rng.IntN(len(row))] = int32(tick)
		}),
		"one field that never changes": oddTrace(t, 10, []trace.Field{{Name: "x"}}, func(*rand.Rand, int, []int32) {}),
		"a velocity without a place":   oddTrace(t, 128, []trace.Field{{Name: "vx", Role: trace.VelX}, {Name: "b"}}, noise),
		"only x is predicted":          oddTrace(t, 15, []trace.Field{{Name: "y", Role: trace.PosY}, {Name: "v", Role: trace.VelX}, {Name: "x", Role: trace.PosX}}, noise),
		"two angles, one of one value": oddTrace(t, 50, []trace.Field{{Name: "a", Role: trace.Angle, Min: -5, Max: 6}, {Name: "b", Role: trace.Angle, Min: 3, Max: 3}}, func(rng *rand.Rand, _ int, row []int32) {
			row[0], row[1] = rng.Int32N(12)-5, 3
		}),
		"half of all numbers is a turn": oddTrace(t, 60, []trace.Field{{Name: "a", Role: trace.Angle, Min: 0, Max: math.MaxInt32}}, func(rng *rand.Rand, _ int, row []int32) {
			row[0] = rng.Int32()
		}),
		"all numbers are a turn": oddTrace(t, 60, []trace.Field{{Name: "a", Role: trace.Angle, Min: math.MinInt32, Max: math.MaxInt32}}, noise),
		"a thousand ticks a second": oddTrace(t, 1000, []trace.Field{{Name: "x", Role: trace.PosX}, {Name: "y", Role: trace.PosY}, {Name: "vx", Role: trace.VelX}, {Name: "vy", Role: trace.VelY}}, func(rng *rand.Rand, _ int, row []int32) {
			row[0], row[1], row[2], row[3] = row[0]+5, row[1]-1, 5000, -1000+rng.Int32N(3)
		}),
	} {
		for cond, set := range map[string]func(o *Options){"clean": func(*Options) {}, "lossy": func(o *Options) { o.Loss = 0.2; o.Clients = 2 }} {
			t.Run(name+" "+cond, func(t *testing.T) {
				o := options(tr)
				o.RTT /= 4 // traces are short
				set(&o)
				r, err := Run(o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Mismatches != 0 {
					t.Errorf("%+v", r.Kinds)
				}
			})
		}
	}
}
