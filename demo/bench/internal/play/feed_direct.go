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
}

type directSlot struct {
	node rpl.Node
	item rpl.Item
}

func newDirectFeed(s *rpl.Schema, t *trace.Trace) *directFeed {
	b := s.Build("entity")
	for _, f := range t.Fields[1:] {
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
	f := &directFeed{item: b.Done()}
	f.spawn.Items = []*rpl.ItemType{f.item}
	return f
}

func (f *directFeed) name() string  { return "direct" }
func (f *directFeed) unit() float64 { return 1 }

func (f *directFeed) layout() (*layout, error) {
	fields := map[string]fieldUnit{}
	for i := range f.item.Props {
		fields[f.item.Props[i].Name] = fieldUnit{i + 1, 1}
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
		a.SetWords(s.item, f.t.Row(f.tick, slot)[1:])
	}
	return nil
}
