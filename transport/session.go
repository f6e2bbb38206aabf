package transport

// A Session is what can be hosted or joined: *ecs.Replication is one.
type Session interface {
	Host(Listener)
	Join(Dialer)
}
