package transport

// A Session can host on a Listener or join through a Dialer. *ecs.Replication is
// one.
type Session interface {
	Host(Listener)
	Join(Dialer)
}
