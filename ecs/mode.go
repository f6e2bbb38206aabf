package ecs

// mode: how a session runs, and what stands beside it: its core and schema, for tools (the
// bench connects peers of its own to a world's core). Games have no use for these.

import "github.com/tendonengine/tendon/rpl"

// Mode is how a session runs now: for menus and statistics. Game logic asks roles
// (IsAuthority, IsOwner), which hold in every mode.
type Mode uint8

const (
	Single    Mode = iota // alone, with a player
	Listen                // hosts others, with a player of its own
	Dedicated             // a server without a player
	Client                // has joined another's session, or is about to
)

func (m Mode) String() string {
	switch m {
	case Single:
		return "single player"
	case Listen:
		return "listen server"
	case Dedicated:
		return "dedicated server"
	case Client:
		return "client"
	}
	return "unknown mode"
}

// Mode returns how the session runs now. Host and Join change it in the next Receive.
func (r *Replication) Mode() Mode {
	switch {
	case r.shared.Auth == nil:
		return Client
	case r.shared.config.Dedicated:
		return Dedicated
	case r.line.Link != nil:
		return Listen
	}
	return Single
}

// Alone reports whether the session is single player: also between Join and the next Receive.
// It is never true on a dedicated server, which has no player.
func (r *Replication) Alone() bool { return r.Mode() == Single }

// IsAuthority reports whether this machine decides about the world: in single player and
// on servers.
func (r *Replication) IsAuthority() bool { return r.shared.Auth != nil }

// Core returns the core that replicates the world while this machine is the authority;
// nil on a client. After Join it is another one.
func (r *Replication) Core() *rpl.Authority { return r.shared.Auth }
