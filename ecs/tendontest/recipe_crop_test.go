package tendontest_test

// The guide's crop: planted in the frame of the key, and nobody's.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What is made by Prefab.Predict and given to nobody in the same tick is there from the frame of the key on, as
// one entity; it is nobody's on every machine, and stays when its player leaves.
func TestPlantedForNobody(t *testing.T) {
	type farmerData struct {
		Planted uint16 `rpl:""`
	}
	type cropData struct {
		Cell uint16 `rpl:"once"`
	}
	type tool struct {
		Use bool `rpl:"edge"`
	}
	for seed, c := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 75 * time.Millisecond, Loss: 0.05}} {
		p := tendon.NewProtocol("crops")
		farmer := tendon.Replicate(p, "farmer", donburi.NewComponentType[farmerData]())
		crop := tendon.Replicate(p, "crop", donburi.NewComponentType[cropData]())
		crops := tendon.NewPrefab(p, "crop", func(w donburi.World, cell uint16) *donburi.Entry {
			e := w.Entry(w.Create(crop))
			crop.Get(e).Cell = cell
			return e
		})
		use := tendon.NewCommand[tool](p, "use", farmer)
		pressing, pressed := true, 0
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: uint64(seed) + 1,
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(farmer), q) })
				use.Sample(m.Replication, func(*donburi.Entry) (k tool) {
					if k.Use = pressing && m.Name == "client 1" && m.Rand.IntN(20) == 0; k.Use {
						pressed++
					}
					return k
				})
				use.Apply(m.Replication, func(c tendon.Call, k tool) {
					if !k.Use {
						return
					}
					f := farmer.Get(c.Entry)
					f.Planted++
					e := crops.Predict(c, 0, f.Planted)
					if tendon.IsAuthority(e) {
						tendon.Give(e, 0)
					}
				})
			},
			Step: func(m *tendontest.Machine) { use.Run(m.Replication) },
		}, c)
		server := lab.Host()
		client, other := lab.Join(), lab.Join()
		of := map[uint16]donburi.Entity{}
		lab.Steps(60)
		for i := range 600 {
			pressing = i < 480
			lab.Steps(1)
			here := map[uint16]bool{}
			for e := range crop.Iter(client.World()) {
				cell := crop.Get(e).Cell
				if was, ok := of[cell]; here[cell] || ok && was != e.Entity() {
					t.Errorf("seed %d: crop %d is another entity than before, or two", seed+1, cell)
				}
				of[cell], here[cell] = e.Entity(), true
			}
			if len(here) < len(of) {
				t.Fatalf("seed %d: of %d crops %d are there", seed+1, len(of), len(here))
			}
		}
		if pressed < 10 || len(of) != pressed {
			t.Errorf("seed %d: %d crops of %d presses", seed+1, len(of), pressed)
		}
		lab.CheckEqual()
		client.Close("has enough")
		lab.Steps(60)
		for _, m := range []*tendontest.Machine{server, other} {
			n := 0
			for e := range crop.Iter(m.World()) {
				if n++; tendon.Owner(e) != 0 {
					t.Errorf("seed %d: a crop is of peer %d on %s", seed+1, tendon.Owner(e), m.Name)
				}
			}
			if n != pressed {
				t.Errorf("seed %d: %s has %d crops of %d", seed+1, m.Name, n, pressed)
			}
		}
	}
}
