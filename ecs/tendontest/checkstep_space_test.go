package tendontest_test

import (
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
)

type nearData struct {
	Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
	Near uint32    `rpl:""`
}

type foeData struct {
	Pos gmath.Vec `rpl:"step=1/32,pos"` // not drawn between, so that it is not moved on for rules
}

// A rule that reads where others are by asking Space reads them.
func TestCheckStepFindsWhatSpaceIsAsked(t *testing.T) {
	p := tendon.NewProtocol("near")
	man := tendon.Replicate(p, "man", donburi.NewComponentType[nearData]())
	foe := tendon.Replicate(p, "foe", donburi.NewComponentType[foeData]())
	walk := tendon.NewCommand[int8](p, "walk", man)
	g := tendontest.Game{Protocol: p}
	g.Setup = func(m *tendontest.Machine) {
		foes := m.Space(filter.Contains(foe))
		m.OnStart(func() { m.Create(foe) })
		m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(man), q) })
		walk.Sample(m.Replication, func(*donburi.Entry) int8 { return int8(m.Rand.IntN(3) - 1) })
		walk.Apply(m.Replication, func(c tendon.Call, by int8) {
			d := man.Get(c.Entry)
			d.Pos.X += float64(by)
			for _, far := range foes.Nearest(d.Pos, 1) {
				d.Near = uint32(far)
			}
		})
	}
	g.Step = func(m *tendontest.Machine) {
		if m.IsAuthority() {
			foe.Get(foe.MustFirst(m.World())).Pos.X = float64(m.Tick() % 500)
		}
		walk.Run(m.Replication)
	}
	found := false
	for _, i := range tendontest.Impurities(t, g, 600) {
		found = found || strings.Contains(i.Component+"."+i.Field, "foe.Pos")
	}
	if !found {
		t.Error("foe.Pos is not named")
	}
}
