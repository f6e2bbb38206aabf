package rpl

import (
	"testing"
)

// A roster finds peers by their ids, also by ids with the same low bits, until they are
// removed.
func TestPeersAreFoundByID(t *testing.T) {
	r := newRoster()
	ids := []Peer{1, 2, 255, 256, 257, 513, 1<<32 - 1}
	peers := map[Peer]*peer{}
	check := func() {
		t.Helper()
		for _, id := range ids {
			if p := r.find(id); p != peers[id] {
				t.Fatalf("peer %d is %v, not %v", id, p, peers[id])
			}
		}
		if p := r.find(769); p != nil || r.len() != len(peers) {
			t.Fatalf("%d peers and %v, not %d and none", r.len(), p, len(peers))
		}
	}
	for _, id := range ids {
		peers[id] = &peer{id: id}
		r.add(peers[id])
		check()
	}
	for _, id := range []Peer{513, 1, 256, 257, 1<<32 - 1, 2, 255} {
		r.remove(peers[id])
		delete(peers, id)
		check()
	}
}
