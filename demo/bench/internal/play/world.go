package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// A world is the state that is replicated, with the authority that replicates it.
type world interface {
	// name is the report's word for how the authority reads the world.
	name() string
	// unit is how many of the trace's units one unit of the item's position is.
	unit() float64
	schema() *rpl.Schema
	core() *rpl.Authority
	// layout returns how the item's words map to the trace's fields.
	layout() (*layout, error)
	// write puts a tick of a trace into the world. It stands for the game's step and is
	// not measured.
	write(t *trace.Trace, tick int)
	// clear empties the world: the next step removes its nodes.
	clear()
	// step runs a tick of the authority up to Schedule, and calls w after each stage.
	// It is measured.
	step(now time.Duration, tick rpl.Tick, send bool, w watcher)
	// report calls r for each node that the step removed or made.
	report(r register)
}

// A watcher's methods are called when the stages of a tick have ended.
type watcher interface {
	received()
	extracted()
	streamed()
	scheduled()
}

// A register's methods are called for each node that was removed or made, with its
// slot.
type register interface {
	gone(slot int, n rpl.Node)
	born(slot int, n rpl.Node)
}

// newWorld chooses the world for a trace: if the fields are the generator's, a game
// with a donburi world and package ecs (donburiWorld); otherwise the trace's rows
// themselves (directWorld).
func newWorld(t *trace.Trace, c rpl.AuthorityConfig, explicit bool) (world, error) {
	if isGenerated(t) {
		return newDonburiWorld(t, c, explicit)
	}
	return newDirectWorld(t, c)
}
