package rpl_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// BenchmarkSpawn builds worlds node by node, as games do, with three rows per node. It
// reports time and memory per node, and the slowest Spawn, which a running game would
// notice.
func BenchmarkSpawn(b *testing.B) {
	for _, nodes := range []int{1_000, 10_000, 50_000, 200_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) { benchmarkSpawn(b, nodes) })
	}
}

func benchmarkSpawn(b *testing.B, nodes int) {
	s := rpl.NewSchema("spawn")
	items := []*rpl.ItemType{
		s.Build("body").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).
			Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done(),
		s.Build("life").Int("hp", 0, 100).Done(),
		s.Build("look").Int("kind", 0, 9).Int("color", 0, 255).Done(),
	}
	slowest, heap := time.Duration(0), uint64(0)
	for range b.N {
		a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: 60})
		if err != nil {
			b.Fatal(err)
		}
		before := heapInUse()
		for range nodes {
			began := time.Now()
			if _, err := a.Spawn(rpl.Spawn{Items: items}); err != nil {
				b.Fatal(err)
			}
			slowest = max(slowest, time.Since(began))
		}
		heap += heapInUse() - before
		runtime.KeepAlive(a)
	}
	built := float64(b.N * nodes)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/built, "ns/node")
	b.ReportMetric(slowest.Seconds()*1000, "slowest-ms")
	b.ReportMetric(float64(heap)/built, "B/node")
}

// heapInUse returns the bytes of reachable objects.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
