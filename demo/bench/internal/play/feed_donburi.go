package play

import (
	"fmt"
	"math"
	"reflect"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// perUnit is how many of the generator's units are one unit of the world.
const perUnit = 32

// turn is how many of the generator's angles are a whole turn.
const turn = 4096

// vec is a vector as games have it.
type vec struct{ X, Y float64 }

// unit is what the generator simulates, as a component that a game would have.
type unit struct {
	Kind  uint8   `rpl:"max=3"`
	Pos   vec     `rpl:"pos,step=1/32,predict=Vel"`
	Angle float64 `rpl:"angle,bits=12"`
	Vel   vec     `rpl:"step=1/32"`
	HP    int16   `rpl:""`
	Anim  uint8   `rpl:""`
	Team  uint8   `rpl:""`
}

var generated = []struct {
	name string
	role trace.Role
}{
	{"alive", trace.Alive},
	{"kind", trace.Plain},
	{"x", trace.PosX},
	{"y", trace.PosY},
	{"angle", trace.Angle},
	{"vx", trace.VelX},
	{"vy", trace.VelY},
	{"hp", trace.Plain},
	{"anim", trace.Plain},
	{"team", trace.Plain},
}

// isGenerated reports whether the component can hold the trace: the
// generator's fields, within what the component's types hold.
func isGenerated(t *trace.Trace) bool {
	if len(t.Fields) != len(generated) {
		return false
	}
	for i, g := range generated {
		if t.Fields[i].Name != g.name || t.Fields[i].Role != g.role {
			return false
		}
	}
	within := func(i int, lo, hi int32) bool { return t.Fields[i].Min >= lo && t.Fields[i].Max <= hi }
	return within(1, 0, 3) && within(7, math.MinInt16, math.MaxInt16) && within(8, 0, math.MaxUint8) && within(9, 0, math.MaxUint8) &&
		t.Fields[4].Min == 0 && t.Fields[4].Max == turn-1
}

// donburiFeed is a game's world: an entity for each living slot, with one
// ordinary tagged component.
type donburiFeed struct {
	world donburi.World
	c     *donburi.ComponentType[unit]
	slot  *donburi.ComponentType[int] // the trace's; local, for the report alone
	item  *rpl.ItemType
	spawn rpl.Spawn

	bySlot []writing

	// What extraction knows of the world: the entities of the last tick in the
	// archetype's order, and by entity id what they are.
	seen []donburi.Entity
	link []linked
	mark uint32
	walk func(a *rpl.Authority, n *nodes) error // nil before the first entity
}

// writing is where a slot's state is written.
type writing struct {
	entity donburi.Entity
	unit   *unit // nil while the slot is dead
}

// linked is an entity that is a node.
type linked struct {
	entity donburi.Entity
	slot   int
	node   rpl.Node
	item   rpl.Item
	mark   uint32 // the structural change that last saw it
}

func newDonburiFeed(s *rpl.Schema, t *trace.Trace) *donburiFeed {
	bounds := func(a, b int) string {
		lo, hi := min(t.Fields[a].Min, t.Fields[b].Min), max(t.Fields[a].Max, t.Fields[b].Max)
		return fmt.Sprintf("min=%v,max=%v", float64(lo)/perUnit, float64(hi)/perUnit)
	}
	plain := func(i int) string { return fmt.Sprintf("min=%d,max=%d", t.Fields[i].Min, t.Fields[i].Max) }
	f := &donburiFeed{
		world: donburi.NewWorld(),
		c:     donburi.NewComponentType[unit]().SetName("Unit"),
		slot:  donburi.NewComponentType[int]().SetName("Slot"),
	}
	// The header's bounds quantise what the types alone would leave wide.
	f.item = s.Item("unit", reflect.TypeFor[unit](), rpl.Tags{
		"Kind":  plain(1),
		"Pos":   "pos,step=1/32,predict=Vel," + bounds(2, 3),
		"Angle": "angle,bits=12",
		"Vel":   "step=1/32," + bounds(5, 6),
		"HP":    plain(7),
		"Anim":  plain(8),
		"Team":  plain(9),
	})
	f.spawn.Items = []*rpl.ItemType{f.item}
	return f
}

func (f *donburiFeed) name() string  { return "donburi" }
func (f *donburiFeed) unit() float64 { return perUnit }

func (f *donburiFeed) layout() (*layout, error) {
	return newLayout(f.item, map[string]fieldUnit{
		"Kind":  {1, 1},
		"Pos":   {2, perUnit},
		"Angle": {4, turn / (2 * math.Pi)},
		"Vel":   {5, perUnit},
		"HP":    {7, 1},
		"Anim":  {8, 1},
		"Team":  {9, 1},
	})
}

func (f *donburiFeed) write(t *trace.Trace, tick int) {
	for len(f.bySlot) < t.Slots {
		f.bySlot = append(f.bySlot, writing{})
	}
	for slot := range f.bySlot {
		w := &f.bySlot[slot]
		if slot >= t.Slots || !t.Alive(tick, slot) {
			f.remove(w)
			continue
		}
		if w.unit == nil {
			w.entity = f.world.Create(f.c, f.slot)
			e := f.world.Entry(w.entity)
			w.unit = f.c.Get(e)
			f.slot.SetValue(e, slot)
		}
		r := t.Row(tick, slot)
		*w.unit = unit{
			Kind:  uint8(r[1]),
			Pos:   vec{float64(r[2]) / perUnit, float64(r[3]) / perUnit},
			Angle: float64(r[4]) * (2 * math.Pi / turn),
			Vel:   vec{float64(r[5]) / perUnit, float64(r[6]) / perUnit},
			HP:    int16(r[7]), Anim: uint8(r[8]), Team: uint8(r[9]),
		}
	}
}

func (f *donburiFeed) remove(w *writing) {
	if w.unit != nil {
		f.world.Remove(w.entity)
		*w = writing{}
	}
}

func (f *donburiFeed) clear() {
	for slot := range f.bySlot {
		f.remove(&f.bySlot[slot])
	}
}
