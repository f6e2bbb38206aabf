package ecs

// Progress: how far a client has what it should have at first, for a loading screen.

// Progress is how far this machine has come with this level. Want may grow, as more comes into view.
type Progress struct {
	Have, Want int  // nodes
	Done       bool // everything that was to come at first is here; stays so until the next level

	share float64 // the greatest so far
}

// Share returns what a loading bar shows, from 0 to 1; it is 1 only when Done. Within a level it never goes
// back, also where more comes into view.
func (p Progress) Share() float64 {
	if p.Done {
		return 1
	}
	return max(p.share, min(float64(p.Have)/float64(max(1, p.Want)), 0.99))
}

// Progress returns how far this machine has come with joining, or with the level that is being
// loaded. It is zero from the Join until the server has said how much there is. On an authority
// it is Done.
func (r *Replication) Progress() Progress {
	switch {
	case r.line.Joining:
		return Progress{}
	case r.shared.Auth != nil:
		return Progress{Done: true}
	}
	have := max(0, len(r.nodes.ByID)-1) // the session's node is none of the game's
	said := r.client.progress
	if said.Done {
		return Progress{Have: have, Want: have, Done: true}
	}
	p := Progress{Have: min(have, int(said.Want)), Want: int(said.Want), share: r.client.share}
	r.client.share = p.Share()
	p.share = r.client.share
	return p
}
