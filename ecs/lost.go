package ecs

// lost: a peer whose connection has broken keeps its seat, its nodes and its groups for a
// while. A client takes them back by joining with the same identity, even if this machine
// has not noticed yet that the peer was away.

import (
	"errors"
	"fmt"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// An absence is what a seat records of a peer that is away.
type absence struct {
	broke    error         // why the connection ended, until the game is told
	next     *handshake    // a client that has come for the seat, until it gets it
	lost     bool          // it is away: its connection is over, and it is not back
	reported bool          // OnLost has run, and OnBack has not
	since    time.Duration // since when it is lost, in the session's time
	until    time.Duration // when the peer leaves for good, if it is not back
}

// A handshake is a new connection of a client that asks for its kept seat.
type handshake struct {
	conn  transport.Conn
	hello []byte
}

// mayReturn reports whether a peer may come back after its connection ended with this
// error: it timed out or its socket failed, and neither side has closed it.
func mayReturn(err error) bool {
	return errors.Is(err, transport.ErrTimeout) || errors.Is(err, transport.ErrSocket)
}

// seatWith returns the seat of an identity, nil if there is none.
func (ss *seating) seatWith(id transport.Identity) *seat {
	for _, s := range ss.all {
		if s.id == id && s.gone == nil {
			return s
		}
	}
	return nil
}

// takeOver notes that a client has come for its seat; it gets it in departures, after everything received is
// handled. What the old connection has brought counts, what it brings later does not.
func (s *seat) takeOver(h *handshake) {
	switch {
	case s.next != nil:
		s.next.conn.Close(errTaken.Error())
	case s.conn != nil:
		s.conn.Close(errTaken.Error())
		s.broke = errTaken
	}
	s.next = h
}

// departures tells the game which peers are lost and which have left, and gives seats to
// the clients that have come for theirs. It runs after the received calls, which the
// peers made before that.
func (ss *seating) departures() {
	for _, s := range ss.present() {
		if s.gone == nil && s.broke != nil {
			ss.lose(s)
		}
		if s.gone == nil && s.next != nil {
			s.conn, s.hello, s.path, s.meter, s.next = s.next.conn, s.next.hello, rpl.Path{}, meter.Meter{}, nil
			s.calls.Back(ss.line.Now())
			ss.sendLevel(s, true)
		}
		if s.gone == nil && s.lost && !s.in && ss.line.Now() >= s.until {
			s.gone = fmt.Errorf("%w: lost, and not back in %v", transport.ErrTimeout, ss.config.Times.Grace)
			if s.conn != nil {
				s.conn.Close(s.gone.Error())
			}
		}
		if s.gone != nil {
			ss.empty(s)
		}
	}
}

// lose ends a peer's stream and keeps the rest of its seat. If the next connection of a
// lost peer breaks before the peer is back, the peer counts as lost all the time.
func (ss *seating) lose(s *seat) {
	why := s.broke
	s.broke = nil
	if s.in {
		ss.Auth.Suspend(s.peer)
		s.in = false
	}
	s.conn = nil
	if s.lost {
		return
	}
	s.until = ss.line.Now() + ss.config.Times.Grace
	s.lost, s.reported, s.since = true, s.joined, ss.line.Now() // in a level without its OnJoin the game has nothing of it
	ss.config.Log.Info("lost", "peer", s.peer, "why", why)
	if s.reported {
		call(ss.hooks.lost, s.peer)
	}
	ss.keepFew()
}

// keepFew lets go of the seats of who is lost longest, where more are lost than
// Config.MaxLost allows.
func (ss *seating) keepFew() {
	most := ss.config.MaxLost
	for most != 0 && ss.seated(func(s *seat) bool { return s.lost }) > max(0, most) {
		var longest *seat
		for _, s := range ss.all {
			if s.gone == nil && s.lost && (longest == nil || s.since < longest.since) {
				longest = s
			}
		}
		longest.gone = fmt.Errorf("%w: lost, and %d seats are kept at most", transport.ErrTimeout, max(0, most))
		if longest.conn != nil {
			longest.conn.Close(longest.gone.Error())
		}
	}
}

// back tells the game that a lost peer is back, if it knows of the loss: its side of the level is built.
func (ss *seating) back(s *seat) {
	reported := s.reported
	s.lost, s.reported = false, false
	ss.config.Log.Info("back", "peer", s.peer, "remote", s.conn.Stats().Remote, "after", ss.line.Now()-s.since)
	if reported {
		call(ss.hooks.back, s.peer)
	}
}
