package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// directWorld passes the trace's rows to the authority unchanged. Its item type is made
// by the schema builder from the trace's header.
type directWorld struct {
	a     *rpl.Authority
	s     *rpl.Schema
	item  *rpl.ItemType
	spawn rpl.Spawn
	order []int // which field of the trace each prop of the item holds

	t     *trace.Trace
	tick  int // of the trace; -1 is an empty world
	slots []directSlot
	words []int32 // scratch

	made, removed []madeNode // by the last extraction
}

type madeNode struct {
	slot int
	node rpl.Node
}

type directSlot struct {
	node rpl.Node
	item rpl.Item
}

func newDirectWorld(t *trace.Trace, c rpl.AuthorityConfig) (*directWorld, error) {
	w := &directWorld{s: rpl.NewSchema("bench"), order: fieldOrder(t)}
	w.words = make([]int32, len(w.order))
	b := w.s.Build("entity")
	for _, i := range w.order {
		f := t.Fields[i]
		if f.Role == trace.Angle && int64(f.Max)-int64(f.Min) < 1<<31 {
			b.Angle(f.Name, f.Min, f.Max)
		} else { // the schema's angles have fewer values than this turn, so it is sent as a number
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
	w.item = b.Done()
	w.spawn.Items = []*rpl.ItemType{w.item}
	c.Schema = w.s
	var err error
	w.a, err = rpl.NewAuthority(c)
	return w, err
}

// fieldOrder returns the trace's fields without the first, in the order of the item's
// props: the trace's order, except that the schema needs x before y.
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

func (w *directWorld) name() string         { return "direct" }
func (w *directWorld) unit() float64        { return 1 }
func (w *directWorld) schema() *rpl.Schema  { return w.s }
func (w *directWorld) core() *rpl.Authority { return w.a }

func (w *directWorld) layout() (*layout, error) {
	fields := map[string]fieldUnit{}
	for i := range w.item.Props {
		fields[w.item.Props[i].Name] = fieldUnit{w.order[i], 1}
	}
	return newLayout(w.item, fields)
}

func (w *directWorld) write(t *trace.Trace, tick int) { w.t, w.tick = t, tick }
func (w *directWorld) clear()                         { w.tick = -1 }

func (w *directWorld) step(now time.Duration, tick rpl.Tick, send bool, h watcher) {
	w.a.Step(tick)
	h.received()
	w.extract()
	h.extracted()
	if send {
		w.a.Stream(now)
		h.streamed()
		w.a.Schedule(now)
		h.scheduled()
	}
}

func (w *directWorld) report(r register) {
	for _, m := range w.removed {
		r.gone(m.slot, m.node)
	}
	for _, m := range w.made {
		r.born(m.slot, m.node)
	}
}

func (w *directWorld) extract() {
	w.made, w.removed = w.made[:0], w.removed[:0]
	for len(w.slots) < w.t.Slots {
		w.slots = append(w.slots, directSlot{})
	}
	for slot := range w.slots {
		s := &w.slots[slot]
		if w.tick < 0 || slot >= w.t.Slots || !w.t.Alive(w.tick, slot) {
			if s.node != 0 {
				w.a.Remove(s.node)
				w.removed = append(w.removed, madeNode{slot, s.node})
				*s = directSlot{}
			}
			continue
		}
		if s.node == 0 {
			node, err := w.a.Spawn(w.spawn)
			if err != nil {
				continue // the node will be missing at every client, which the report counts
			}
			item, _ := w.a.Item(node, 0)
			*s = directSlot{node, item}
			w.made = append(w.made, madeNode{slot, node})
		}
		row := w.t.Row(w.tick, slot)
		for i, k := range w.order {
			w.words[i] = row[k]
		}
		w.a.SetWords(s.item, w.words)
	}
}
