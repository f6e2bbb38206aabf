package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Reliable calls do not wait for the long values that wait before them; those of one node, and calls among
// themselves, keep their order.
func TestCallsPassLongValues(t *testing.T) {
	type page struct {
		Text []byte `rpl:"max=60000"`
	}
	type chat struct {
		Lines int32 `rpl:""`
	}
	p := tendon.NewProtocol("calls pass")
	pages := tendon.Replicate(p, "page", donburi.NewComponentType[page]())
	room := tendon.Replicate(p, "room", donburi.NewComponentType[chat]())
	say := tendon.NewRPC[int32](p, "say", rpl.Broadcast, rpl.Reliable)
	turn := tendon.NewRPC[int32](p, "turn", rpl.Broadcast, rpl.Reliable)
	for _, line := range []struct{ rate, size, most int }{
		{0, 4_000, 8}, {64_000, 4_000, 15}, {64_000, 40_000, 15}, {20_000, 20_000, 60},
	} {
		var late, last, turned int
		var server *tendontest.Machine
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Step: func(*tendontest.Machine) {},
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnStart(func() {
					m.Create(room)
					for range 240_000 / line.size {
						text := make([]byte, line.size)
						for i := range text {
							text[i] = byte(m.Rand.Uint32())
						}
						pages.Get(m.Create(pages)).Text = text
					}
				})
				say.Handle(m.Replication, func(c tendon.Call, n int32) {
					if n != int32(last+1) {
						t.Errorf("line %v: call %d comes after %d", line, n, last)
					}
					last, late = int(n), max(late, int(server.Tick()-c.Tick))
				})
				turn.Handle(m.Replication, func(c tendon.Call, n int32) {
					if turned++; len(pages.Get(c.Entry).Text) != line.size {
						t.Errorf("line %v: a call comes before the page that it is about", line)
					}
				})
			},
		}, netsim.Conditions{Delay: 25 * time.Millisecond, Rate: line.rate})
		server = lab.Host()
		lab.Steps(30)
		lab.Join()
		for i := range 240 {
			lab.Steps(1)
			if e, ok := room.First(server.World()); ok && i%6 == 5 {
				say.Send(e, int32(i/6+1))
			}
			if e, ok := pages.First(server.World()); ok && i == 60 {
				turn.Send(e, 1)
			}
		}
		lab.Steps(1200)
		t.Logf("%d bytes a second, values of %d: a call is %d steps late", line.rate, line.size, late)
		if late > line.most || last != 40 || turned != 1 {
			t.Errorf("%d bytes a second, values of %d: %d and %d calls have come, one %d steps late", line.rate, line.size, last, turned, late)
		}
	}
}

// A call passes the long value of another node's arrival also if its own node is known to the client by the number
// that the arrival's set of components has.
func TestCallsOnAllNodesPassALongValue(t *testing.T) {
	type page struct {
		Text []byte `rpl:"max=60000"`
	}
	type chat struct {
		Lines int32 `rpl:""`
	}
	p := tendon.NewProtocol("calls on all pass")
	pages := tendon.Replicate(p, "page", donburi.NewComponentType[page]())
	room := tendon.Replicate(p, "room", donburi.NewComponentType[chat]())
	say := tendon.NewRPC[int32](p, "say", rpl.Broadcast, rpl.Reliable)
	came, late := 0, 0
	var server *tendontest.Machine
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Step: func(*tendontest.Machine) {},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			say.Handle(m.Replication, func(c tendon.Call, _ int32) {
				came, late = came+1, max(late, int(server.Tick()-c.Tick))
			})
		},
	}, netsim.Conditions{Delay: 25 * time.Millisecond, Rate: 20_000})
	server = lab.Host()
	var rooms []donburi.Entity
	for range 12 {
		rooms = append(rooms, server.Create(room).Entity())
	}
	lab.Join()
	lab.Steps(120)
	text := make([]byte, 50_000)
	for i := range text {
		text[i] = byte(server.Rand.Uint32())
	}
	pages.Get(server.Create(pages)).Text = text
	lab.Steps(12) // it is on its way
	for range 2 {
		for _, e := range rooms {
			say.Send(server.World().Entry(e), 1)
		}
	}
	lab.Steps(300)
	if came != 2*len(rooms) || late > 60 {
		t.Errorf("%d of %d calls have come, the last after %d steps", came, 2*len(rooms), late)
	}
}
