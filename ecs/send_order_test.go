package ecs_test

// The order in which peers are sent to.

import "testing"

// The peers take turns at being the first to whom something is sent: where the machine's
// own network takes only a part of the packets, it is not always the same peers' part.
func TestPeersAreServedFirstByTurns(t *testing.T) {
	l := newLab(t, lan)
	server, scale := l.weighedServer()
	for _, name := range []string{"Ann", "Bob", "Cid"} {
		l.guest(name)
	}
	l.joined()
	e := server.Create(Kit)
	first := map[*pan]int{}
	const sends = 45
	for i := range 2 * sends {
		Kit.Get(e).Smith.Rank = uint8(i % 7)
		scale.order = nil
		if l.steps(1); len(scale.order) > 0 {
			first[scale.order[0]]++
		}
	}
	for i, p := range scale.pans {
		if first[p] < sends/len(scale.pans)-2 {
			t.Errorf("peer %d was the first in %d of %d sends", i, first[p], sends)
		}
	}
}
