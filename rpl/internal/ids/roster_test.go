package ids

import (
	"testing"
)

// A roster finds peers by their ids, also by ids with the same low bits, until they are
// removed.
func TestPeersAreFoundByID(t *testing.T) {
	r := NewRoster[seated]()
	all := []Peer{1, 2, 255, 256, 257, 513, 1<<32 - 1}
	peers := map[Peer]*seated{}
	check := func() {
		t.Helper()
		for _, id := range all {
			if p := r.Find(id); p != peers[id] {
				t.Fatalf("peer %d is %v, not %v", id, p, peers[id])
			}
		}
		if p := r.Find(769); p != nil || r.Len() != len(peers) {
			t.Fatalf("%d peers and %v, not %d and none", r.Len(), p, len(peers))
		}
	}
	for _, id := range all {
		peers[id] = &seated{id}
		r.Add(id, peers[id])
		check()
	}
	for _, id := range []Peer{513, 1, 256, 257, 1<<32 - 1, 2, 255} {
		r.Remove(id)
		delete(peers, id)
		check()
	}
}

// A seated is who sits in a roster.
type seated struct{ id Peer }
