package play

import (
	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// A feed is the world that the authority replicates.
type feed interface {
	// name is what the report calls it.
	name() string
	// unit is how many of the trace's units one unit of the item's position is.
	unit() float64
	// layout tells how the item's words are the trace's fields.
	layout() (*layout, error)
	// write puts a tick of a trace into the world: the game's step, which is not
	// measured.
	write(t *trace.Trace, tick int)
	// clear empties the world.
	clear()
	// extract is measured: it tells the authority what is new, gone and changed.
	extract(a *rpl.Authority, n *nodes) error
}

// nodes tells which node was made for which slot, as the feed reports it.
type nodes struct {
	born func(slot int, n rpl.Node)
	gone func(slot int, n rpl.Node)
}

// newFeed chooses the world for a trace: a donburi world where the fields are
// those of the generator, else the trace itself.
func newFeed(s *rpl.Schema, t *trace.Trace) feed {
	if isGenerated(t) {
		return newDonburiFeed(s, t)
	}
	return newDirectFeed(s, t)
}
