package rpl_test

import (
	"reflect"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A ball is passed on in every step: whose calls count is known for a second, by the
// step that each was made in, however many have had it since.
func TestCallsOfManyOwners(t *testing.T) {
	const hz, peers = 60, 12
	s := rpl.NewSchema("ball")
	kick := s.RPC("kick", reflect.TypeFor[uint32](), rpl.ToServer, rpl.Reliable)
	net, err := rpltest.New(rpl.Config{Schema: s, Hz: hz}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := range rpl.Peer(peers) {
		if _, err := net.Join(2 + p); err != nil {
			t.Fatal(err)
		}
	}
	ball, err := net.A.Spawn(rpl.Spawn{})
	if err != nil {
		t.Fatal(err)
	}
	ran := rpl.Peer(0)
	net.Run = func(c rpl.Call) { ran = c.From }
	owners := map[rpl.Tick]rpl.Peer{}
	give := func() {
		net.Tick(func(tick rpl.Tick) {
			net.A.Give(ball, 3) // who has it for no step
			owners[tick] = 2 + rpl.Peer(tick)%peers
			net.A.Give(ball, owners[tick])
		})
	}
	for range 3 * hz {
		give()
	}
	now := net.TickNumber()
	for at := now - 2*hz; at <= now; at++ {
		for _, p := range []rpl.Peer{owners[at], owners[at] + 1, 3} {
			ran = 0
			message := rpl.AppendCall([]byte{1}, 1, 1, kick, at, make([]byte, 4))
			if err := net.A.ReceiveMessage(p, message); err != nil && p < 2+peers {
				t.Fatal(err)
			}
			net.A.Due(net.Run)
			if counts := p == owners[at] && now-at <= hz; (ran == p) != counts {
				t.Errorf("%d ticks later a call of peer %d ran: %v; peer %d had it", now-at, p, ran == p, owners[at])
			}
		}
	}
}
