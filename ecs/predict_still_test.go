package ecs_test

import (
	"log/slog"
	"strings"
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

type stillData struct {
	Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
	Burn int32     `rpl:""`
	keys runKeys
}

// What a client predicts and no rule there moves, while the authority does in most states, is named once: a command
// without Unpredicted whose Apply only keeps the input. Nothing is said of what rules move, however often they are
// corrected, nor of what the authority alone changes now and then, or of nodes that are nobody's.
func TestPredictedWithoutRule(t *testing.T) {
	for _, tc := range []struct {
		name, what      string
		kept, waits     bool // Apply only keeps the input; the command is Unpredicted
		beside          bool // a system of the server's pushes, too
		burns           int  // every so many ticks the server alone changes a field
		nobodys, guided bool // it is predicted, and nobody owns it; after five seconds a system of the server's moves it
	}{
		{name: "it only keeps the input", what: "hero.Pos", kept: true},
		{name: "it waits", kept: true, waits: true},
		{name: "it moves"},
		{name: "it is corrected all the time", beside: true},
		{name: "it burns", burns: 5},
		{name: "nobody's", kept: true, nobodys: true},
		{name: "it is guided for a while", guided: true},
	} {
		var log journal
		p := tendon.NewProtocol("still")
		hero := tendon.Replicate(p, "hero", donburi.NewComponentType[stillData]())
		walk := tendon.NewCommand[runKeys](p, "walk", hero)
		if tc.waits {
			walk.Unpredicted()
		}
		corrections := 0
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p,
			Config:   tendon.Config{Debug: true, Log: slog.New(slog.DiscardHandler)},
			Configure: func(machine string, c *tendon.Config) {
				if machine != "server" {
					c.Log = log.logger()
				}
			},
			Setup: func(m *tendontest.Machine) {
				m.OnCorrection(func(tendon.Correction) { corrections++ })
				m.OnJoin(func(q rpl.Peer) {
					e := m.Create(hero)
					if !tc.nobodys {
						tendon.Give(e, q)
					}
				})
				m.OnStreamIn(hero, func(e *donburi.Entry) { tendon.Predict(e, tc.nobodys || tendon.IsOwner(e)) })
				walk.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
				walk.Apply(m.Replication, func(c tendon.Call, k runKeys) {
					h := hero.Get(c.Entry)
					if h.keys = k; !tc.kept && !(tc.guided && c.Tick > 400) {
						h.Pos = h.Pos.Add(k.Dir)
					}
				})
			},
			Step: func(m *tendontest.Machine) {
				walk.Run(m.Replication)
				for e := range hero.Iter(m.World()) {
					if h := hero.Get(e); !e.HasComponent(components.Proxy) {
						if tc.kept || tc.beside || tc.guided && m.Tick() > 400 {
							h.Pos.X += 2
						}
						if tc.burns > 0 && int(m.Tick())%tc.burns == 0 {
							h.Burn++
						}
					}
				}
			},
		}, netsim.Conditions{Delay: 30 * time.Millisecond})
		server, client := lab.Host(), lab.Join()
		lab.Steps(1200)
		const counter = "predicted without a rule"
		lines := 0
		for _, line := range log.lines() {
			if strings.Contains(line, `msg="`+counter+`"`) {
				if lines++; !strings.Contains(line, "what="+tc.what) || !strings.Contains(line, "Unpredicted") {
					t.Errorf("%s: it says %q", tc.name, line)
				}
			}
		}
		want := 0
		if tc.what != "" {
			want = 1
		}
		check(t, tc.name+": lines", lines, want)
		check(t, tc.name+": it is counted", *client.Counter(counter), uint64(want))
		check(t, tc.name+": on the server", *server.Counter(counter), 0)
		if !tc.waits && (tc.kept || tc.beside || tc.guided || tc.burns > 0) != (corrections > 150) {
			t.Errorf("%s: %d corrections: that shows nothing", tc.name, corrections)
		}
	}
}
