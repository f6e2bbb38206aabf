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

// challenged notes that a client has got a CHALLENGE, so that it goes on asking. It is but a time: a
// listener keeps nothing of strangers.
func (d *desk) challenged(at time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = at
}

// isAsked reports whether somebody asks, or waits here: who was asked to come again does so within
// transport.AskAgain.
func (d *desk) isAsked(now time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.known) > 0 || d.asked > 0 && now-d.asked < transport.AskAgain
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
