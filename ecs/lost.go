package ecs

// lost: a peer whose connection has broken keeps its seat, its nodes and its
// groups for a while. It takes them back by coming with the same key, also
// where this machine has not noticed yet that it was away.

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// An absence is what a seat keeps of a peer that is not there.
type absence struct {
	broke error         // why the connection has ended, until the game is told
	next  *handshake    // a client that has come for the seat, until it is given
	lost  bool          // OnLost has run, and OnBack has not
	since time.Duration // when it did, in the session's time
	until time.Duration // while there is no connection: when the peer leaves
}

// A handshake is a client that asks for a seat that is kept.
type handshake struct {
	conn  transport.Conn
	hello []byte
}

// mayReturn reports whether what has ended a connection is no end: nobody has
// said that it is over.
func mayReturn(err error) bool {
	return errors.Is(err, transport.ErrTimeout) || errors.Is(err, transport.ErrSocket)
}

// seatWith is the seat that is kept for a key.
func (r *Replication) seatWith(k clientKey) *seat {
	for _, s := range r.seats {
		if s.key == k && s.gone == nil {
			return s
		}
	}
	return nil
}

// takeOver lets a client take its seat back, when all that has come is done:
// what its old connection has brought counts, what it brings later does not.
func (s *seat) takeOver(h *handshake) {
	switch {
	case s.next != nil:
		s.next.conn.Close(reasonTaken)
	case s.conn != nil:
		s.conn.Close(reasonTaken)
		s.broke = errors.New(reasonTaken)
	}
	s.next = h
}

const reasonTaken = "a new connection of the same client takes its place"

// unreachable reports whether nothing can be sent to a peer that has a seat, as it
// is lost, leaving, or not there yet: calls to it are dropped, and counted here.
func (r *Replication) unreachable(p rpl.Peer) bool {
	s := r.seatOf(p)
	if s == nil || s.in && s.gone == nil {
		return false
	}
	*r.Counter("rpc dropped")++
	return true
}

// departures tells the game which peers are lost and have left, and lets in those that
// have come for a seat. It runs after the calls that came: those were made before.
func (r *Replication) departures() {
	for _, s := range slices.Clone(r.seats) {
		if s.gone == nil && s.broke != nil {
			r.lose(s)
		}
		if s.gone == nil && s.next != nil {
			s.conn, s.hello, s.meter, s.next = s.next.conn, s.next.hello, meter{}, nil
			r.tellLevel(s, true)
		}
		if s.gone == nil && s.lost && s.conn == nil && r.now() >= s.until {
			s.gone = fmt.Errorf("%w: lost, and not back in %v", transport.ErrTimeout, graceTime)
		}
		if s.gone != nil {
			r.empty(s)
		}
	}
}

// lose ends a peer's stream and keeps the rest. A peer whose next connection
// breaks before it is back has been lost all the time.
func (r *Replication) lose(s *seat) {
	why := s.broke
	s.broke = nil
	if s.in {
		r.auth.Suspend(s.peer)
		s.in = false
	}
	s.conn = nil
	s.until = r.now() + graceTime
	if s.lost {
		return
	}
	s.lost, s.since = true, r.now()
	r.config.Log.Info("lost", "peer", s.peer, "why", why)
	for _, fn := range r.hooks.lost {
		fn(s.peer)
	}
}

// back is a lost peer whose side of the level is built: it is there again.
func (r *Replication) back(s *seat) {
	s.lost = false
	r.config.Log.Info("back", "peer", s.peer, "remote", s.conn.Stats().Remote, "after", r.now()-s.since)
	for _, fn := range r.hooks.back {
		fn(s.peer)
	}
}
