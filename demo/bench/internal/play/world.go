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
}

// A watcher is told when each stage of a tick has ended. After extracted it is
// told which nodes were removed and made, and then that it knows them all.
type watcher interface {
	received()
	extracted()
	gone(slot int, n rpl.Node)
	born(slot int, n rpl.Node)
	known()
	streamed()
	scheduled()
}

// newWorld chooses the world for a trace: a game's, with a donburi world and
// package ecs, where the fields are those of the generator; else the trace
// itself.
func newWorld(t *trace.Trace, c rpl.Config) (world, error) {
	if isGenerated(t) {
		return newDonburiWorld(t, c)
	}
	return newDirectWorld(t, c)
}
