package netsim

// A Pair is the two directions between a client and a server.
type Pair struct {
	Up   *Path // client to server
	Down *Path // server to client
}

// NewPair makes a Path for each direction, with the same conditions and separate
// random values. It panics if the conditions are out of range.
func NewPair(seed uint64, c Conditions) Pair {
	return Pair{Up: NewPath(2*seed, c), Down: NewPath(2*seed+1, c)}
}

// SetConditions changes the conditions of both directions, as Path.SetConditions.
func (p Pair) SetConditions(c Conditions) {
	p.Up.SetConditions(c)
	p.Down.SetConditions(c)
}
