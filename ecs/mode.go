package ecs

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

// Mode returns how the session runs now.
func (r *Replication) Mode() Mode {
	switch {
	case r.auth == nil:
		return Client
	case r.config.Dedicated:
		return Dedicated
	case r.line.link != nil:
		return Listen
	}
	return Single
}

// Alone reports whether the session is single player. It is never true on a dedicated
// server, which has no player.
func (r *Replication) Alone() bool { return r.Mode() == Single }

// IsAuthority reports whether this machine decides about the world: in single player and
// on servers.
func (r *Replication) IsAuthority() bool { return r.auth != nil }
