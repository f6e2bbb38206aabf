package endpoint

// The end of a connection: its goodbye is repeated until the peer says that it knows.

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A farewell is a Close packet on its way.
type farewell struct {
	heard   bool // the peer has said goodbye, and needs none
	payload []byte
	said    int
	next    time.Duration // when it is said again
}

// end stops the connection and tells the peer, if that may know of it: a client that has its
// keys has answered the listener, to which the connection is open, although its own game has
// not been told yet. It returns the state before: ended if the connection had already ended.
func (c *Conn) end(cause wire.Cause, reason string) (was state) {
	c.mu.Lock()
	was = c.state
	c.state = ended
	c.settle()
	says := (was == open || was == dialing && c.tx.Ready()) && !c.bye.heard
	if says {
		c.bye.payload = wire.AppendReason(nil, cause, reason)
		c.sayBye(c.e.cfg.Now())
	}
	c.mu.Unlock()
	if was != ended { // else a goodbye goes on that was begun
		c.e.parted(c, says)
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

// parted notes whether the goodbye of a connection that has ended goes on. A connection of
// which the peer knows is forgotten: its number is free.
func (e *Endpoint) parted(c *Conn, says bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(e.leaving, c)
	switch {
	case says && i < 0:
		e.leaving = append(e.leaving, c)
	case says:
	default:
		if i >= 0 {
			e.leaving = slices.Delete(e.leaving, i, i+1)
		}
		if e.byID[c.id] == c {
			delete(e.byID, c.id)
		}
	}
}

// heardBye handles a packet of a connection whose goodbye is being said: whatever the peer
// answers to that, it knows.
func (e *Endpoint) heardBye(c *Conn) { e.parted(c, false) }

// bidFarewell repeats the goodbyes that are due, and gives up on those that were said often
// enough.
func (e *Endpoint) bidFarewell(now time.Duration) {
	e.mu.RLock()
	leaving := slices.Clone(e.leaving)
	e.mu.RUnlock()
	for _, c := range leaving {
		c.mu.Lock()
		over := false
		if now >= c.bye.next {
			if over = c.bye.said >= transport.CloseCopies; !over {
				c.sayBye(now)
			}
		}
		c.mu.Unlock()
		if over {
			e.parted(c, false)
		}
	}
}

// Lingers reports whether goodbyes are still being said. Any goroutine may call it.
func (e *Endpoint) Lingers() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return len(e.leaving) > 0
}
