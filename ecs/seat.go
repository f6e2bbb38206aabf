package ecs

// seat: a peer as its server keeps it, and what happens when a peer comes and goes.

import (
	"errors"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A seat is one peer's place on the server. It is kept for a while after the peer is
// lost.
type seat struct {
	peer   rpl.Peer
	key    clientKey
	conn   transport.Conn // nil while there is none
	hello  []byte
	in     bool         // its side of the level is built and the core streams to it
	untold bool         // the peer could not be told the level yet
	built  uint32       // the newest level of which the peer has said that it is built, at first that of the welcome
	joined bool         // OnJoin has run, in this level
	known  bool         // OnJoin has run in some level, so the game is told when the peer leaves
	after  uint64       // datagrams up to this sequence number belong to an earlier level
	gone   error        // why the peer leaves; the seat is about to be taken away
	points [][2]float64 // the points it looks from, at this send
	meter  meter
	member membership
	absence
}

func (r *Replication) seatOf(p rpl.Peer) *seat {
	for _, s := range r.seats {
		if s.peer == p {
			return s
		}
	}
	return nil
}

func (r *Replication) seatAt(c transport.Conn) *seat {
	for _, s := range r.seats {
		if s.conn == c {
			return s
		}
	}
	return nil
}

// canOwn reports whether a peer can be given nodes: it is in, or its seat is kept for it.
func (r *Replication) canOwn(p rpl.Peer) bool {
	s := r.seatOf(p)
	return s != nil && s.gone == nil && (s.in || s.lost)
}

// Kick ends a peer's connection, on the authority, and tells it the reason, of which at
// most 200 bytes are sent. OnLeave follows in this Receive or the next, for a lost peer
// too. A peer that is not there, and this machine's own player, are ignored, and so is
// every call on a client.
func (r *Replication) Kick(p rpl.Peer, reason string) {
	s := r.seatOf(p)
	if s == nil || s.gone != nil {
		return
	}
	s.gone = because(transport.ErrKicked, reason)
	if s.conn != nil {
		s.conn.Close(reason)
	}
	if s.next != nil {
		s.next.conn.Close(reason)
	}
}

// serverInbox handles what a server's link delivers. It calls no game code: that waits
// until everything has been received.
type serverInbox struct{ *Replication }

func (r serverInbox) Connected(c transport.Conn, hello []byte) {
	k, said, err := parseHello(hello)
	if err != nil {
		*r.Counter("hello refused")++
		r.turnedAway(c.Stats().Remote, err)
		c.Close(err.Error())
		return
	}
	if s := r.seatWith(k); s != nil {
		if s.known {
			s.takeOver(&handshake{conn: c, hello: slices.Clone(said)})
			return
		}
		s.gone = errors.New(reasonTaken) // the game never heard of it
		s.conn.Close(reasonTaken)
	}
	if r.full(r.seated(func(s *seat) bool { return true })) {
		r.turnedAway(c.Stats().Remote, transport.ErrFull)
		c.Close(transport.ErrFull.Error())
		return
	}
	r.lastPeer++
	s := &seat{peer: r.lastPeer, key: k, conn: c, hello: slices.Clone(said)}
	r.seats = append(r.seats, s)
	r.tellLevel(s, true)
}

// room answers transport.Offer: whether one more client is let in. Kept seats count as
// taken, except for the clients that come for them.
func (r *Replication) room(hello []byte, conns int) bool {
	if k, _, err := parseHello(hello); err == nil {
		if s := r.seatWith(k); s != nil && s.known {
			return true
		}
	}
	return !r.full(conns + r.seated(func(s *seat) bool { return s.conn == nil || s.broke != nil }))
}

// full reports whether there is no place left beside so many others.
func (r *Replication) full(others int) bool {
	limit := r.config.MaxPeers
	if limit == 0 {
		limit = transport.MaxPeers
	}
	return r.locals()+others >= limit
}

// seated counts the seats for which kind is true, without those being emptied.
func (r *Replication) seated(kind func(s *seat) bool) (n int) {
	for _, s := range r.seats {
		if s.gone == nil && kind(s) {
			n++
		}
	}
	return n
}

// locals returns how many players this machine itself has, 0 or 1.
func (r *Replication) locals() int {
	if r.me != 0 {
		return 1
	}
	return 0
}

// tellLevel tells a peer which level to build; the first time with its welcome. If the
// peer's lane is full of calls, a later send tells it. So it does if the peer has built
// none of so many levels that their epochs, in messages, might be mistaken.
func (r *Replication) tellLevel(s *seat, first bool) {
	if first {
		s.built = r.epoch
	} else if r.epoch-s.built >= epochs {
		s.untold = true
		return
	}
	m := levelMessage{epoch: uint8(r.epoch), name: r.level}
	m.after, _ = s.conn.Next()
	var msg []byte
	if first {
		msg = appendWelcome(nil, welcome{
			peer: s.peer, tick: r.tick, steps: uint16(r.config.Steps), sends: uint16(r.config.Sends), host: r.me, level: m,
		})
	} else {
		msg = appendLevel(nil, m)
	}
	err := s.conn.Reliable(msg)
	switch {
	case err == nil:
		s.untold = false
	case first: // the lane of a new connection is empty
		r.report("session message not sent", err)
		s.conn.Close("the reliable lane is full")
	case !s.untold:
		s.untold = true
		r.report("session message not sent", err)
	}
}

func (r serverInbox) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	if s := r.seatAt(c); s != nil && s.in && seq > s.after {
		r.refuse("packet refused", r.auth.Receive(s.peer, seq, r.linkBase+at, b))
	}
}

