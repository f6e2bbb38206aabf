package ecs

// seat: a peer as its server keeps it, and what happens when a peer comes and goes.

import (
	"cmp"
	"slices"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/filling"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/membership"
	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/ecs/internal/observers"
	"github.com/tendonengine/tendon/ecs/internal/patience"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A seating keeps the peers of a server.
type seating struct {
	*shared
	loadTime  *loadtime.Nodes
	extract   *extract.Reader
	groups    *grouping
	hooks     *hooks
	observers observers.Keeper
	line      *line.Line

	all      []*seat                  // of peers that have joined or are joining, in order of their numbers
	now      []*seat                  // holds the result of present
	byConn   map[transport.Conn]*seat // where a connection's seat was found last
	lastPeer rpl.Peer
	refusals faults.Throttle                  // of what the log is told of clients that are not let in
	sends    int                              // counts sends; decides who is served first
	read     struct{ resyncs, noRoom uint64 } // the counts of the core when they were last read
}

// A seat is one peer's place on the server. It is kept for a while after the peer is
// lost.
type seat struct {
	peer        rpl.Peer
	id          transport.Identity // who the peer has proven to be
	conn        transport.Conn     // nil while there is none
	path        rpl.Path           // what the core has measured over conn in the levels before
	hello       []byte
	in          bool   // its side of the level is built and the core streams to it
	levelUnsent bool   // the peer could not be told the level yet
	built       uint32 // the newest level of which the peer has said that it is built, at first that of the welcome
	joined      bool   // OnJoin has run, in this level
	known       bool   // OnJoin has run in some level, so the game is told when the peer leaves
	after       uint64 // datagrams up to this sequence number belong to an earlier level
	gone        error  // why the peer leaves; the seat is about to be taken away
	meter       meter.Meter
	takes       patience.Timer // whether it takes what it is sent
	calls       patience.Calls // that it makes
	member      membership.Groups
	commands    command.Heard
	filling     filling.Filling
	preloads    filling.Preloads
	last        sessionmsg.Recorder // of the level that ends
	absence
}

func (ss *seating) seatOf(p rpl.Peer) *seat {
	i, found := slices.BinarySearchFunc(ss.all, p, func(s *seat, p rpl.Peer) int { return cmp.Compare(s.peer, p) })
	if !found {
		return nil
	}
	return ss.all[i]
}

func (ss *seating) seatAt(c transport.Conn) *seat {
	if s := ss.byConn[c]; s != nil && s.conn == c {
		return s
	}
	for _, s := range ss.all {
		if s.conn == c {
			if len(ss.byConn) > 2*len(ss.all) { // it has connections that have ended
				clear(ss.byConn)
			}
			if ss.byConn == nil {
				ss.byConn = make(map[transport.Conn]*seat)
			}
			ss.byConn[c] = s
			return s
		}
	}
	return nil
}

// present returns the seats as they are now, for callers that take some away meanwhile. It
// is valid until the next call.
func (ss *seating) present() []*seat {
	ss.now = append(ss.now[:0], ss.all...)
	return ss.now
}

// canOwn reports whether a peer can be given nodes: it is in, or its seat is kept for it.
func (ss *seating) canOwn(p rpl.Peer) bool {
	s := ss.seatOf(p)
	return s != nil && s.gone == nil && (s.in || s.lost)
}

// Kick ends a peer's connection, on the authority, and tells it the reason, of which at
// most 200 bytes are sent. OnLeave follows in this Receive or the next, for a lost peer
// too. A peer that is not there, and this machine's own player, are ignored, and so is
// every call on a client.
func (r *Replication) Kick(p rpl.Peer, reason string) {
	mustBeMade("Kick", r)
	s := r.seats.seatOf(p)
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

// Connected, Datagram, Message and Closed are what a server's link delivers. They call no
// game code: that waits until everything has been received.

func (ss *seating) Connected(c transport.Conn, hello []byte) {
	if s := ss.seatWith(c.Identity()); s != nil {
		if s.known {
			s.takeOver(&handshake{conn: c, hello: slices.Clone(hello)})
			return
		}
		s.gone = errTaken // the game never heard of it
		s.conn.Close(errTaken.Error())
	}
	if ss.full(ss.seated(func(s *seat) bool { return true })) {
		ss.turnedAway(c.Stats().Remote, transport.ErrFull)
		c.Close(transport.ErrFull.Error())
		return
	}
	ss.lastPeer++
	s := &seat{peer: ss.lastPeer, id: c.Identity(), conn: c, hello: slices.Clone(hello), calls: patience.CallsSince(ss.line.Now())}
	ss.all = append(ss.all, s)
	ss.sendLevel(s, true)
}

// room answers transport.Offer: whether one more client is let in. Kept seats count as
// taken, except for the clients that come for them.
func (ss *seating) room(_ []byte, id transport.Identity, conns int) bool {
	if s := ss.seatWith(id); s != nil && s.known {
		return true
	}
	return !ss.full(conns + ss.seated(func(s *seat) bool { return s.conn == nil || s.broke != nil }))
}

// full reports whether there is no place left beside so many others.
func (ss *seating) full(others int) bool { return ss.locals()+others >= ss.limit() }

// limit is how many players there may be, this machine's own included.
func (ss *seating) limit() int { return cmp.Or(ss.config.MaxPeers, transport.MaxPeers) }

// turnedAway counts a client that was not let in, and logs it. Anybody who knows the address
// can cause refusals, without limit and under any name, so few of them are logged.
func (ss *seating) turnedAway(remote any, why error) {
	ss.Faults.Count("client refused")
	untold, ok := ss.refusals.Pass(ss.line.Now())
	if !ok {
		return
	}
	args := []any{"remote", remote, "why", why}
	if untold > 0 {
		args = append(args, "untold", untold)
	}
	ss.config.Log.Info("refused", args...)
}

// seated counts the seats for which kind is true, without those being emptied.
func (ss *seating) seated(kind func(s *seat) bool) (n int) {
	for _, s := range ss.all {
		if s.gone == nil && kind(s) {
			n++
		}
	}
	return n
}

// locals returns how many players this machine itself has, 0 or 1.
func (ss *seating) locals() int {
	if ss.Me != 0 {
		return 1
	}
	return 0
}

// sendLevel tells a peer which level to build; the first time with its welcome. If the
// peer's lane is full of calls, a later send tells it. So it does if the peer has built
// none of so many levels that their epochs, in messages, might be mistaken.
func (ss *seating) sendLevel(s *seat, first bool) {
	if first {
		s.built = ss.epoch
	} else if ss.epoch-s.built >= epochs {
		s.levelUnsent = true
		return
	}
	m := sessionmsg.Level{Epoch: uint8(ss.epoch), After: s.conn.Sent(), Name: ss.level}
	var msg []byte
	if first {
		msg = sessionmsg.AppendWelcome(nil, sessionmsg.Welcome{
			Peer: s.peer, Tick: ss.Tick, Steps: uint16(ss.config.Steps), Sends: uint16(ss.config.Sends), Host: ss.Me, Rewinds: len(ss.config.Rewind) > 0, Level: m,
		})
	} else {
		msg = sessionmsg.AppendLevel(nil, m)
	}
	err := sessionmsg.Send(s.conn, msg)
	switch {
	case err == nil:
		s.levelUnsent = false
	case first: // the lane of a new connection is empty
		ss.Faults.Report("session message not sent", err)
		s.conn.Close("the reliable lane is full")
	case !s.levelUnsent:
		s.levelUnsent = true
		ss.Faults.Report("session message not sent", err)
	}
}

// sendProgress tells the peers that do not have all yet, once a send is planned and before it
// leaves: behind all that comes first, the number would come late on a narrow line. It sees what they have by now
// of the places that they preload.
func (ss *seating) sendProgress() {
	for _, s := range ss.all {
		if s.in && s.conn != nil {
			s.preloads.Planned(ss.Auth, s.peer, ss.Tick, ss.line.Now(), ss.sends)
			s.filling.Send(ss.Auth, s.peer, ss.Tick, ss.line.Now(), s.conn.Reliable, s.conn.Flush)
		}
	}
}

func (ss *seating) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	if s := ss.seatAt(c); s != nil && s.in && seq > s.after {
		s.commands.Received = ss.line.At(at)
		ss.Faults.Refuse("packet refused", ss.Auth.Receive(s.peer, seq, ss.line.At(at), b))
	}
}

func (ss *seating) Message(c transport.Conn, b []byte) {
	s := ss.seatAt(c)
	switch {
	case s == nil || len(b) == 0:
	case b[0] < sessionmsg.First:
		if !s.in { // a call of an earlier level is void
			ss.Faults.Count("rpc dropped")
			return
		}
		ss.Faults.Refuse("message refused", ss.Auth.ReceiveMessage(s.peer, b))
	case b[0] == sessionmsg.TypeReady:
		m, err := sessionmsg.ParseReady(b)
		if err != nil {
			ss.Faults.Refuse("message refused", err)
			return
		}
		s.built += uint32(m.Epoch - uint8(s.built)) // it was told of less than epochs levels since
		if s.built == ss.epoch && !s.in {
			ss.loadTime.SendNames(c, m.Names)
			if err := ss.Auth.Connect(s.peer); err != nil {
				ss.Faults.Report("peer not connected", err)
				c.Close("the server could not take you in")
				return
			}
			ss.Auth.SetPath(s.peer, s.path)
			ss.Auth.Carries(s.peer, c.Stats().PathRate)
			s.in, s.after, s.filling, s.preloads, s.commands.Predicts = true, m.After, filling.Filling{}, nil, false
			ss.observers.Again()
			c.Joined()
			ss.groups.seatGroups(s)
		}
	case b[0] == sessionmsg.TypeAsk:
		ss.Faults.Refuse("message refused", ss.groups.asked(s, b))
	default:
		ss.Faults.Count("message refused")
	}
}

func (ss *seating) Closed(c transport.Conn, err error) {
	for _, s := range ss.all {
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
func (ss *seating) arrivals() {
	for _, s := range ss.present() {
		if !s.in || s.gone != nil || s.broke != nil {
			continue
		}
		if s.lost {
			ss.back(s)
		}
		if !s.joined && s.gone == nil {
			if !s.known { // after Load everyone joins again, and nobody has come
				ss.config.Log.Info("joined", "peer", s.peer, "remote", s.conn.Stats().Remote, "id", s.id)
			}
			s.joined, s.known = true, true
			ss.Auth.Expect(s.peer)
			call(ss.hooks.join, s.peer)
		}
	}
}

func call[T any](fns []func(T), v T) {
	for _, fn := range fns {
		fn(v)
	}
}

// empty takes a seat away: OnLeave runs, then the peer's nodes end or pass to nobody,
// then its stream ends. All of that happens once, also where a callback panics.
func (ss *seating) empty(s *seat) {
	defer func() { ss.all = slices.DeleteFunc(ss.all, func(o *seat) bool { return o == s }) }()
	defer ss.Auth.Disconnect(s.peer)
	defer ss.extract.Orphaned(s.peer)
	if s.known {
		ss.config.Log.Info("left", "peer", s.peer, "why", s.gone)
		call(ss.hooks.leave, s.peer)
	}
}
