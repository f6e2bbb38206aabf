package rpl_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// What a send costs goes with what peers see of what changes, not with how many nodes there
// are: at one density, the distances that are looked at and the rows that are sent are as many
// in a world of 40,000 nodes as in one of 2,500.
func TestWorkGoesWithWhatIsSeen(t *testing.T) {
	const seed, enter, inView, peers, ticks = 9, 40.0, 60, 8, 120
	work := func(nodes int) (checks, records float64) {
		s := rpl.NewSchema("work")
		typ := s.Item("dot", reflect.TypeFor[dot](), nil)
		a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: rpl.Grid{Enter: enter, Exit: 1.1 * enter}})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, uint64(nodes)))
		edge := math.Sqrt(float64(nodes) * math.Pi * enter * enter / inView)
		dots, items := make([]dot, nodes), make([]rpl.Item, nodes)
		for i := range dots {
			dots[i].Pos = xy{r.Float64() * edge, r.Float64() * edge}
			n, err := a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			items[i], _ = a.Item(n, 0)
		}
		at := make([][2]float64, peers)
		for p := range at { // in the middle, where none sees beyond the world's edge
			at[p] = [2]float64{edge/2 + r.NormFloat64(), edge/2 + r.NormFloat64()}
			if err := a.Connect(rpl.Peer(p + 2)); err != nil {
				t.Fatal(err)
			}
		}
		var down pipe
		var before rpl.Counters
		for tick := range rpl.Tick(2 * ticks) {
			now := time.Duration(tick+1) * time.Second / 60
			if tick == ticks {
				before = a.Counters()
			}
			a.Step(tick + 1)
			for i := range dots {
				if i%10 == 0 {
					dots[i].Pos.X += r.Float64() - 0.5
				}
				if i%10 == 0 || tick == 0 {
					a.Set(items[i], unsafe.Pointer(&dots[i]))
				}
			}
			for p := range at {
				at[p][0] += 0.5 * math.Sin(float64(tick)/10+float64(p))
				a.Observe(rpl.Peer(p+2), at[p])
			}
			a.Stream(now)
			a.Schedule(now)
			for p := range at {
				a.Encode(rpl.Peer(p+2), now, &down)
			}
			down = pipe{}
		}
		after := a.Counters()
		return float64(after.DistanceChecks - before.DistanceChecks), float64(after.Records - before.Records)
	}
	checks, records := work(2500)
	for _, nodes := range []int{10_000, 40_000} {
		if c, n := work(nodes); c > 1.3*checks || n > 1.3*records {
			t.Errorf("seed %d: %d nodes take %.0f looks at distances and %.0f rows, 2,500 take %.0f and %.0f", seed, nodes, c, n, checks, records)
		}
	}
}
