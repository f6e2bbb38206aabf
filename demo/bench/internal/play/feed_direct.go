package play

import (
	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// directFeed hands the trace's rows to the authority as they are: the item is
// made by the schema's builder from the trace's header.
type directFeed struct {
	t     *trace.Trace
	item  *rpl.ItemType
	tick  int // written and not yet extracted; -1 is an empty world
	slots []directSlot
	spawn rpl.Spawn
	order []int   // of the trace's fields in the item
	words []int32 // scratch
}

type directSlot struct {
	node rpl.Node
	item rpl.Item
}

func newDirectFeed(s *rpl.Schema, t *trace.Trace) *directFeed {
	b := s.Build("entity")
	order := fieldOrder(t)
	for _, i := range order {
		f := t.Fields[i]
		if f.Role == trace.Angle {
			b.Angle(f.Name, f.Min, f.Max)
		} else {
			b.Int(f.Name, f.Min, f.Max)
		}
	}
	name := func(r trace.Role) string {
		if i := t.Column(r); i >= 0 {
			return t.Fields[i].Name
		}
		return ""
	}
	if x, y := name(trace.PosX), name(trace.PosY); x != "" {
		b.Pos(x, y)
		if v := name(trace.VelX); v != "" {
			b.Predict(x, v, true)
		}
		if v := name(trace.VelY); v != "" {
			b.Predict(y, v, true)
		}
	}
	f := &directFeed{item: b.Done(), order: order, words: make([]int32, len(order))}
	f.spawn.Items = []*rpl.ItemType{f.item}
	return f
}

// fieldOrder is the trace's fields but the first, in the order of the item's
// props: as they stand, but that the schema wants x before y.
func fieldOrder(t *trace.Trace) []int {
	var order []int
	for i := 1; i < len(t.Fields); i++ {
		order = append(order, i)
	}
	if x, y := t.Column(trace.PosX), t.Column(trace.PosY); y >= 0 && y < x {
		order[x-1], order[y-1] = y, x
	}
	return order
}

func (f *directFeed) name() string  { return "direct" }
func (f *directFeed) unit() float64 { return 1 }

func (f *directFeed) layout() (*layout, error) {
	fields := map[string]fieldUnit{}
	for i := range f.item.Props {
		fields[f.item.Props[i].Name] = fieldUnit{f.order[i], 1}
	}
	return newLayout(f.item, fields)
}

func (f *directFeed) write(t *trace.Trace, tick int) { f.t, f.tick = t, tick }
func (f *directFeed) clear()                         { f.tick = -1 }

func (f *directFeed) extract(a *rpl.Authority, n *nodes) error {
	for len(f.slots) < f.t.Slots {
		f.slots = append(f.slots, directSlot{})
	}
	for slot := range f.slots {
		s := &f.slots[slot]
		if f.tick < 0 || slot >= f.t.Slots || !f.t.Alive(f.tick, slot) {
			if s.node != 0 {
				a.Remove(s.node)
				n.gone(slot, s.node)
				*s = directSlot{}
			}
			continue
		}
		if s.node == 0 {
			node, err := a.Spawn(f.spawn)
			if err != nil {
				return err
			}
			item, _ := a.Item(node, 0)
			*s = directSlot{node, item}
			n.born(slot, node)
		}
		row := f.t.Row(f.tick, slot)
		for i, k := range f.order {
			f.words[i] = row[k]
		}
		a.SetWords(s.item, f.words)
	}
	return nil
}
