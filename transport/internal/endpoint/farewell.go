package endpoint

// The end of a connection: its goodbye is repeated until the peer says that it knows. Who has
// not heard any of them, because its line was cut, is told when it is heard again.

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// A farewell is a Close packet on its way.
type farewell struct {
	heard   bool // the peer has said goodbye, and needs none
	payload []byte
	said    int
	next    time.Duration // when it is said again; once all copies are said, not before a packet of the peer's
	over    time.Duration // in awake time: when a listener forgets it
}

// end stops the connection and tells the peer, if that may know of it: a client that has its
// keys has answered the listener, to which the connection is open, although its own game has
// not been told yet. It returns the state before: ended if the connection had already ended.
func (c *Conn) end(cause wire.Cause, reason string) (was state) {
	c.mu.Lock()
	was = c.state
	c.state = ended
	c.settle()
	knows := was == open || was == dialing && c.tx.Ready()
	if was == halfOpen && cause == wire.Ended { // the session is over: this one may have its ACCEPT
		knows = c.tx.Ready()
	}
	says := knows && !c.bye.heard
	if says {
		c.bye.payload = wire.AppendReason(nil, cause, reason)
		c.sayBye(c.e.cfg.Now())
	}
	c.mu.Unlock()
	if was != ended { // else a goodbye goes on that was begun
		// A client that has heard nothing says it once: its program is not to wait in Link.Wait for
		// who does not answer.
		c.e.parted(c, says && (c.e.listens || cause != wire.Unheard))
	}
	return was
}

// cut stops the connection because the peer has ended it, or does not know it.
func (c *Conn) cut() (was state) {
	c.mu.Lock()
	was = c.state
	c.state = ended
	c.settle()
	c.mu.Unlock()
	c.e.parted(c, false)
	return was
}

// sayBye sends one more Close packet. The pauses between them grow, so that a burst of
// losses does not take all. c.mu is held.
func (c *Conn) sayBye(now time.Duration) {
	c.seq++
	c.send(append(c.begin(wire.Close, c.seq), c.bye.payload...), c.seq)
	if c.bye.said > 0 && !c.e.listens { // the server has perhaps heard the first, and its answer was lost
		c.askForReset()
	}
	c.bye.next = now + time.Duration(1+c.bye.said)*transport.CloseInterval
	c.bye.said++
}

// sayAgain answers a packet of a client that has missed all copies of the goodbye by another
// one. It goes to where the peer was, and to where the packet came from if that is elsewhere and
// the packet is the newest: then, as of a challenge, not many more bytes than came from there.
func (c *Conn) sayAgain(from Path, size int, newest bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.e.listens || c.bye.said < transport.CloseCopies { // another copy leaves by itself
		return
	}
	elsewhere := from.Remote != c.path.Remote && newest
	m := &c.moving
	if elsewhere {
		if m.to.Remote != from.Remote {
			*m = move{to: from}
		}
		m.in += size
	}
	now := c.e.cfg.Now()
	if now < c.bye.next {
		return
	}
	c.bye.next = now + transport.CloseInterval
	say := func(to Path) {
		c.seq++
		c.sendTo(to, append(c.begin(wire.Close, c.seq), c.bye.payload...), c.seq)
	}
	say(c.path)
	if n := transport.OverheadDown + len(c.bye.payload); elsewhere && m.out+n <= transport.PathFactor*m.in {
		m.out += n
		say(from)
	}
}

// parted notes whether the goodbye of a connection that has ended goes on. A connection of
// which the peer knows is forgotten: its number is free.
func (e *Endpoint) parted(c *Conn, says bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if says && !slices.Contains(e.leaving, c) {
		e.leaving = append(e.leaving, c)
	}
	if !says {
		e.forgetParted(c)
	}
}

// forgetParted forgets a connection that has ended. e.mu is held.
func (e *Endpoint) forgetParted(c *Conn) {
	is := func(x *Conn) bool { return x == c }
	e.leaving = slices.DeleteFunc(e.leaving, is)
	e.left = slices.DeleteFunc(e.left, is)
	if e.byID[c.id] == c {
		delete(e.byID, c.id)
	}
}

// keepParted has a listener remember a connection of which all goodbyes are said, for as long as
// its client, which has perhaps heard none of them, waits in silence: of those that are too many
// the oldest is forgotten.
func (e *Endpoint) keepParted(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(e.leaving, c)
	if i < 0 { // the peer has answered meanwhile
		return
	}
	if !e.listens || e.isOverLocked() { // the socket is about to be closed
		e.forgetParted(c)
		return
	}
	for len(e.left) >= transport.MaxParted {
		e.forgetParted(e.left[0])
	}
	e.leaving = slices.Delete(e.leaving, i, i+1)
	e.left = append(e.left, c)
}

// strip frees what an ended connection that is remembered does not need any more. c.mu is held.
func (c *Conn) strip() {
	if c.lane != nil {
		c.stats.ReliableOut += c.lane.Out()
		c.lane = lane.New(c.e.cfg.Machine)
	}
	c.rx.Lock()
	defer c.rx.Unlock()
	c.rx.parts = nil
}

// heardBye handles a packet of a connection whose goodbye is being said: whatever the peer
// answers to that, it knows.
func (e *Endpoint) heardBye(c *Conn) { e.parted(c, false) }

// bidFarewell repeats the goodbyes that are due. Those that were said often enough wait until
// the peer is heard again, or for so long that it does not wait any more either.
func (e *Endpoint) bidFarewell(now time.Duration) {
	e.mu.RLock()
	leaving, left := slices.Clone(e.leaving), len(e.left)
	e.mu.RUnlock()
	awake := e.awake.at(now)
	for _, c := range leaving {
		c.mu.Lock()
		if now >= c.bye.next {
			c.sayBye(now)
		}
		over := c.bye.said >= transport.CloseCopies
		if over {
			c.bye.next, c.bye.over = now+transport.CloseInterval, awake+e.timing.Silence
			c.strip()
		}
		c.mu.Unlock()
		if over {
			e.keepParted(c)
		}
	}
	if left == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.left) > 0 && e.left[0].bye.over <= awake { // it has not been written to since it is there
		e.forgetParted(e.left[0])
	}
}
