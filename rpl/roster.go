package rpl

// A roster finds the connected peers by their ids. Each datagram and each packet
// asks for one, so before the map stands a table by the low bits of ids, which
// count up: of peers that share them it has the one that came last.
type roster struct {
	all   map[Peer]*peer
	quick [256]*peer
}

func newRoster() roster { return roster{all: make(map[Peer]*peer)} }

// find is the peer with an id, nil without one.
func (r *roster) find(id Peer) *peer {
	if p := r.quick[id%Peer(len(r.quick))]; p != nil && p.id == id {
		return p
	}
	return r.all[id]
}

func (r *roster) add(p *peer) {
	r.all[p.id] = p
	r.quick[p.id%Peer(len(r.quick))] = p
}

func (r *roster) remove(p *peer) {
	delete(r.all, p.id)
	if quick := &r.quick[p.id%Peer(len(r.quick))]; *quick == p {
		*quick = nil
	}
}

func (r *roster) len() int { return len(r.all) }
