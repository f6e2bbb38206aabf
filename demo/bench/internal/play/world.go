package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// A world is what is replicated, with the core that does it.
type world interface {
	// name is what the report calls the way in which the core reads it.
	name() string
	// unit is how many of the trace's units one unit of the item's position is.
	unit() float64
	schema() *rpl.Schema
	core() *rpl.Authority
	// layout tells how the item's words are the trace's fields.
	layout() (*layout, error)
	// write puts a tick of a trace into the world: the game's step, which is not
	// measured.
	write(t *trace.Trace, tick int)
	// clear empties the world.
	clear()
	// step runs a tick of the authority up to Schedule, and tells w after each
	// stage; it is measured.
	step(now time.Duration, tick rpl.Tick, send bool, w watcher)
	// report tells which nodes the step removed and made.
	report(r register)
}

// A watcher is told when each stage of a tick has ended.
type watcher interface {
	received()
	extracted()
	streamed()
	scheduled()
}

// A register is told which node was removed of which slot, and which was made.
type register interface {
	gone(slot int, n rpl.Node)
	born(slot int, n rpl.Node)
}

// newWorld chooses the world for a trace: a game's, with a donburi world and
// package ecs, where the fields are those of the generator; else the trace
// itself.
func newWorld(t *trace.Trace, c rpl.AuthorityConfig, explicit bool) (world, error) {
	if isGenerated(t) {
		return newDonburiWorld(t, c, explicit)
	}
	return newDirectWorld(t, c)
}
