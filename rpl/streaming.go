package rpl

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Streaming says how a node is sent to peers.
type Streaming struct {
	Relevance Relevance // which peers get the node
	Weight    float32   // priority against other nodes; 0 means 1, at most MaxWeight
	Hz        uint8     // state updates per second at most; 0 means every send
	Keep      bool      // when its owner leaves the node stays, with no owner; else it is removed
}

// Check reports whether the fields are in range: it returns the error with which Spawn
// and SetStreaming would refuse them. An unknown Relevance is refused, as it does not
// say who may see the node.
func (s *Streaming) Check() error {
	switch {
	case s.Relevance > Grouped:
		return fmt.Errorf("relevance %d: %w; there are Near, Always, OwnerOnly and Grouped", s.Relevance, ErrRange)
	case !(s.Weight >= 0 && s.Weight <= MaxWeight):
		return fmt.Errorf("weight %v: %w; weights are 0 (for 1) to %v, priority against other nodes", s.Weight, ErrRange, MaxWeight)
	}
	return nil
}

// complete returns the same with defaults filled in.
func (s Streaming) complete() Streaming {
	if s.Weight == 0 {
		s.Weight = 1
	}
	return s
}

// SetStreaming changes how a node is sent. If it returns an error nothing has changed.
func (a *Authority) SetStreaming(n Node, s Streaming) error {
	slot, ok := a.slot(n)
	if !ok {
		return fmt.Errorf("rpl: %v: %w", n, ErrNoNode)
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("rpl: %v: %w", n, err)
	}
	nd := &a.nodes[slot]
	was := nd.spawn.Relevance
	nd.spawn.Streaming = s.complete()
	for _, h := range nd.holders {
		if h.handle != wire.NoHandle {
			a.peers[h.peer].entries[h.handle].plain = a.isPlain(nd)
		}
	}
	if was != s.Relevance {
		a.noteGrouped(slot)
		a.noteSecrets(slot)
		a.rejudge(slot)
	}
	return nil
}

// SetTransient sets what Spawn.Transient does: whether the node's state is sent with
// its arrival alone. It is an error to change that once a peer holds the node.
func (a *Authority) SetTransient(n Node, on bool) error {
	slot, ok := a.slot(n)
	if !ok {
		return fmt.Errorf("rpl: %v: %w", n, ErrNoNode)
	}
	nd := &a.nodes[slot]
	if on != nd.transient && len(nd.holders) > 0 {
		return fmt.Errorf("rpl: %v: Transient is changed after others were told of it: %w; say it when the node is made", n, ErrRange)
	}
	nd.transient = on
	return nil
}
