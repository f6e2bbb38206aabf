package ecs_test

// Lines that are always full.

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type crowdedPlace struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

type crowdedText struct {
	Text []byte `rpl:"max=10000"`
}

var (
	crowdedProto = tendon.NewProtocol("crowded")
	crowdedThing = tendon.Replicate(crowdedProto, "thing", donburi.NewComponentType[crowdedPlace]())
	crowdedNote  = tendon.Replicate(crowdedProto, "note", donburi.NewComponentType[crowdedText]())
)

// A line becomes about as narrow as what the game sends, with a queue of some tenths of a second, and now and then there
// is a longer value. In a queue that is always full what is long finds no room, so for ten seconds no reliable message
// got through, and the server kicked the player: in 5 of these 24 sessions.
func TestAFullQueueGetsNobodyKicked(t *testing.T) {
	for seed := range uint64(4) {
		for _, rate := range []int{9000, 10_000} {
			for _, delay := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond} {
				for _, queue := range []float64{0.5} {
					if err := fullQueue(t, seed+1, netsim.Conditions{Delay: delay, Jitter: 5 * time.Millisecond, Loss: 0.01}, rate, queue); err != nil {
						t.Errorf("seed %d, %d bytes a second, %v, a queue of %.1f s: %v", seed+1, rate, delay, queue, err)
					}
				}
			}
		}
	}
}

// fullQueue plays such a session and returns why it ended, nil if it did not.
func fullQueue(t *testing.T, seed uint64, way netsim.Conditions, rate int, queue float64) (ended error) {
	rng := rand.New(rand.NewPCG(seed, 3))
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: crowdedProto, Seed: seed, Config: tendon.Config{Dedicated: true},
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for range 100 {
					m.Create(crowdedThing)
				}
			})
			m.OnEnd(func(err error) { ended = err })
		},
		Step: func(m *tendontest.Machine) {
			if m.IsAuthority() {
				for e := range crowdedThing.Iter(m.World()) {
					p := crowdedThing.Get(e)
					p.Pos = p.Pos.Add(gmath.Vec{X: float64(rng.IntN(64)-32) / 8, Y: float64(rng.IntN(64)-32) / 8})
				}
			}
		},
	}, way)
	host, client := lab.Host(), lab.Join()
	lab.Steps(300)
	narrow := way
	narrow.Rate, narrow.Queue = rate, int(queue*float64(rate))
	client.Dialer.SetConditions(way, narrow)
	for k := range 10 {
		if k%3 == 1 {
			text := make([]byte, rate/2)
			for i := range text {
				text[i] = byte(rng.Uint32())
			}
			crowdedNote.SetValue(host.Create(crowdedNote), crowdedText{text})
		}
		lab.Steps(120)
	}
	return ended
}
