package endpoint

// The end of an endpoint: its peers are told the reason, those who are on their way in too, and those
// who ask are turned away.

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// Close tells every peer the reason. The Handler is not called from then on. Arrive, Work and
// Tick go on with the goodbyes until Lingers is false.
func (e *Endpoint) Close(reason string) {
	e.mu.Lock()
	over := e.isOverLocked()
	e.closed = true
	conns := e.clear()
	if !over {
		e.closing = closing{reason, e.cfg.Now()}
	}
	e.mu.Unlock()
	for _, c := range conns {
		c.end(wire.Ended, reason)
	}
	e.turnAllAway()
}

// Shut closes the endpoint because its listener was closed. Any goroutine may call it,
// also while the game polls. The next Poll reports Closed for each connection that the
// Handler knows from Connected or is about to.
func (e *Endpoint) Shut(reason string) {
	err := fmt.Errorf("%w: %s", transport.ErrClosed, reason)
	e.mu.Lock()
	if e.isOverLocked() {
		e.mu.Unlock()
		return
	}
	e.shut, e.closing = err, closing{reason, e.cfg.Now()}
	conns := e.clear()
	e.mu.Unlock()
	for _, c := range conns {
		if c.end(wire.Ended, reason) == open {
			e.closedHere(c, err)
		}
	}
	e.turnAllAway()
}

// clear removes and returns all connections. e.mu is held.
func (e *Endpoint) clear() []*Conn {
	conns := e.conns
	e.conns = nil
	clear(e.asked)
	return conns
}

func (e *Endpoint) isClosed() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.closed
}

// isOver reports whether Close or Shut was called: no client is let in any more.
func (e *Endpoint) isOver() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.isOverLocked()
}

func (e *Endpoint) isOverLocked() bool { return e.closed || e.shut != nil }

// A closing is why an endpoint is over, and since when.
type closing struct {
	reason string
	at     time.Duration
}

// turnAllAway answers the clients who wait for the game's word, or for an ACCEPT that is not written
// yet. Those whose messages are unread are answered by the worker.
func (e *Endpoint) turnAllAway() {
	d := &e.desk
	d.mu.Lock()
	wait := append(d.read, d.granted...)
	d.read, d.granted = nil, nil
	d.mu.Unlock()
	for _, r := range wait {
		e.turnAway(r)
	}
}

// turnAway refuses a client because the session is over. Its reason is the game's, as it is of every
// refusal by the game's word.
func (e *Endpoint) turnAway(r *request) {
	e.mu.RLock()
	reason := e.closing.reason
	e.mu.RUnlock()
	text := "the server has stopped"
	if reason != "" {
		text += ": " + reason
	}
	e.deny(r, wire.NotAdmitted, wire.CutText(text), transport.ErrClosed)
}

// An unanswered notes who has lately got a CHALLENGE and goes on asking. It is one client's place,
// and a time: a listener keeps nothing of strangers.
type unanswered struct {
	newest question
	at     time.Duration // of the newest question; zero: it was answered
	busy   time.Duration // when one was last asked to ask again; zero: never
}

// challenged notes that a client goes on asking.
func (d *desk) challenged(q question, at time.Duration, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asks.newest, d.asks.at = q, at; busy {
		d.asks.busy = at
	}
}

// answered notes that a client does not ask any more. d.mu is held.
func (d *desk) answered(q question) {
	if d.asks.newest == q {
		d.asks.at = 0
	}
}

// isAsked reports whether somebody asks, or waits here: who was asked to come again does so within
// transport.AskAgain.
func (d *desk) isAsked(now time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := max(d.asks.at, d.asks.busy)
	return len(d.known) > 0 || last > 0 && now-last < transport.AskAgain
}

// Lingers reports whether goodbyes are still being said, or clients who ask are turned away. Any
// goroutine may call it.
func (e *Endpoint) Lingers() bool {
	e.mu.RLock()
	leaving, over, at := len(e.leaving), e.isOverLocked(), e.closing.at
	e.mu.RUnlock()
	now := e.cfg.Now()
	return leaving > 0 || over && now-at < transport.LongestTurningAway && e.desk.isAsked(now)
}
