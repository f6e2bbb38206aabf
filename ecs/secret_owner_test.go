package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type faceData struct {
	Face uint32 `rpl:"to=owner"`
	Turn uint32 `rpl:""`
}

// What only the owner has goes with the ownership, in one step of each client, whatever packets are
// lost: who has handed a card on has no face of it.
func TestFaceGoesWithTheOwner(t *testing.T) {
	p := tendon.NewProtocol("faces")
	card := tendon.Replicate(p, "card", donburi.NewComponentType[faceData]())
	for seed := range uint64(4) {
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed + 1,
			Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
			Step:      func(*tendontest.Machine) {},
		}, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.08})
		server := lab.Host()
		clients := []*tendontest.Machine{lab.Join(), lab.Join()}
		e := server.Create(card)
		components.RplNode.Get(e).Keep = true
		owners := []rpl.Peer{clients[0].Me(), clients[1].Me(), 0}
		given := map[uint32]rpl.Peer{}
		for i := range uint32(3000) {
			if i%47 == 0 {
				n := i/47 + 1
				given[n] = owners[server.Rand.IntN(3)]
				tendon.Give(e, given[n])
				card.SetValue(e, faceData{Face: n, Turn: n})
			}
			lab.Steps(1)
			for _, m := range clients {
				for x := range card.Iter(m.World()) {
					if is := card.Get(x); is.Face != 0 && (tendon.Owner(x) != m.Me() || given[is.Face] != m.Me()) {
						t.Errorf("seed %d, tick %d: %s has face %d of a card that is owned by %d there, in turn %d", seed+1, server.Tick(), m.Name, is.Face, tendon.Owner(x), is.Turn)
					}
				}
			}
		}
	}
}
