package ecs_test

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Sixteen numbers of a component that all change at once, as when a bag is shuffled, come as any others do. The pattern
// of words of which each changes by much is that of all bits.
func TestAllOfSixteenNumbersChange(t *testing.T) {
	type bag struct {
		Of [16]uint8 `rpl:""`
	}
	p := tendon.NewProtocol("bags")
	bags := tendon.Replicate(p, "bag", donburi.NewComponentType[bag]())
	l := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for range 8 {
					m.Create(bags)
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() || m.Tick()%4 != 0 {
				return
			}
			for e := range bags.Iter(m.World()) {
				b := bags.Get(e)
				for i := range b.Of {
					if m.Rand.IntN(8) != 0 {
						b.Of[i] = uint8(m.Rand.IntN(16))
					}
				}
			}
		},
	}, netsim.Conditions{})
	l.Host()
	m := l.Join()
	l.Steps(60 * 40)
	for name, n := range m.Counters() {
		if (name == "packet refused" || name == "resync" || name == "state differs") && n > 0 {
			t.Errorf("%s: %d", name, n)
		}
	}
}
