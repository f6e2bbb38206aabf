package endpoint

// A listener's answer: inside Poll, the clients whose messages were read are let in or refused, or
// ask again later.

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// admit decides about the clients whose requests were read, inside Poll.
func (e *Endpoint) admit(h transport.Handler) {
	d := &e.desk
	d.mu.Lock()
	read := d.read
	d.read = nil
	d.mu.Unlock()
	for _, r := range read {
		switch {
		case e.isOver():
			e.turnAway(r)
		case e.cfg.Now()-r.at >= e.timing.Connect: // who asked has given up, while the game did something else
			e.dismiss(r)
		default:
			e.decide(r, h)
		}
	}
	if e.isClosed() {
		return
	}
	d.mu.Lock()
	refusals := d.refusals
	d.refusals = nil
	d.mu.Unlock()
	for _, x := range refusals {
		e.offer.Refused(x.remote, x.why)
	}
}

// decide lets a client in, refuses it, or has it ask again. The game is asked last, about a
// client for which there is a place: and nobody gives way to one that the game refuses.
func (e *Endpoint) decide(r *request, h transport.Handler) {
	v, ok := e.place(r)
	if ok && e.offer.Admit != nil {
		if err := e.offer.Admit(r.hello, r.identity); err != nil {
			e.deny(r, wire.NotAdmitted, wire.CutText(err.Error()), err)
			return
		}
		v, ok = e.place(r) // again: the game may have sent somebody away
	}
	if !ok {
		return
	}
	if v != nil {
		e.crowdOut(v, h)
	}
	e.letIn(r)
}

// place finds a client a place: a free one, or that of v, who must give way. If there is none it
// answers the client, and ok is false.
func (e *Endpoint) place(r *request) (v *Conn, ok bool) {
	joined, waiting := e.count()
	if !e.room(r, joined) {
		e.deny(r, wire.Full, nil, transport.ErrFull)
		return nil, false
	}
	if waiting == 0 || waiting < transport.MaxUnjoined && e.room(r, joined+waiting) {
		return nil, true
	}
	e.gate.short(e.awake.at(e.cfg.Now()), e.timing.Join)
	if v = e.victim(r.prefix); v != nil {
		return v, true
	}
	// Those who wait join soon or are over, so it is too early to refuse. The client asks again.
	e.challenge(nil, e.cfg.Now(), r.path, r.attempt, true)
	e.dismiss(r)
	return nil, false
}

// room reports whether a client may be let in beside n connections.
func (e *Endpoint) room(r *request, n int) bool {
	return n < e.offer.MaxPeers && (e.offer.Room == nil || e.offer.Room(r.hello, r.identity, n))
}

// count returns how many clients have joined and how many have not yet.
func (e *Endpoint) count() (joined, waiting int) {
	conns := e.snapshot()
	for _, c := range conns {
		c.mu.Lock()
		if c.unjoined {
			waiting++
		}
		c.mu.Unlock()
	}
	return len(conns) - waiting, waiting
}

// victim is the client on its way in that gives way to one of the address p: of the address with
// the greatest debt the one that has waited longest. It is nil if nobody need give way.
//
// Clients that need seconds to get ready must not send one another away for ever. So each keeps its
// place for a moment against its like, and the moment is the longer, the longer nobody has joined:
// once it is as long as what one of them needs, that one joins. In its moment it gives way only to
// one whose address owes an attempt less; so the debts of those who follow one another in a place
// fall by an attempt each time, until nobody owes less.
//
// An attacker does not get far with that. An address owes an attempt once it has held a place for
// nothing: then its clients give way to who comes once, however long the moment is, and cannot take
// that one's place. He needs ten addresses for each place (see transport.DebtTime), and each holds one
// for the time to join at most, as where nobody else asks.
func (e *Endpoint) victim(p netip.Prefix) *Conn {
	now := e.awake.at(e.cfg.Now())
	mine, _ := e.gate.debt(p, now)
	var found *Conn
	most := float32(-1)
	for _, c := range e.snapshot() {
		c.mu.Lock()
		waits := c.unjoined && c.prefix != p
		c.mu.Unlock()
		if !waits {
			continue
		}
		age := now - c.born
		debt, crowds := e.gate.debt(c.prefix, now)
		if more := debt - 1 - mine; !crowds && age < e.keeps(c, more) { // 1 is for its present attempt
			continue
		}
		if debt > most || debt == most && c.born < found.born {
			found, most = c, debt
		}
	}
	return found
}

// keeps is for how long a client on its way in keeps its place against one whose address owes so
// many attempts less than its own.
func (e *Endpoint) keeps(c *Conn, more float32) time.Duration {
	const one = 0.5 // what is left of an attempt that counts as one
	switch {
	case more >= one:
		return transport.MomentToJoin
	case more > -one:
		return c.moment
	}
	return e.timing.Join
}

// crowdOut ends a client that has not joined, in favour of another.
func (e *Endpoint) crowdOut(c *Conn, h transport.Handler) {
	if c.end(wire.Crowded, "it was not ready in time, and others wait for the place") == open {
		e.drop(c, transport.ErrFull, h)
		return
	}
	e.forget(c)
}

// evict forgets a half-open connection, of which the Handler does not know.
func (e *Endpoint) evict(c *Conn) {
	c.cut()
	e.forget(c)
}

// letIn makes a half-open connection, which becomes open with the client's next packet.
func (e *Endpoint) letIn(r *request) {
	c := &Conn{
		e: e, path: r.path, attempt: r.attempt, hello: slices.Clone(r.hello), identity: r.identity,
		state: halfOpen, prefix: r.prefix, unjoined: true, born: e.awake.at(e.cfg.Now()), number: e.cfg.Random(),
	}
	c.owes, c.moment = e.gate.owes(c.prefix, c.born), e.gate.moment(c.born, e.timing.Join)
	c.heard.Store(-1)
	r.conn = c
	e.mu.Lock()
	if e.isOverLocked() {
		e.mu.Unlock()
		e.turnAway(r)
		return
	}
	for c.id == 0 || e.byID[c.id] != nil {
		c.id = uint16(e.cfg.Random())
	}
	e.conns = append(e.conns, c)
	e.byID[c.id] = c
	e.asked[r.question] = c
	e.mu.Unlock()
	e.desk.mu.Lock()
	delete(e.desk.known, r.question)
	e.desk.granted = append(e.desk.granted, r)
	e.desk.mu.Unlock()
	e.wake()
}

// grant writes the ACCEPT. It is kept and sent again as it is: were it sealed anew, two
// messages would be under one number.
func (e *Endpoint) grant(r *request) {
	c := r.conn
	b, ciphers, err := r.shake.Write2(wire.Grant{ID: c.id, Number: c.number, Reset: e.resetToken(c.id, c.number)}.Append(nil))
	if err != nil {
		e.evict(c)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != halfOpen {
		return
	}
	c.key(ciphers)
	c.accept = wire.AcceptMessage{Attempt: c.attempt, Noise: b}.Append(nil)
	e.cfg.Send(c.path, c.accept)
}

// acceptAgain answers the repeat of an INIT. The time that the client has does not begin
// anew.
func (c *Conn) acceptAgain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != halfOpen || c.accept == nil {
		return false
	}
	c.e.cfg.Send(c.path, c.accept)
	return true
}
