package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A bag of several packets goes as a reliable message, and takes long where packets are lost. Meanwhile what has come
// of the rest is compared, and the bag stays as it was predicted: what was moved from a shelf into it is neither
// twice on this machine nor nowhere, however long its message takes.
func TestLongValueIsNotTakenForItsState(t *testing.T) {
	type shelf struct {
		Left int `rpl:"min=0,max=60"`
	}
	type item struct {
		Kind, Wear, Maker, Owner uint16 `rpl:""`
	}
	type bag struct {
		Items []item `rpl:"max=400"`
	}
	for seed := range someRuns(uint64(10)) {
		p := tendon.NewProtocol("store")
		shelves := tendon.Replicate(p, "shelf", donburi.NewComponentType[shelf]())
		bags := tendon.Replicate(p, "bag", donburi.NewComponentType[bag]())
		take := tendon.NewCommand[int](p, "take", bags)
		sell := tendon.NewCommand[tendon.None](p, "sell", shelves)
		line := netsim.Conditions{Delay: 75 * time.Millisecond, Loss: 0.2}
		net := mem.NewNetwork(seed+1, line)
		step := 0
		var shelfOf *donburi.Entry
		filled := func(n int) (items []item) {
			for i := range n {
				x := uint32((i+1)*n) * 2654435761
				items = append(items, item{uint16(x), uint16(x >> 16), uint16(x >> 3), uint16(x >> 7)})
			}
			return items
		}
		session := func(dedicated bool) *tendon.Replication {
			r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
			if err != nil {
				t.Fatal(err)
			}
			take.Sample(r, func(e *donburi.Entry) int {
				if step > 300 && step < 540 && step%15 == 0 {
					return 1
				}
				return 0
			})
			sell.Apply(r, func(tendon.Call, tendon.None) {}) // so that the shelf is predicted, too
			take.Apply(r, func(c tendon.Call, n int) {
				rack, ok := tendon.Mine(r, shelves)
				if dedicated {
					rack, ok = shelfOf, true
				}
				for ; ok && n > 0; n-- {
					if s := shelves.Get(rack); s.Left > 0 {
						s.Left--
						b := bags.Get(c.Entry)
						b.Items = filled(len(b.Items) + 1)
					}
				}
			})
			return r
		}
		server, client := session(true), session(false)
		server.OnJoin(func(q rpl.Peer) {
			e := server.Create(bags)
			bags.Get(e).Items = filled(240)
			tendon.Give(e, q)
			shelfOf = server.Create(shelves)
			shelves.Get(shelfOf).Left = 60
			tendon.Give(shelfOf, q)
		})
		listener := net.Listener()
		server.Host(listener)
		client.Join(net.Dialer(listener))
		wrong, first, before := 0, 0, uint64(0)
		for step = range 800 {
			if net.Advance(time.Second / 60); step == 300 {
				before = client.Stats(0).Conn.BytesIn
			}
			for _, r := range []*tendon.Replication{server, client} {
				r.Receive()
				take.Run(r)
				sell.Run(r)
				r.Send()
			}
			if e, ok := tendon.Mine(client, shelves); ok && step > 300 {
				b, _ := tendon.Mine(client, bags)
				if n := shelves.Get(e).Left + len(bags.Get(b).Items); n != 300 {
					if wrong++; wrong == 1 {
						first = step
					}
				}
			}
		}
		if wrong > 0 {
			t.Errorf("seed %d: in %d steps, from %d on, an item is twice here or nowhere", seed+1, wrong, first)
		}
		if n := client.CommandStats().Corrections; n > 0 {
			t.Errorf("seed %d: %d corrections of what was predicted right", seed+1, n)
		}
		e, _ := tendon.Mine(client, shelves)
		taken := 60 - shelves.Get(e).Left
		if taken == 0 {
			t.Errorf("seed %d: nothing was taken", seed+1)
		}
		if n := (client.Stats(0).Conn.BytesIn - before) / uint64(max(taken, 1)); n > 8_000 { // 2,200 each, and a fifth of all packets is lost
			t.Errorf("seed %d: %d bytes for each change of the bag", seed+1, n)
		}
	}
}
