package tendontest_test

// The guide's recipe for belts: an item is the tick at which it came in, and each machine draws its way from that.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type beltData struct {
	Pos   gmath.Vec `rpl:"step=1,pos"`
	Items [4]uint32 `rpl:"explicit,interp=step"`
}

const beltTravel = 40 // ticks from end to end

func beltPlace(items *[4]uint32, i int, t float64) float64 {
	in := int32((uint32(t)-items[i])<<8) >> 8
	way := (max(0, float64(in)) + t - math.Floor(t)) / beltTravel
	return min(way, 1-float64(i)/4)
}

func beltPut(e *donburi.Entry, items *[4]uint32, kind uint8, t rpl.Tick) bool {
	for i := range items {
		if items[i] == 0 {
			if i > 0 && beltPlace(items, i-1, float64(t)) < 0.25 {
				return false
			}
			items[i] = uint32(kind)<<24 | uint32(t)&0xffffff
			return true
		}
	}
	return false
}

func beltTake(items *[4]uint32, t rpl.Tick) (kind uint8) {
	if items[0] == 0 || beltPlace(items, 0, float64(t)) < 1 {
		return 0
	}
	kind = uint8(items[0] >> 24)
	for i := 1; i < 4; i++ {
		if items[i] != 0 {
			if at := beltPlace(items, i, float64(t)); at == 1-float64(i)/4 { // it has waited: it goes on from here
				items[i] = items[i]&0xff000000 | (uint32(t)-uint32(at*beltTravel))&0xffffff
			}
		}
		items[i-1] = items[i]
	}
	items[3] = 0
	return kind
}

// What is drawn of belts at a tick is what the server had then, and an item on its way costs no byte.
func TestBelts(t *testing.T) {
	p := tendon.NewProtocol("belts")
	belt := tendon.Replicate(p, "belt", donburi.NewComponentType[beltData]())
	const belts = 12
	var row []donburi.Entity
	took, running := 0, true
	was := map[int][belts][4]float64{}
	places := func(items func(i int) [4]uint32, at float64) (all [belts][4]float64) {
		for i := range all {
			slots := items(i)
			for j := range slots {
				if all[i][j] = -1; slots[j] != 0 {
					all[i][j] = float64(slots[j]>>24) + beltPlace(&slots, j, at)/2
				}
			}
		}
		return all
	}
	off, drawn := 0, 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range belts {
					e := m.World().Entry(m.World().Create(components.RplNode, belt))
					belt.Get(e).Pos.X = float64(i)
					row = append(row, e.Entity())
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			if m.Name != "server" {
				return
			}
			for i := len(row) - 1; i >= 0 && running; i-- {
				e := m.World().Entry(row[i])
				items := &belt.Get(e).Items
				if i == belts-1 && int(m.Tick())%60 < 20 { // the end is blocked now and then
					continue
				}
				if items[0] != 0 && beltPlace(items, 0, float64(m.Tick())) >= 1 {
					if i == belts-1 {
						beltTake(items, m.Tick())
						took++
					} else if next := m.World().Entry(row[i+1]); beltPut(next, &belt.Get(next).Items, uint8(items[0]>>24), m.Tick()) {
						beltTake(items, m.Tick())
						tendon.Bump(next, belt)
					}
					tendon.Bump(e, belt)
				}
			}
			if first := m.World().Entry(row[0]); running && m.Tick()%10 == 0 && beltPut(first, &belt.Get(first).Items, uint8(1+m.Rand.IntN(9)), m.Tick()) {
				tendon.Bump(first, belt)
			}
			was[int(m.Tick())] = places(func(i int) [4]uint32 { return belt.Get(m.World().Entry(row[i])).Items }, float64(m.Tick()))
		},
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(120)
	lab.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		if m != client {
			return
		}
		at := math.Floor(m.ViewTick())
		here := map[int]*donburi.Entry{}
		for e := range belt.Iter(m.World()) {
			here[int(belt.Get(e).Pos.X)] = e
		}
		if len(here) < belts {
			return
		}
		drawn++
		if places(func(i int) [4]uint32 { return tendon.View(here[i], belt).Items }, at) != was[int(at)] {
			off++
		}
	})
	if drawn < 500 || off > 0 || took < 10 {
		t.Errorf("%d items have come through; of %d frames %d show belts otherwise than the server had them at that tick", took, drawn, off)
	}
	running = false
	lab.Steps(120)
	bytes := func() uint64 {
		before := server.Stats(client.Me()).Conn.BytesOut
		lab.Steps(beltTravel - 20)
		return server.Stats(client.Me()).Conn.BytesOut - before
	}
	rest := bytes()
	for _, e := range row {
		belt.Get(server.World().Entry(e)).Items = [4]uint32{1<<24 | uint32(server.Tick())}
		tendon.Bump(server.World().Entry(e), belt)
	}
	lab.Steps(15)
	if on := bytes(); on > rest {
		t.Errorf("items on their way take %d bytes, and belts at rest %d", on, rest)
	}
}
