package rpl

// A roster finds the connected peers by their ids. Every datagram and every packet asks
// for one, so a table by the low bits of the id stands before the map. Ids count up; if
// peers share the low bits, the table has the one that was added last.
type roster struct {
	all   map[Peer]*peer
	quick [256]seat
}

// A seat has the id beside the pointer, so that a lookup does not read the peer.
type seat struct {
	id   Peer
	peer *peer // nil: nobody
}

func newRoster() roster { return roster{all: make(map[Peer]*peer)} }

func (r *roster) seat(id Peer) *seat { return &r.quick[id%Peer(len(r.quick))] }

// find is the peer with an id, nil without one.
func (r *roster) find(id Peer) *peer {
	if s := r.seat(id); s.id == id && s.peer != nil {
		return s.peer
	}
	return r.all[id]
}

func (r *roster) add(p *peer) {
	r.all[p.id] = p
	*r.seat(p.id) = seat{p.id, p}
}

func (r *roster) remove(p *peer) {
	delete(r.all, p.id)
	if s := r.seat(p.id); s.id == p.id {
		*s = seat{}
	}
}

func (r *roster) len() int { return len(r.all) }
