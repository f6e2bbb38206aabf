// Package filling decides when a peer that joins is told of its progress, and whether all has
// come that was to come: at first, or round a place that is preloaded.
package filling

import (
	"time"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// every is how often a peer is told: often enough for a bar, seldom beside what it tells of.
const every = 100 * time.Millisecond

// A Filling is what one peer was told of its progress in this level. The zero value has told it
// nothing.
type Filling struct {
	done bool
	want int
	at   time.Duration
	by   rpl.Tick // when nothing waited for it any more, 0: not yet; what has come since is not waited for
}

// Send sends what the peer is to know now, if that is anything new, once a send is planned; an
// error of send has it sent later. flush has the first message of a level leave at once.
func (f *Filling) Send(auth *rpl.Authority, p rpl.Peer, tick rpl.Tick, now time.Duration, send func([]byte) error, flush func()) {
	if f.done || f.at != 0 && now-f.at < every {
		return
	}
	_, wanted, waiting := auth.Filling(p)
	if f.by == 0 && wanted > 0 && waiting == 0 {
		f.by = tick
	}
	done := f.by > 0 && auth.Filled(p, f.by)
	if wanted--; wanted < 0 || !done && wanted == f.want { // the session's node is none of the game's
		return
	}
	if send(sessionmsg.AppendProgress(nil, sessionmsg.Progress{Want: uint32(wanted), Done: done})) != nil {
		return // its lane is full
	}
	if f.at == 0 {
		flush()
	}
	f.done, f.want, f.at = done, wanted, now
}
