package ecs_test

import (
	"math/bits"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	pieceData struct {
		Tiles [64]uint64 `rpl:"explicit,notify"`
	}
	minerData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
	spade struct {
		Dig  bool   `rpl:"edge"`
		Tile uint16 `rpl:"max=1023"`
	}
)

// Two players dig in one piece of a map, as the guide's page on fields has it: each tile is gone in
// the step of the key and stays so, on a line that loses, and at rest all machines have the same map.
func TestTilesAreDugAtOnce(t *testing.T) {
	p := tendon.NewProtocol("tiles")
	piece := tendon.Replicate(p, "piece", donburi.NewComponentType[pieceData]())
	miner := tendon.Replicate(p, "miner", donburi.NewComponentType[minerData]())
	dig := tendon.NewCommand[spade](p, "dig", miner)
	still := tendon.NewCommand[tendon.None](p, "still", piece)
	keys := map[string]spade{}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				e := m.Create(piece)
				for i := range piece.Get(e).Tiles {
					piece.Get(e).Tiles[i] = 0x1111_1111_1111_1111
				}
			})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(miner), p) })
			m.OnStreamIn(piece, func(e *donburi.Entry) { tendon.Predict(e, true) })
			still.Apply(m.Replication, func(tendon.Call, tendon.None) {})
			dig.Sample(m.Replication, func(*donburi.Entry) spade { return keys[m.Name] })
			dig.Apply(m.Replication, func(c tendon.Call, k spade) {
				if e, ok := piece.First(m.World()); ok && k.Dig {
					piece.Get(e).Tiles[k.Tile/16] &^= 15 << (k.Tile % 16 * 4)
					tendon.Bump(e, piece)
				}
			})
		},
		Step: func(m *tendontest.Machine) { still.Run(m.Replication); dig.Run(m.Replication) },
	}, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.08})
	server := lab.Host()
	clients := []*tendontest.Machine{lab.Join(), lab.Join()}
	lab.Steps(120)
	gone := map[*tendontest.Machine]map[uint16]bool{clients[0]: {}, clients[1]: {}}
	dug := func(m *tendontest.Machine, tile uint16) bool {
		e, _ := piece.First(m.World())
		return piece.Get(e).Tiles[tile/16]>>(tile%16*4)&15 == 0
	}
	for i := range 600 {
		clear(keys)
		for k, m := range clients {
			if (i+k)%5 == 0 {
				tile := uint16(server.Rand.IntN(512)*2 + k)
				keys[m.Name], gone[m][tile] = spade{true, tile}, true
			}
		}
		lab.Steps(1)
		for _, m := range clients {
			for tile := range gone[m] {
				if !dug(m, tile) {
					t.Fatalf("step %d: tile %d of %s is there again", i, tile, m.Name)
				}
			}
		}
	}
	clear(keys)
	lab.Steps(300)
	lab.CheckEqual()
	n, want := 0, len(gone[clients[0]])+len(gone[clients[1]])
	e, _ := piece.First(server.World())
	for _, w := range piece.Get(e).Tiles {
		n += bits.OnesCount64(w & 0x1111_1111_1111_1111)
	}
	check(t, "tiles that are dug", 1024-n, want)
}
