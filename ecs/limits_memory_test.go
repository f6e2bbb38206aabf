package ecs_test

import (
	"runtime"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

type (
	tileBits struct {
		T [1024]bool `rpl:""`
	}
	tileKinds struct {
		T [1024]uint8 `rpl:"max=15"`
	}
	tileBag struct {
		Slots [40]struct {
			Item  uint8 `rpl:"max=15"`
			Count uint8 `rpl:"max=15"`
		} `rpl:"to=owner"`
	}
)

// What a session takes for a component grows with its words, not with their square: a piece of a
// map of 1,024 tiles took a gigabyte.
func TestLargeComponentsTakeLittle(t *testing.T) {
	heap := func(replicate func(p *tendon.Protocol)) int64 {
		var before, after runtime.MemStats
		p := tendon.NewProtocol("large")
		replicate(p)
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := tendon.New(nil, p, tendon.Config{Dedicated: true})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(r)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	for name, of := range map[string]struct {
		replicate func(p *tendon.Protocol)
		most      int64
	}{
		"1,024 bools":   {func(p *tendon.Protocol) { tendon.Replicate(p, "c", donburi.NewComponentType[tileBits]()) }, 8 << 20},
		"1,024 numbers": {func(p *tendon.Protocol) { tendon.Replicate(p, "c", donburi.NewComponentType[tileKinds]()) }, 8 << 20},
		"a bag":         {func(p *tendon.Protocol) { tendon.Replicate(p, "c", donburi.NewComponentType[tileBag]()) }, 2 << 20},
	} {
		if n := heap(of.replicate); n > of.most {
			t.Errorf("%s: New takes %d KiB", name, n>>10)
		}
	}
}
