package ecs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type countData struct {
	Left  int     `rpl:"notify"`
	Left2 int32   `rpl:"notify"`
	Left3 uint32  `rpl:""`
	Frame int32   `rpl:"interp=step"`
	Level float64 `rpl:"step=1/32"`
}

// What counts evenly stops where the server's does, and begins anew where it does: clients have no
// number, and OnChange tells of none, that the server never had, on good lines and on bad ones,
// where a node is sent now and then, with numbers that are told as they are and with large ones that
// are counted on.
func TestCountsAreExact(t *testing.T) {
	p := tendon.NewProtocol("counts")
	count := tendon.Replicate(p, "count", donburi.NewComponentType[countData]())
	lines := []netsim.Conditions{{Delay: 30 * time.Millisecond}, tendontest.LateLine(), {Delay: 40 * time.Millisecond, Loss: 0.05}, {Delay: 40 * time.Millisecond, Loss: 0.05, Burst: 4}, {Delay: 40 * time.Millisecond, Loss: 0.2}}
	for _, c := range lines {
		for _, hz := range []uint8{0, 10, 1} {
			seeds := uint64(4)
			if hz == 0 {
				seeds = someRuns(uint64(40))
			}
			for seed := range seeds {
				from := int(seed % 4 / 2 << 20)
				lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Seed: seed + 1, Step: func(*tendontest.Machine) {}}, c)
				server, client := lab.Host(), lab.Join()
				wrong := func(d countData) bool {
					if d == (countData{}) {
						return false
					}
					left, frame, level := d.Left-from, int(d.Frame)-from, d.Level-float64(from)
					return left < 0 || left > 90 || int(d.Left2) != d.Left || int(d.Left3) != d.Left || frame < 0 || frame > 7 || level < 0 || level > 90
				}
				var had []countData
				note := func(d countData) {
					if wrong(d) && len(had) < 3 {
						had = append(had, d)
					}
				}
				tendon.OnChange(client.Replication, count, func(e *donburi.Entry, _ countData) { note(*count.Get(e)) })
				e := server.Create(count)
				components.RplNode.Get(e).Hz = hz
				every := []int{1, 2, 3}[seed%3]
				for i := range 100*every + 60 {
					d := count.Get(e)
					if left := from + max(0, 90-i/every); i%every == 0 {
						*d = countData{left, int32(left), uint32(left), int32(from + i/every%8), float64(left)}
					}
					lab.Steps(1)
					if o, ok := client.Find(tendon.ID(e)); ok {
						note(*count.Get(o))
					}
				}
				if len(had) > 0 {
					t.Errorf("%+v, Hz %d, seed %d, one in %d steps: the client had %v", c, hz, seed, every, had)
				}
				lab.Steps(240)
				if end := count.Get(lab.Other(client, e)); end.Left != from {
					t.Errorf("%+v, Hz %d: it ends at %+v", c, hz, *end)
				}
			}
		}
	}
}

// A cooldown, the frame of an animation or a score that rises now and then is not held up by lost
// packets: it is told as it is, and is as late as the newest packet.
func TestShownCountsAreInTime(t *testing.T) {
	p := tendon.NewProtocol("counts in time")
	count := tendon.Replicate(p, "count", donburi.NewComponentType[countData]())
	for seed := range uint64(8) {
		lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Seed: seed + 1, Step: func(*tendontest.Machine) {}}, netsim.Conditions{Delay: 75 * time.Millisecond, Loss: 0.05})
		server, client := lab.Host(), lab.Join()
		e := server.Create(count)
		score := server.Create(count)
		count.Get(e).Left, count.Get(score).Left = 1200, 100_000
		lab.Steps(60)
		var late []int
		behind := 0
		for i := range 1200 {
			count.Get(e).Left, count.Get(score).Left = 1200-i, 100_000+i/7
			lab.Steps(1)
			late = append(late, count.Get(lab.Other(client, e)).Left-count.Get(e).Left)
			behind += count.Get(score).Left - count.Get(lab.Other(client, score)).Left
		}
		if behind > 1200 {
			t.Errorf("seed %d: a score is behind by %.2f on average", seed, float64(behind)/1200)
		}
		slices.Sort(late)
		if p90, most := late[len(late)*9/10], late[len(late)-1]; p90 > 12 || most > 30 {
			t.Errorf("seed %d: late by %d ticks in a tenth of the time, and by %d at most", seed, p90, most)
		}
	}
}
