package ecs

// Progress: how far a client has what it should have at first, for a loading screen.

import (
	"time"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// Progress is how far this machine has come with this level. Want may grow, as more comes into view.
type Progress struct {
	Have, Want int  // nodes
	Done       bool // all that was to come, once nothing waited to be sent, has come; stays so until the next level
}

// Share is what a loading bar shows: from 0 to 1, which it reaches with Done alone.
func (p Progress) Share() float64 {
	if p.Done {
		return 1
	}
	return min(float64(p.Have)/float64(max(1, p.Want)), 0.99)
}

// Progress returns how far this machine has come with joining, or with the level that is being
// loaded. It is zero from the Join until the server has said how much there is. On an authority
// it is Done.
func (r *Replication) Progress() Progress {
	switch {
	case r.line.joining:
		return Progress{}
	case r.shared.Auth != nil:
		return Progress{Done: true}
	}
	have := max(0, len(r.nodes.ByID)-1) // the session's node is none of the game's
	said := r.client.progress
	if said.Done {
		return Progress{Have: have, Want: have, Done: true}
	}
	return Progress{Have: min(have, int(said.Want)), Want: int(said.Want)}
}

// progressEvery is how often a peer is told: often enough for a bar, seldom beside what it tells of.
const progressEvery = 100 * time.Millisecond

// A filling is what a peer was sent of its progress in this level.
type filling struct {
	done bool
	want int
	at   time.Duration
	by   rpl.Tick // when nothing waited for it any more, 0: not yet; what has come since is not waited for
}

// sendProgress tells the peers that do not have all yet, once a send is planned and before it
// leaves: behind all that comes first, the number would come late on a narrow line.
func (ss *seating) sendProgress() {
	now := ss.line.now()
	for _, s := range ss.all {
		f := &s.filling
		if !s.in || f.done || s.conn == nil || f.at != 0 && now-f.at < progressEvery {
			continue
		}
		_, wanted, waiting := ss.Auth.Filling(s.peer)
		if f.by == 0 && wanted > 0 && waiting == 0 {
			f.by = ss.Tick
		}
		done := f.by > 0 && ss.Auth.Filled(s.peer, f.by)
		if wanted--; wanted < 0 || !done && wanted == f.want {
			continue
		}
		m := sessionmsg.Progress{Want: uint32(wanted), Done: done}
		if s.conn.Reliable(sessionmsg.AppendProgress(nil, m)) != nil {
			continue // its lane is full: it is sent later
		}
		if f.at == 0 {
			s.conn.Flush()
		}
		f.done, f.want, f.at = done, wanted, now
	}
}
