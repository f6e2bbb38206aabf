package ecs

// line: the link to other machines, if there is one, and the session's time.

import (
	"time"

	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A line is the link that is open, or the time without one.
type line struct {
	*shared
	link     transport.Link
	lost     meter.Link
	linkBase time.Duration // the session's time minus the link's
	timeBase time.Duration // the session's time without a link, at timeTick
	timeTick rpl.Tick
	born     time.Time
	spent    bool // the game was told that there are no more ticks
	joining  bool // Join was called; it takes effect at the next Receive
}

// now returns the session's time: the link's clock if there is a link, else the time of
// the ticks. It does not go back when one takes over from the other.
func (ln *line) now() time.Duration {
	if ln.link != nil {
		return ln.linkBase + ln.link.Now()
	}
	return ln.timeBase + time.Duration(ln.Tick-ln.timeTick)*ln.config.step()
}

// host returns the time of the link's clock or, without a link, of this machine's.
func (ln *line) host() time.Duration {
	if ln.link != nil {
		return ln.now()
	}
	return time.Since(ln.born)
}

// openLink switches to a link's clock; the session's time continues from where it is.
func (ln *line) openLink(l transport.Link) {
	base := ln.now()
	ln.link, ln.lost = l, meter.Link{}
	ln.linkBase = base - l.Now()
}

func (ln *line) closeLink(reason string) {
	ln.timeBase, ln.timeTick = ln.now(), ln.Tick
	if err := ln.link.Close(reason); err != nil {
		ln.config.Log.Warn("closing the link", "err", err)
	}
	ln.link = nil
}

// noteLink counts what was lost on the link since the last call.
func (ln *line) noteLink() {
	if ln.link != nil { // else a callback has closed it
		ln.lost.Read(ln.link.Counters(), ln.Faults.Add)
	}
}
