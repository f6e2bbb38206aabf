package ecs_test

import (
	"runtime"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	tileBits struct {
		T [1024]bool `rpl:""`
	}
	tileKinds struct {
		T [1024]uint8 `rpl:"max=15"`
	}
	tileBytes struct {
		T [1024]uint8 `rpl:""`
	}
	tileRow struct {
		T [256]uint8 `rpl:"max=15"`
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
	t.Run("1,024 bools", func(t *testing.T) { takesLittle[tileBits](t, 1024) })
	t.Run("1,024 kinds", func(t *testing.T) { takesLittle[tileKinds](t, 1024) })
	t.Run("1,024 bytes", func(t *testing.T) { takesLittle[tileBytes](t, 1024) })
	t.Run("256 kinds", func(t *testing.T) { takesLittle[tileRow](t, 256) })
	t.Run("a bag", func(t *testing.T) { takesLittle[tileBag](t, 80) })
}

func takesLittle[T any](t *testing.T, words int64) {
	p := tendon.NewProtocol("large")
	c := tendon.Replicate(p, "c", donburi.NewComponentType[T]())
	within := func(what string, before, each int64) {
		n, most := heapNow()-before, 512<<10+words*each // of small components it takes some 200 KiB
		t.Logf("%s takes %d KiB", what, n>>10)
		if n > most {
			t.Errorf("%s takes %d KiB, at most %d expected", what, n>>10, most>>10)
		}
	}

	before := heapNow()
	r, err := tendon.New(nil, p, tendon.Config{Dedicated: true})
	if err != nil {
		t.Fatal(err)
	}
	within("New", before, 1536)
	runtime.KeepAlive(r)

	lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Setup: func(*tendontest.Machine) {}, Step: func(*tendontest.Machine) {}}, netsim.Conditions{})
	server := lab.Host()
	lab.Join()
	server.Create(c)
	lab.Steps(30)
	before = heapNow()
	lab.Join()
	lab.Steps(30)
	within("one more client", before, 512)
	runtime.KeepAlive(lab)
}

// heapNow is how many bytes of the heap are in use.
func heapNow() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool holds goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
