package store

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Streaming says how a node is sent to peers.
type Streaming struct {
	Weight    float32       // priority against other nodes; 0 means 1, at most MaxWeight
	Relevance ids.Relevance // which peers get the node
	Hz        uint8         // state updates per second at most; 0 means every send
	Keep      bool          // when its owner leaves the node stays, with no owner; else it is removed
}

// Check reports whether the fields are in range: it returns the error with which Spawn
// and SetStreaming would refuse them. An unknown Relevance is refused, as it does not
// say who may see the node.
func (s *Streaming) Check() error {
	switch {
	case s.Relevance > ids.Grouped:
		return fmt.Errorf("relevance %d: %w; there are Near, Always, OwnerOnly and Grouped", s.Relevance, ids.ErrRange)
	case !(s.Weight >= 0 && s.Weight <= wire.MaxWeight):
		return fmt.Errorf("weight %v: %w; weights are 0 (for 1) to %v, priority against other nodes", s.Weight, ids.ErrRange, wire.MaxWeight)
	}
	return nil
}

// Complete returns the same with defaults filled in.
func (s Streaming) Complete() Streaming {
	if s.Weight == 0 {
		s.Weight = 1
	}
	return s
}

// Sends is how many sends after an update of a node with a rate of its own the next one may leave, at so many ticks and
// sends a second.
func (s *Streaming) Sends(ticks, sends int) int {
	every := (ticks + sends - 1) / sends
	return max(1, ((ticks+int(s.Hz)-1)/int(s.Hz)+every-1)/every)
}
