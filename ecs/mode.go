package ecs

// Mode is how a session runs now: for menus and figures. Game logic asks roles
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

// Mode is how the session runs now.
func (r *Replication) Mode() Mode {
	switch {
	case r.auth == nil:
		return Client
	case r.config.Dedicated:
		return Dedicated
	case r.link != nil:
		return Listen
	}
	return Single
}

// Alone is true in single player; never on a dedicated server, which has no player.
func (r *Replication) Alone() bool { return r.Mode() == Single }

// IsAuthority reports whether this machine decides about the world: single
// player and servers.
func (r *Replication) IsAuthority() bool { return r.auth != nil }
