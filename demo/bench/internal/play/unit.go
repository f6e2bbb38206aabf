package play

import (
	"fmt"
	"math"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// perUnit is how many of the generator's units are one unit of the world.
const perUnit = 32

// turn is how many of the generator's angle units are a whole turn.
const turn = 4096

// vec is a vector type as a game would have it.
type vec struct{ X, Y float64 }

// unit is the component that a game would have for the generator's entities.
type unit struct {
	Kind  uint8   `rpl:"max=3"`
	Pos   vec     `rpl:"pos,step=1/32,predict=Vel"`
	Angle float64 `rpl:"angle,bits=12"`
	Vel   vec     `rpl:"step=1/32"`
	HP    int16   `rpl:""`
	Anim  uint8   `rpl:""`
	Team  uint8   `rpl:""`
}

// generated are the fields of a trace that unit can hold, in order.
var generated = []trace.Field{
	{Name: "alive", Role: trace.Alive},
	{Name: "kind"},
	{Name: "x", Role: trace.PosX},
	{Name: "y", Role: trace.PosY},
	{Name: "angle", Role: trace.Angle},
	{Name: "vx", Role: trace.VelX},
	{Name: "vy", Role: trace.VelY},
	{Name: "hp"},
	{Name: "anim"},
	{Name: "team"},
}

// maxGameHz is the highest step rate that package ecs accepts.
const maxGameHz = 240

// isGenerated reports whether unit can hold the trace: it has the generator's fields,
// and their bounds fit unit's types.
func isGenerated(t *trace.Trace) bool {
	if len(t.Fields) != len(generated) || t.Hz > maxGameHz {
		return false
	}
	for i, g := range generated {
		if t.Fields[i].Name != g.Name || t.Fields[i].Role != g.Role {
			return false
		}
	}
	within := func(i int, lo, hi int32) bool { return t.Fields[i].Min >= lo && t.Fields[i].Max <= hi }
	return within(1, 0, 3) && within(7, math.MinInt16, math.MaxInt16) && within(8, 0, math.MaxUint8) && within(9, 0, math.MaxUint8) &&
		t.Fields[4].Min == 0 && t.Fields[4].Max == turn-1
}

// set sets the component from a row of the trace.
func (u *unit) set(r []int32) {
	*u = unit{
		Kind:  uint8(r[1]),
		Pos:   vec{float64(r[2]) / perUnit, float64(r[3]) / perUnit},
		Angle: float64(r[4]) * (2 * math.Pi / turn),
		Vel:   vec{float64(r[5]) / perUnit, float64(r[6]) / perUnit},
		HP:    int16(r[7]), Anim: uint8(r[8]), Team: uint8(r[9]),
	}
}

// unitTags returns the component's tags with the bounds of the trace's header, which
// are narrower than those of the component's types.
func unitTags(t *trace.Trace, explicit bool) rpl.Tags {
	plain := func(i int) string { return fmt.Sprintf("min=%d,max=%d", t.Fields[i].Min, t.Fields[i].Max) }
	both := func(i int) string {
		lo, hi := min(t.Fields[i].Min, t.Fields[i+1].Min), max(t.Fields[i].Max, t.Fields[i+1].Max)
		return fmt.Sprintf("min=%v,max=%v", float64(lo)/perUnit, float64(hi)/perUnit)
	}
	kind := plain(1)
	if explicit {
		kind += ",explicit" // on one field, it holds for the whole component
	}
	return rpl.Tags{
		"Kind":  kind,
		"Pos":   "pos,step=1/32,predict=Vel," + both(2),
		"Angle": "angle,bits=12",
		"Vel":   "step=1/32," + both(5),
		"HP":    plain(7),
		"Anim":  plain(8),
		"Team":  plain(9),
	}
}

// unitFields returns which of the trace's fields each prop holds.
func unitFields() map[string]fieldUnit {
	return map[string]fieldUnit{
		"Kind":  {1, 1},
		"Pos":   {2, perUnit},
		"Angle": {4, turn / (2 * math.Pi)},
		"Vel":   {5, perUnit},
		"HP":    {7, 1},
		"Anim":  {8, 1},
		"Team":  {9, 1},
	}
}
