package play

import (
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/demo/bench/trace"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// unlimited is the budget if none is asked for, because every session of package ecs
// has one.
const unlimited = 1 << 30

// donburiWorld is a game's dedicated server: a donburi world with an entity for each
// living slot, and the session of package ecs that replicates it. The bench connects
// its peers directly to the session's authority.
type donburiWorld struct {
	w     donburi.World
	rep   *tendon.Replication
	s     *rpl.Schema
	c     *donburi.ComponentType[unit]
	units []*unit       // by slot: its component; nil while the slot is dead
	slots []written     // by slot
	dying []int         // slots whose entities the step will remove, or has removed, until report
	fresh []int         // slots whose new entities the step will find, or has found, until report
	turns []int         // slots whose components have changed, if says
	says  bool          // the game says which components have changed (Options.Explicit)
	now   time.Duration // time of the current step
	watch watcher       // watcher of the current step
}

// written is the entity and the node of a living slot.
type written struct {
	entity donburi.Entity
	node   rpl.Node
}

func newDonburiWorld(t *trace.Trace, c rpl.AuthorityConfig, explicit bool) (*donburiWorld, error) {
	p := tendon.NewProtocol("bench")
	w := &donburiWorld{
		w: donburi.NewWorld(),
		c: tendon.Replicate(p, "unit", donburi.NewComponentType[unit]().SetName("Unit"), unitTags(t, explicit)),
		s: p.Schema(), says: explicit,
	}
	if c.Budget == 0 {
		c.Budget = unlimited
	}
	var err error
	w.rep, err = tendon.New(w.w, p, tendon.Config{
		Interest: c.Interest, Steps: c.Hz, Sends: c.SendHz, Budget: c.Budget, Dedicated: true,
	})
	if err != nil {
		return nil, err
	}
	w.rep.Host(hosting{w})
	for stage, tell := range map[tendon.Stage]func(watcher){
		tendon.Receive:  watcher.received,
		tendon.Extract:  watcher.extracted,
		tendon.Stream:   watcher.streamed,
		tendon.Schedule: watcher.scheduled,
	} {
		w.rep.After(stage, "stopwatch", func(*tendon.Replication) { tell(w.watch) })
	}
	return w, nil
}

func (w *donburiWorld) name() string             { return "donburi" }
func (w *donburiWorld) unit() float64            { return perUnit }
func (w *donburiWorld) schema() *rpl.Schema      { return w.s }
func (w *donburiWorld) core() *rpl.Authority     { return w.rep.Core() }
func (w *donburiWorld) layout() (*layout, error) { return newLayout(w.s.Items()[0], unitFields()) }

func (w *donburiWorld) write(t *trace.Trace, tick int) {
	for len(w.slots) < t.Slots {
		w.slots, w.units = append(w.slots, written{}), append(w.units, nil)
	}
	for slot, u := range w.units {
		if slot >= t.Slots || !t.Alive(tick, slot) {
			if u != nil {
				w.dying = append(w.dying, slot)
			}
			continue
		}
		if u == nil {
			e := w.w.Create(w.c, components.RplNode, components.Owner, components.Parent)
			u = w.c.Get(w.w.Entry(e))
			w.slots[slot].entity, w.units[slot] = e, u
			w.fresh = append(w.fresh, slot)
		}
		if w.says {
			w.turn(slot, u, t.Row(tick, slot))
			continue
		}
		u.set(t.Row(tick, slot))
	}
}

// turn sets a component from a row, and notes the slot if the component has changed.
func (w *donburiWorld) turn(slot int, u *unit, row []int32) {
	was := *u
	if u.set(row); *u != was {
		w.turns = append(w.turns, slot)
	}
}

func (w *donburiWorld) clear() {
	for slot, u := range w.units {
		if u != nil {
			w.dying = append(w.dying, slot)
		}
	}
}

// step is a step of the session. The game removes entities and says which have changed,
// but the work is the session's, so it is measured, with the extraction.
func (w *donburiWorld) step(now time.Duration, _ rpl.Tick, _ bool, h watcher) {
	w.now, w.watch = now, h
	w.rep.Receive()
	for _, slot := range w.dying {
		w.w.Remove(w.slots[slot].entity)
	}
	for _, slot := range w.turns {
		tendon.Bump(w.w.Entry(w.slots[slot].entity), w.c)
	}
	w.turns = w.turns[:0]
	w.rep.Send()
}

func (w *donburiWorld) report(r register) {
	for _, slot := range w.dying {
		r.gone(slot, w.slots[slot].node)
		w.slots[slot], w.units[slot] = written{}, nil
	}
	for _, slot := range w.fresh {
		s := &w.slots[slot]
		s.node = tendon.ID(w.w.Entry(s.entity))
		r.born(slot, s.node)
	}
	w.dying, w.fresh = w.dying[:0], w.fresh[:0]
}

// hosting is the listener of the session, to which nobody ever connects.
type hosting struct{ w *donburiWorld }

func (h hosting) Listen(transport.Offer) (transport.Link, error) { return idle(h), nil }
func (h hosting) Addr() string                                   { return "bench" }
func (h hosting) Close() error                                   { return nil }

// idle is the link of hosting. Its clock is the bench's.
type idle struct{ w *donburiWorld }

func (l idle) Now() time.Duration     { return l.w.now }
func (l idle) Poll(transport.Handler) {}
func (l idle) Err() error             { return nil }
func (l idle) Close(string)           {}
func (l idle) Wait() error            { return nil }

func (l idle) Counters() (c transport.Counters) { return c }
