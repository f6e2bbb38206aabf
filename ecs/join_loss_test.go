package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where the packets of one step of a join are lost, they are sent again, and not all that follows twice.
func TestLossInAJoinCostsWhatIsLost(t *testing.T) {
	type stroke struct {
		Points []uint16 `rpl:"max=4000"`
	}
	p := tendon.NewProtocol("board")
	strokes := tendon.Replicate(p, "stroke", donburi.NewComponentType[stroke]())
	good, dead := netsim.Conditions{Delay: 25 * time.Millisecond}, netsim.Conditions{Loss: 1}
	join := func(lose int) (bytes uint64) {
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Step: func(*tendontest.Machine) {},
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnStart(func() {
					for range 20 {
						s := strokes.Get(m.Create(strokes))
						for range 4000 {
							s.Points = append(s.Points, uint16(m.Rand.Uint32()))
						}
					}
				})
			},
		}, good)
		server := lab.Host()
		lab.Steps(30)
		m := lab.Join()
		for i := range 120 {
			down := good
			if i == lose {
				down = dead
			}
			m.Dialer.SetConditions(good, down)
			lab.Steps(1)
		}
		n := 0
		for e := range strokes.Iter(m.World()) {
			n += len(strokes.Get(e).Points)
		}
		if n != 80_000 {
			t.Fatalf("lost in step %d: the client has %d of 80,000 points", lose, n)
		}
		for peer := range server.Peers() {
			bytes = server.Stats(peer).Conn.ReliableOut
		}
		return bytes
	}
	whole := join(-1)
	for _, lose := range []int{1, 4, 7} {
		if more := int(join(lose)) - int(whole); more > 25_000 {
			t.Errorf("what was lost in step %d costs %d bytes besides %d", lose, more, whole)
		}
	}
}
