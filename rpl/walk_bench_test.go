package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// crowdUnit is the component of BenchmarkWalk's nodes, with the nine fields of the
// bench. About a third of the nodes are held by peers, whose observers are among them.
type crowdUnit struct {
	Kind  uint8   `rpl:"max=3"`
	Pos   xy      `rpl:"pos,step=1/32,predict=Vel"`
	Angle float64 `rpl:"angle,bits=12"`
	Vel   xy      `rpl:"step=1/32"`
	HP    int16   `rpl:""`
	Anim  uint8   `rpl:""`
	Team  uint8   `rpl:""`
}

// counted is a sink that numbers its packets and drops them.
type counted struct {
	nowhere
	seq uint64
}

func (s *counted) Next() (uint64, int) { s.seq++; return s.seq, rpl.PacketRoom }

// BenchmarkWalk measures SetColumn of 10,000 nodes, with the processor's caches emptied
// before it, as a game does between two ticks.
func BenchmarkWalk(b *testing.B) {
	for _, c := range []struct {
		name   string
		moving int // per cent of the nodes
	}{{"still", 2}, {"crowd", 84}} { // as in the bench's mixes
		b.Run(c.name, func(b *testing.B) { benchmarkWalk(b, c.moving) })
	}
}

func benchmarkWalk(b *testing.B, moving int) {
	const nodes, side, hz, turns = 10_000, 8192, 60, 8
	rng := rand.New(rand.NewPCG(1, 2))
	s := rpl.NewSchema("walk")
	unit := s.Item("unit", reflect.TypeFor[crowdUnit](), nil)
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: hz, Interest: rpl.Grid{Enter: 400, Exit: 440}})
	if err != nil {
		b.Fatal(err)
	}
	units := make([]*crowdUnit, nodes)
	at := make([]unsafe.Pointer, nodes)
	column := a.NewColumn(unit, func(row int) unsafe.Pointer { return at[row] })
	column.Resize(nodes)
	for i := range units {
		u := &crowdUnit{Pos: xy{rng.Float64() * side, rng.Float64() * side}}
		if rng.IntN(100) < moving {
			u.Vel = xy{rng.Float64()*160 - 80, rng.Float64()*160 - 80}
		}
		n, err := a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{unit}, Streaming: rpl.Streaming{Relevance: rpl.Near}})
		if err != nil {
			b.Fatal(err)
		}
		it, _ := a.Item(n, 0)
		column.Put(i, it)
		units[i], at[i] = u, unsafe.Pointer(u)
	}
	for p := range 64 {
		if err := a.Connect(rpl.Server + rpl.Peer(p) + 1); err != nil {
			b.Fatal(err)
		}
	}
	var sinks [64]counted
	wash := make([]byte, 16<<20)
	var took []time.Duration
	tick := rpl.Tick(0)
	for b.Loop() {
		tick++
		for _, u := range units {
			if u.Vel != (xy{}) && rng.IntN(turns) == 0 {
				u.Vel = xy{rng.Float64()*160 - 80, rng.Float64()*160 - 80}
			}
			u.Pos.X += u.Vel.X / hz
			u.Pos.Y += u.Vel.Y / hz
		}
		for i := 0; i < len(wash); i += 64 {
			wash[i]++
		}
		a.Step(tick)
		begun := time.Now()
		a.SetColumn(column, at)
		took = append(took, time.Since(begun))
		for p := range 64 {
			a.Observe(rpl.Server+rpl.Peer(p)+1, [2]float64{units[p].Pos.X, units[p].Pos.Y})
		}
		a.Stream(0)
		a.Schedule(0)
		for p := range 64 {
			a.Encode(rpl.Server+rpl.Peer(p)+1, 0, &sinks[p])
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/nodes, "ns/node")
}
