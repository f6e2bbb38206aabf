package endpoint

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// ask sends a client's HELLO.
func (c *Conn) ask() {
	o := c.e.offer
	c.sentAt = c.e.cfg.Now()
	c.e.cfg.Send(c.remote, wire.HelloMessage{
		Attempt: c.attempt, GameHash: wire.HashGame(o.Game), Schema: o.Schema, Game: o.Game, Hello: o.Hello,
	}.Append(c.out[:0]))
}

// askAgain repeats the HELLO if it is not answered and the last one is d old.
func (c *Conn) askAgain(now, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == dialing && now-c.sentAt >= d {
		c.ask()
	}
}

// greeted answers a HELLO, on the listener's side. The checks and their order are in
// docs/spec-transport.md. The repeat of a HELLO that was accepted is accepted again.
func (e *Endpoint) greeted(at time.Duration, from netip.AddrPort, b []byte) {
	m, err := wire.ParseHello(b)
	switch {
	case err == wire.ErrVersion:
		e.refuse(from, m.Attempt, wire.OtherVersion, nil)
		return
	case err != nil:
		e.ignored.Add(1)
		return
	case m.GameHash != wire.HashGame(e.offer.Game):
		e.refuse(from, m.Attempt, wire.OtherGame, []byte(e.offer.Game))
		return
	case m.Schema != e.offer.Schema:
		e.refuse(from, m.Attempt, wire.OtherSchema, e.offer.Digest)
		return
	}
	q := question{from, m.Attempt}
	c := e.askedBefore(q)
	if c == nil {
		opened, waiting := e.count()
		switch {
		case !e.room(m.Hello, opened):
			e.refuse(from, m.Attempt, wire.Full, nil)
			return
		case waiting >= transport.MaxHalfOpen || waiting > 0 && !e.room(m.Hello, opened+waiting):
			// The half-open connections become open or expire soon, so it is too early
			// to refuse. The client asks again.
			e.ignored.Add(1)
			return
		}
		if c = e.letIn(at, q, m.Hello); c == nil {
			e.ignored.Add(1)
			return
		}
	}
	// The half-open timeout begins now, not when the reader got the HELLO: the game
	// may have stalled in between, on either side.
	c.born = e.cfg.Now()
	e.cfg.Send(from, wire.AcceptMessage{Attempt: m.Attempt, ID: c.id}.Append(nil))
}

// askedBefore returns the connection of a question, nil for a new one.
func (e *Endpoint) askedBefore(q question) *Conn {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.asked[q]
}

// letIn makes a half-open connection, which becomes open with the client's next packet.
// It returns nil if the listener was closed meanwhile.
func (e *Endpoint) letIn(at time.Duration, q question, hello []byte) *Conn {
	c := &Conn{e: e, remote: q.from, attempt: q.attempt, hello: append([]byte(nil), hello...), state: halfOpen}
	c.heard.Store(int64(at))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isOverLocked() {
		return nil
	}
	for c.id == 0 || e.byID[c.id] != nil {
		c.id = uint32(e.cfg.Random())
	}
	e.conns = append(e.conns, c)
	e.byID[c.id] = c
	e.asked[q] = c
	return c
}

// room reports whether a client may be let in beside n connections.
func (e *Endpoint) room(hello []byte, n int) bool {
	return n < e.offer.MaxPeers && (e.offer.Room == nil || e.offer.Room(hello, n))
}

// count returns how many connections are open and how many are half-open.
func (e *Endpoint) count() (opened, waiting int) {
	conns := e.snapshot()
	for _, c := range conns {
		if c.is(halfOpen) {
			waiting++
		}
	}
	return len(conns) - waiting, waiting
}

func (e *Endpoint) refuse(to netip.AddrPort, attempt uint64, r wire.Reason, detail []byte) {
	if e.offer.Refused != nil {
		e.offer.Refused(to, refusals[r])
	}
	e.cfg.Send(to, wire.RefuseMessage{Version: wire.Version, Attempt: attempt, Reason: r, Detail: detail}.Append(nil))
}

// refusals are the reasons as a listener's session is told of them.
var refusals = map[wire.Reason]error{
	wire.OtherVersion: transport.ErrVersion, wire.OtherGame: transport.ErrGame, wire.OtherSchema: transport.ErrSchema, wire.Full: transport.ErrFull,
}

// accepted handles an ACCEPT, on the client's side. It sends a packet at once, which
// proves the client's address to the listener.
func (e *Endpoint) accepted(from netip.AddrPort, b []byte, h transport.Handler) {
	m, err := wire.ParseAccept(b)
	c := e.waiting(from, m.Attempt)
	if err != nil || c == nil {
		e.ignored.Add(1)
		return
	}
	if !c.establish(m.ID) {
		return
	}
	e.mu.Lock()
	e.byID[m.ID] = c
	e.mu.Unlock()
	c.keepalive(e.cfg.Now(), 0)
	h.Connected(c, nil)
}

// refused handles a REFUSE, on the client's side.
func (e *Endpoint) refused(from netip.AddrPort, b []byte, h transport.Handler) {
	m, err := wire.ParseRefuse(b)
	c := e.waiting(from, m.Attempt)
	if err != nil || c == nil {
		e.ignored.Add(1)
		return
	}
	e.lose(c, e.explain(c, m), h)
}

// waiting returns the client's connection if it is still dialling this address with
// this attempt; nil otherwise.
func (e *Endpoint) waiting(from netip.AddrPort, attempt uint64) *Conn {
	for _, c := range e.snapshot() {
		if c.is(dialing) && c.remote == from && c.attempt == attempt {
			return c
		}
	}
	return nil
}

// explain turns a refusal into the error that Handler.Closed gets.
func (e *Endpoint) explain(c *Conn, m wire.RefuseMessage) error {
	switch m.Reason {
	case wire.OtherVersion:
		return fmt.Errorf("%w: %s speaks version %d, this program version %d; use the same release", transport.ErrVersion, c.remote, m.Version, wire.Version)
	case wire.OtherGame:
		return fmt.Errorf("%w: %s plays %q, this program %q", transport.ErrGame, c.remote, strings.ToValidUTF8(string(m.Detail), "?"), e.offer.Game)
	case wire.OtherSchema:
		difference := ""
		if e.offer.Explain != nil {
			difference = wire.Legible(e.offer.Explain(m.Detail)) // it may quote the detail
		}
		if difference == "" {
			difference = "use the same release of the game"
		}
		return fmt.Errorf("%w at %s: %s", transport.ErrSchema, c.remote, difference)
	case wire.Full:
		return fmt.Errorf("%w: %s has no free place", transport.ErrFull, c.remote)
	}
	return fmt.Errorf("%w: %s refused for a reason %d that this program does not know", transport.ErrVersion, c.remote, m.Reason)
}
