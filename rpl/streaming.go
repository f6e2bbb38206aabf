package rpl

import "fmt"

// Streaming is how a node is told to peers.
type Streaming struct {
	Relevance Relevance // who gets it
	Weight    float32   // priority against other nodes; 0 means 1, at most MaxWeight
	Hz        uint8     // state at most so often; 0 means every send
	Keep      bool      // stays, owned by nobody, when its owner leaves; else it dies
}

// Check is whether a node can be told so: else Spawn and SetStreaming return the same
// error. Who may see a node of a relevance that nobody knows cannot be said.
func (s *Streaming) Check() error {
	switch {
	case s.Relevance > Grouped:
		return fmt.Errorf("relevance %d: %w; there are Near, Always, OwnerOnly and Grouped", s.Relevance, ErrRange)
	case !(s.Weight >= 0 && s.Weight <= MaxWeight):
		return fmt.Errorf("weight %v: %w; weights are 0 (for 1) to %v, priority against other nodes", s.Weight, ErrRange, MaxWeight)
	}
	return nil
}

// complete is the same with what is left open.
func (s Streaming) complete() Streaming {
	if s.Weight == 0 {
		s.Weight = 1
	}
	return s
}

// SetStreaming changes how a node is told. After an error nothing has changed.
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
		if h.handle != noHandle {
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

// SetTransient has the state of a node sent with its arrival alone, or not, as
// Spawn.Transient does: before any peer is told of the node.
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
