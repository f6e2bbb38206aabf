package ecs_test

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	largeBytes struct {
		B []byte `rpl:"max=65534"`
	}
	largeQuad struct {
		A, B, C, D float32 `rpl:""`
	}
	largeList struct {
		L []largeQuad `rpl:"max=4090"`
	}
)

// A value of the largest size that changes throughout is sent whole: a difference would be longer
// than peers accept, and all would be sent anew.
func TestLargestValuesChange(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, seed))
	var log bytes.Buffer
	p := tendon.NewProtocol("large values")
	b := tendon.Replicate(p, "bytes", donburi.NewComponentType[largeBytes]())
	l := tendon.Replicate(p, "list", donburi.NewComponentType[largeList]())
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Step: func(*tendontest.Machine) {},
		Configure: func(name string, c *tendon.Config) {
			c.Dedicated, c.Log = name == "server", slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		},
	}, netsim.Conditions{})
	server := lab.Host()
	client := lab.Join()
	e, f := server.Create(b), server.Create(l)
	for i := range 4 {
		of := make([]byte, 65534)
		for k := range of {
			of[k] = byte(rng.Uint32())
		}
		list := make([]largeQuad, 4090)
		for k := range list {
			list[k] = largeQuad{rng.Float32(), rng.Float32(), rng.Float32(), rng.Float32()}
		}
		b.Get(e).B, l.Get(f).L = of, list
		lab.Steps(600)
		if x, ok := b.First(client.World()); !ok || !bytes.Equal(b.Get(x).B, of) {
			t.Errorf("seed %d, change %d: the client does not have the bytes", seed, i)
		}
		if x, ok := l.First(client.World()); !ok || !slices.Equal(l.Get(x).L, list) {
			t.Errorf("seed %d, change %d: the client does not have the list", seed, i)
		}
	}
	if s := log.String(); strings.Contains(s, "cannot read") {
		t.Errorf("seed %d: %s", seed, s)
	}
}
