package ecs

// Wake and OnWake: what happens at a tick that is known beforehand.

import (
	"cmp"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/wakes"
	"github.com/tendonengine/tendon/rpl"
)

// waking is what sleeps in a session.
type waking struct {
	all   wakes.Set
	due   []uint64 // entities of a predicted node
	hooks []callbacks.On[func(Call)]
	valid func(donburi.Entity) bool
}

// wakeCommand is the number of the command of which Call.Once and Prefab.Predict take the effects
// of a wake to be: no protocol has so many.
const wakeCommand = 1 << 24

// Wake schedules OnWake for an entity at the beginning of the step of a tick; a tick that is not ahead counts
// as the next. The entity is woken once for each tick that it was given, unless by then it has been removed,
// or is no longer the node that it was; a new level drops all wakes. A step costs what is due in it, however
// many wait.
//
// The authority may wake any entity; a client a local one, and, from a command's Apply or from OnWake, a node
// that it predicts: that wake is part of the prediction, and runs again, with Call.Replay, where a correction
// runs its tick again. For other proxies Wake does nothing: the authority wakes them. In a prefab's function
// it is too early: nobody knows yet whose the entity will be. A client does not learn of the authority's
// wakes, so keep what a rule waits for in a replicated field, and let OnWake look at it.
func Wake(e *donburi.Entry, at rpl.Tick) {
	r, n := nodeAt(e)
	switch {
	case r == nil:
	case n != nil && n.Predicted != nil:
		now, asked := rpl.Tick(r.commands.lead.Tick()), r.commands.playing
		next := now + 1
		if asked != 0 {
			next = asked + 1 // also in a replay
		}
		n.Predicted.Wakes.Add(uint64(e.Entity()), max(at, next), asked, now-min(now, predict.Ticks))
	case n == nil || r.shared.Auth != nil:
		r.wakes.all.Add(wakes.Woken{Entity: e.Entity(), Node: r.nodes.NodeOf(uint64(e.Entity()))}, max(at, r.shared.Tick+1), r.wakes.valid)
	}
}

// OnWake runs for an entity with the component at the tick that Wake was given: at the beginning
// of the step, before the commands of that tick. Nodes of one tick are woken in the order of
// IDs, then local entities.
func (r *Replication) OnWake(c donburi.IComponentType, fn func(Call)) {
	mustBeMade("OnWake", r)
	r.wakes.hooks = append(r.wakes.hooks, on(c, "OnWake", fn))
}

// wakeUp wakes what is due in this step, but for what is predicted.
func (r *Replication) wakeUp() {
	due := r.wakes.all.Due(r.shared.Tick)
	slices.SortStableFunc(due, func(a, b wakes.Woken) int { // local entities last: 0 - 1 is more than any
		return cmp.Compare(r.nodes.NodeOf(uint64(a.Entity))-1, r.nodes.NodeOf(uint64(b.Entity))-1)
	})
	for _, d := range due {
		n := r.nodes.Of(d.Entity)
		if r.shared.World.Valid(d.Entity) && (d.Node == 0 || n != nil && n.ID == d.Node) && IsAuthority(r.shared.World.Entry(d.Entity)) {
			r.wake(r.shared.World.Entry(d.Entity), n, r.shared.Tick, false)
		}
	}
}

// wakePredicted wakes what is predicted and due in a tick.
func (r *Replication) wakePredicted(t rpl.Tick, replay bool) {
	for i := 0; i < len(r.predict.all); i++ { // a wake may predict more
		if n := r.predict.all[i]; len(n.Predicted.Wakes) > 0 && !n.Predicted.Gone && r.nodes.Of(n.Entity) == n {
			r.wakes.due = n.Predicted.Wakes.Due(t, r.wakes.due[:0])
			for _, at := range r.wakes.due {
				if ent := donburi.Entity(at); r.shared.World.Valid(ent) && r.nodes.Of(ent) == n {
					r.wake(r.shared.World.Entry(ent), n, t, replay)
				}
			}
		}
	}
}

func (r *Replication) wake(e *donburi.Entry, n *nodes.Node, t rpl.Tick, replay bool) {
	c := Call{Entry: e, Tick: t, Replay: replay}
	if n != nil {
		c.From, c.name = n.Owner, predict.Name{Node: n.RunsAs(), Tick: t, Command: wakeCommand}
	}
	ent := e.Entity()
	for i := range r.wakes.hooks {
		if h := &r.wakes.hooks[i]; r.shared.World.Valid(ent) && r.shared.World.Entry(ent).HasComponent(h.Component) {
			h.Call(c)
		}
	}
}
