package ecs

// Progress: how far a client has what it should have at first, for a loading screen.

import (
	"time"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// Progress is how far this machine has come with what the server has for it in this level. It
// goes by nodes. Want may grow while it goes on, as more comes into view.
type Progress struct {
	Have, Want int  // nodes
	Done       bool // all that was to come at first has come; stays so until the next level
}

// Share is what a loading bar shows: from 0 to 1, which it reaches with Done alone.
func (p Progress) Share() float64 {
	switch {
	case p.Done:
		return 1
	case p.Want == 0:
		return 0
	}
	return min(float64(p.Have)/float64(p.Want), 0.99)
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

// progressEvery is how often a peer is sent its progress: often enough for a bar that is
// drawn, and so seldom that it is nothing beside what it tells of.
const progressEvery = 100 * time.Millisecond

// A filling is what a peer was sent of its progress in this level.
type filling struct {
	done bool
	want int
	at   time.Duration
}

// sendProgress tells the peers that do not have all yet, after a send.
func (ss *seating) sendProgress() {
	now := ss.line.now()
	for _, s := range ss.all {
		f := &s.filling
		if !s.in || f.done || s.conn == nil || f.at != 0 && now-f.at < progressEvery {
			continue
		}
		sent, wanted := ss.Auth.Filling(s.peer)
		done := sent == wanted && wanted > 0
		if wanted--; wanted < 0 || !done && wanted == f.want {
			continue
		}
		m := sessionmsg.Progress{Want: uint32(wanted), Done: done}
		if s.conn.Reliable(sessionmsg.AppendProgress(nil, m)) != nil {
			continue // its lane is full: it is sent later
		}
		*f = filling{done: done, want: wanted, at: now}
	}
}