func (r serverInbox) Message(c transport.Conn, b []byte) {
	s := r.seatAt(c)
	switch {
	case s == nil || len(b) == 0:
	case b[0] < firstMessage:
		if !s.in { // a call of an earlier level is void
			*r.Counter("rpc dropped")++
			return
		}
		r.refuse("message refused", r.auth.ReceiveMessage(s.peer, b))
	case b[0] == msgReady:
		m, err := parseReady(b)
		if err != nil {
			r.refuse("message refused", err)
			return
		}
		s.built += uint32(m.epoch - uint8(s.built)) // it was told of less than epochs levels since
		if s.built == r.epoch && !s.in {
			r.tellNames(c, m.names)
			if err := r.auth.Connect(s.peer); err != nil {
				r.report("peer not connected", err)
				c.Close("the server could not take you in")
				return
			}
			s.in, s.after = true, m.after
			r.seatGroups(s)
		}
	case b[0] == msgAsk:
		r.refuse("message refused", r.asked(s, b))
	default:
		*r.Counter("message refused")++
	}
}

func (r serverInbox) Closed(c transport.Conn, err error) {
	for _, s := range r.seats {
		switch {
		case s.next != nil && s.next.conn == c:
			if s.next = nil; s.gone == nil && !mayReturn(err) {
				s.gone = err
			}
		case s.conn != c || s.gone != nil || s.broke != nil:
		case s.known && mayReturn(err):
			s.broke = err
		default:
			s.gone = err
		}
	}
}

// arrivals tells the game which peers have joined or are back: those whose side of the
// level has been built.
func (r *Replication) arrivals() {
	for _, s := range slices.Clone(r.seats) {
		if !s.in || s.gone != nil || s.broke != nil {
			continue
		}
		if s.lost {
			r.back(s)
		}
		if !s.joined && s.gone == nil {
			if !s.known { // after Load everyone joins again, and nobody has come
				r.config.Log.Info("joined", "peer", s.peer, "remote", s.conn.Stats().Remote)
			}
			s.joined, s.known = true, true
			r.join(s.peer)
		}
	}
}

func (r *Replication) join(p rpl.Peer) {
	for _, fn := range r.hooks.join {
		fn(p)
	}
}

// empty takes a seat away: OnLeave runs, then the peer's nodes end or pass to nobody,
// then its stream ends.
func (r *Replication) empty(s *seat) {
	if s.known {
		r.config.Log.Info("left", "peer", s.peer, "why", s.gone)
		for _, fn := range r.hooks.leave {
			fn(s.peer)
		}
	}
	r.orphaned(s.peer)
	if s.in {
		r.auth.Disconnect(s.peer)
	}
	r.seats = slices.DeleteFunc(r.seats, func(o *seat) bool { return o == s })
}
