package ids

// A Roster finds the connected peers by their ids. Every datagram and every packet asks
// for one, so a table by the low bits of the id stands before the map. Ids count up; if
// peers share the low bits, the table has the one that was added last.
type Roster[T any] struct {
	all   map[Peer]*T
	quick [256]seat[T]
}

// A seat has the id beside the pointer, so that a lookup does not read the peer.
type seat[T any] struct {
	id   Peer
	peer *T // nil: nobody
}

// NewRoster makes a roster of nobody.
func NewRoster[T any]() Roster[T] { return Roster[T]{all: make(map[Peer]*T)} }

func (r *Roster[T]) seat(id Peer) *seat[T] { return &r.quick[id%Peer(len(r.quick))] }

// Find is the peer with an id, nil without one.
func (r *Roster[T]) Find(id Peer) *T {
	if s := r.seat(id); s.id == id && s.peer != nil {
		return s.peer
	}
	return r.all[id]
}

// Add adds a peer by its id.
func (r *Roster[T]) Add(id Peer, p *T) {
	r.all[id] = p
	*r.seat(id) = seat[T]{id, p}
}

// Remove removes the peer with an id.
func (r *Roster[T]) Remove(id Peer) {
	delete(r.all, id)
	if s := r.seat(id); s.id == id {
		*s = seat[T]{}
	}
}

// Len is how many peers there are.
func (r *Roster[T]) Len() int { return len(r.all) }
