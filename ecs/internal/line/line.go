// Package line keeps a session's link to other machines, if one is open, and the session's
// time, which goes on from the one to the other.
package line

import (
	"log/slog"
	"sync"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A Line is the link that is open, or the time without one.
type Line struct {
	*nodes.Base
	Link    transport.Link // nil: none is open
	Spent   bool           // the game was told that there are no more ticks
	Joining bool           // Join was called; it takes effect at the next Receive

	log      *slog.Logger
	parting  *sync.WaitGroup // the links that still say goodbye
	lost     meter.Link
	linkBase time.Duration // the session's time minus the link's
	timeBase time.Duration // the session's time without a link, at timeTick
	timeTick rpl.Tick
	clock    func() time.Duration
}

// New returns the line of a session that begins now. clock is this machine's; nil means the real one.
func New(b *nodes.Base, clock func() time.Duration, log *slog.Logger) Line {
	if clock == nil {
		born := time.Now()
		clock = func() time.Duration { return time.Since(born) }
	}
	return Line{Base: b, log: log, parting: &sync.WaitGroup{}, clock: clock}
}

// Now returns the session's time: the link's clock if there is a link, else the time of
// the ticks. It does not go back when one takes over from the other.
func (ln *Line) Now() time.Duration {
	if ln.Link != nil {
		return ln.At(ln.Link.Now())
	}
	return ln.timeBase + time.Duration(ln.Tick-ln.timeTick)*(time.Second/time.Duration(ln.Steps))
}

// At returns the session's time at a time of the link's clock.
func (ln *Line) At(t time.Duration) time.Duration { return ln.linkBase + t }

// Host returns the time of the link's clock or, without a link, of this machine's.
func (ln *Line) Host() time.Duration {
	if ln.Link != nil {
		return ln.Now()
	}
	return ln.clock()
}

// GoTo sets the session's tick. Its time stays what it is.
func (ln *Line) GoTo(t rpl.Tick) {
	ln.timeBase, ln.timeTick, ln.Tick = ln.Now(), t, t
}

// Open switches to a link's clock; the session's time continues from where it is.
func (ln *Line) Open(l transport.Link) {
	base := ln.Now()
	ln.Link, ln.lost = l, meter.Link{}
	ln.linkBase = base - l.Now()
}

// Part closes a link, and does not wait: its goodbyes are those that Wait waits for.
func (ln *Line) Part(l transport.Link, reason string) {
	l.Close(reason)
	ln.parting.Go(func() {
		if err := l.Wait(); err != nil {
			ln.log.Warn("closing the link", "err", err)
		}
	})
}

// Wait waits until all links that were closed are freed.
func (ln *Line) Wait() { ln.parting.Wait() }

// Leave leaves the link, which was closed; the session's time continues by its ticks.
func (ln *Line) Leave() {
	ln.timeBase, ln.timeTick = ln.Now(), ln.Tick
	ln.Link = nil
}

// Note counts what was lost on the link since the last call.
func (ln *Line) Note() {
	if ln.Link != nil { // else a callback has closed it
		ln.lost.Read(ln.Link.Counters(), ln.Faults.Add)
	}
}
