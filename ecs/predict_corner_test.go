package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The head of a snake goes a tile in each of ten steps a second, however wide the tiles are, and turns: its own player
// sees it go from tile to tile.
func TestOwnHeadTurnsCorners(t *testing.T) {
	type head struct {
		Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
		Gone uint16    `rpl:""`
	}
	const tile = 48
	p := tendon.NewProtocol("snake")
	heads := tendon.Replicate(p, "head", donburi.NewComponentType[head]())
	crawl := tendon.NewCommand[tendon.None](p, "crawl", heads)
	ways := []gmath.Vec{{X: tile}, {Y: tile}, {X: -tile}, {Y: -tile}}
	l := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Config:    tendon.Config{Steps: 10, Sends: 10},
		Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(heads), q) })
			crawl.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				h := heads.Get(c.Entry)
				h.Gone++
				h.Pos = h.Pos.Add(ways[h.Gone/3%4])
			})
		},
		Step: func(m *tendontest.Machine) { crawl.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	l.Host()
	l.Join()
	l.Steps(60)
	var was gmath.Vec
	frames, cuts := 0, 0
	l.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		for e := range heads.Iter(m.World()) {
			if !tendon.IsOwner(e) {
				continue
			}
			at := tendon.View(e, heads).Pos
			if frames++; frames > 1 && at.DistanceTo(was) > tile/2 {
				cuts++
			}
			was = at
		}
	})
	if frames == 0 || cuts > 0 {
		t.Errorf("it leaps in %d of %d frames", cuts, frames)
	}
}
