package ecs

// compare: what a game's tests look at. Whether two machines have the same, and a tick that
// runs again. Package tendontest makes tests of it.

import (
	"github.com/tendonengine/tendon/ecs/internal/differ"
	"github.com/tendonengine/tendon/rpl"
)

// A Difference is something that differs between a client and its server.
type Difference = differ.Difference

// Differences compares what two machines of one process have of the same session, a server
// and a client of it: nodes, owners, and every tagged field that the client may see, as it
// travels; a reference to what the client does not have is to be null there. Between two sends,
// and while something is on its way, there are some; once the world has been at rest for a round
// trip there are none, except that floats and angles of predicted nodes may be a step beside, those
// with `interp` for one more second. Fields for groups are left out. A client that is in no session,
// because it was sent away or is not in yet, differs in that alone. For tests: it allocates. It panics
// if server is not an authority, or client hosts.
func Differences(server, client *Replication) []Difference {
	switch {
	case server.shared.Auth == nil, client.shared.Auth != nil && client.line.Link != nil:
		panic("tendon: Differences compares a server with a client: give it a session that hosts and one that has joined it")
	case client.shared.Auth != nil, client.shared.Me == 0:
		return []Difference{{Node: rpl.SessionNode, Text: "the client is in no session: it was sent away, or is not in yet; its OnEnd says why"}}
	}
	side := func(r *Replication) differ.Side { return differ.Side{Base: &r.shared.Base, Nodes: &r.nodes} }
	return differ.Sessions(side(server), side(client), server.shared.config.Interest == nil)
}

// ReplayTick runs the newest tick of what this client predicts again, from the state before
// it, as a correction does: components of predicted nodes are set back, everything else is
// left as it is. prepare, which may be nil, is called in between. What comes out must be what
// was there before; package tendontest looks. Call it in a step, after all commands have Run.
// It is false, and has done nothing, where this step has no tick to repeat.
func (r *Replication) ReplayTick(prepare func()) bool {
	pr, t := &r.predict, rpl.Tick(r.commands.lead.Tick())
	if r.shared.Proxy == nil || t < 2 || r.commands.makes == 0 || len(pr.all) == 0 {
		return false
	}
	if !pr.states.Again(pr.all, t-1) {
		return false
	}
	if prepare != nil {
		prepare()
		r.places.Again()       // it may have moved something …
		defer r.places.Again() // … which goes back
	}
	r.commands.replay(t)
	return true
}
