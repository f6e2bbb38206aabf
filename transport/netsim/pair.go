package netsim

// A Pair is both directions between a client and a server.
type Pair struct {
	Up   *Path // client to server
	Down *Path // server to client
}

// NewPair makes both directions under the same conditions, each with random
// values of its own.
func NewPair(seed uint64, c Conditions) Pair {
	return Pair{Up: NewPath(2*seed, c), Down: NewPath(2*seed+1, c)}
}

// SetConditions changes both directions.
func (p Pair) SetConditions(c Conditions) {
	p.Up.SetConditions(c)
	p.Down.SetConditions(c)
}
