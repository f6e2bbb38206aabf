package nodes

// kinds: the component types of a protocol, and its prefabs.

import (
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/deep"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// Kinds are a protocol's component types and prefabs, as sessions look them up.
type Kinds struct {
	Components []*Component // in order of registration
	byType     []*Component // by the number of the component type, because Bump looks it up often
	ByItem     map[*rpl.ItemType]*Component
	Prefabs    map[*rpl.PrefabType]*Prefab
	Commands   []Command // in order of declaration
}

// A Command is the declaration of a command.
type Command struct {
	Name   string
	On     donburi.IComponentType // what has it is moved
	Silent bool                   // it has no value: the rule alone moves
	Waits  bool                   // its owner leaves it to the authority
}

// NewKinds returns a table of nothing yet.
func NewKinds() Kinds {
	return Kinds{ByItem: map[*rpl.ItemType]*Component{}, Prefabs: map[*rpl.PrefabType]*Prefab{}}
}

// Add enters a component type.
func (ks *Kinds) Add(r *Component) {
	ks.Components = append(ks.Components, r)
	if n := int(r.Type.Id()); n >= len(ks.byType) {
		ks.byType = append(ks.byType, make([]*Component, n+1-len(ks.byType))...)
	}
	ks.byType[r.Type.Id()] = r
	ks.ByItem[r.Item] = r
}

// Of returns the entry of a component type, nil if the type is only local.
func (ks *Kinds) Of(c donburi.IComponentType) *Component {
	if n := int(c.Id()); n < len(ks.byType) {
		return ks.byType[n]
	}
	return nil
}

// Named returns the component that is replicated under a name, nil if there is none.
func (ks *Kinds) Named(name string) *Component {
	for _, c := range ks.Components {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// MarkCommanded tells the core which nodes commands move: those with a component that they are
// on, or any node, if that one is local.
func (ks *Kinds) MarkCommanded() {
	for i := range ks.Commands {
		c := ks.Of(ks.Commands[i].On)
		for _, o := range ks.Components {
			o.Item.Commanded = o.Item.Commanded || c == nil || c == o
		}
	}
}

// Count returns how many of these components are replicated.
func (ks *Kinds) Count(cs []donburi.IComponentType) (n int) {
	for _, c := range cs {
		if ks.Of(c) != nil {
			n++
		}
	}
	return n
}

// A Component is a replicated component type.
type Component struct {
	Name    string
	Type    donburi.IComponentType
	Wire    reflect.Type  // the tagged type: the component's own, or its stand-in's
	Order   int           // of registration
	Item    *rpl.ItemType // set from the start; its tables are complete once the protocol is open
	StandIn *StandIn      // nil: the component itself is what travels
	Copy    func(dst, src unsafe.Pointer)
	Fresh   func() unsafe.Pointer                               // room for a copy
	Reckon  func(w donburi.World, t rpl.Tick, p unsafe.Pointer) // moves it, on every machine, from the tick before to t; nil: the game's step alone does
	Lists   *deep.Plan                                          // what Copy shares with the original; nil: nothing

	hangs  *uintptr      // where it says whether the entity hangs below another, as donburi's transform does; nil: nowhere
	Notify []int         // props with `notify`
	Drawn  track.Fields  // fields with `interp`
	Pos    []track.Field // the x and y of the node's position; nil without a `pos` prop
}

// A StandIn describes the struct that travels in place of a component that cannot be
// tagged.
type StandIn struct {
	Shares bool // a copy of the component shares memory with it
	Make   func() unsafe.Pointer
	Get    func(e *donburi.Entry, component, w unsafe.Pointer)
	Set    func(e *donburi.Entry, component, w unsafe.Pointer)
}

// Keep copies a component, with its lists and maps, to where nobody else looks.
func (c *Component) Keep(dst, src unsafe.Pointer) {
	if c.Lists == nil {
		c.Copy(dst, src)
		return
	}
	c.Lists.Keep(dst, src)
}

// PutBack makes a component what Keep has kept, but for whether the entity hangs below another: below
// which stands elsewhere, and stays.
func (c *Component) PutBack(dst, src unsafe.Pointer) {
	if c.hangs != nil {
		hangs := (*bool)(unsafe.Add(dst, *c.hangs))
		defer func(now bool) { *hangs = now }(*hangs)
	}
	if c.Lists == nil {
		c.Copy(dst, src)
		return
	}
	c.Lists.PutBack(dst, src)
}

// Finish fills in what is known only after the item type is compiled.
func (c *Component) Finish() error {
	if at, ok := donburix.HangsAt(c.Type.Typ()); ok {
		c.hangs = &at
	}
	for i := range c.Item.Props {
		p := &c.Item.Props[i]
		if p.Notify {
			c.Notify = append(c.Notify, i)
		}
		if p.Interp {
			fs, err := track.FieldsOf(c.Name, c.Wire, c.Item, p)
			if err != nil {
				return err
			}
			c.Drawn.Add(fs)
			c.Drawn.InPlace = c.Drawn.InPlace || p.InPlace
		}
	}
	for _, w := range c.Item.Pos {
		if w < 0 {
			break
		}
		p := &c.Item.Props[c.Item.Words[w].Prop] // the vector, or x and y each its own
		fs, err := track.FieldsOf(c.Name, c.Wire, c.Item, p)
		if err != nil {
			return err
		}
		c.Pos = append(c.Pos, fs[w-p.Words[0]])
	}
	return nil
}
