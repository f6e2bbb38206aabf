package filling

import (
	"slices"
	"time"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/rpl"
)

// Preloads are the places that one peer was shown ahead of time. The zero value has none.
type Preloads []preload

type preload struct {
	at    gmath.Vec
	until time.Duration
	send  int      // the count of sends when it was asked for: what is there is decided in a later one
	by    rpl.Tick // when nothing that was decided waited any more, 0: not yet; what has come since is not waited for
	here  bool     // the peer is known to have what was there
}

// Ask notes a place; for one that is there already the longer time counts.
func (ps *Preloads) Ask(at gmath.Vec, until time.Duration, send int) {
	if p := ps.find(at); p != nil {
		p.until = max(p.until, until)
		return
	}
	*ps = append(*ps, preload{at: at, until: until, send: send})
}

// Here reports whether the peer is known to have what was round a place when it was asked for.
func (ps *Preloads) Here(at gmath.Vec) bool {
	p := ps.find(at)
	return p != nil && p.here
}

func (ps *Preloads) find(at gmath.Vec) *preload {
	if i := slices.IndexFunc(*ps, func(p preload) bool { return p.at == at }); i >= 0 {
		return &(*ps)[i]
	}
	return nil
}

// Planned looks at all of them once a send is planned, whose number is given, and forgets those whose time is over.
func (ps *Preloads) Planned(auth *rpl.Authority, peer rpl.Peer, tick rpl.Tick, now time.Duration, send int) {
	if len(*ps) == 0 {
		return
	}
	*ps = slices.DeleteFunc(*ps, func(p preload) bool { return now >= p.until })
	_, _, waiting := auth.Filling(peer)
	for i := range *ps {
		p := &(*ps)[i]
		if p.by == 0 && p.send < send && waiting == 0 {
			p.by = tick
		}
		p.here = p.here || p.by > 0 && auth.Filled(peer, p.by)
	}
}
