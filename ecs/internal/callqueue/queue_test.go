package callqueue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// thing is a node with the calls on it.
type thing struct{ calls List }

// Whatever is added, taken, run and dropped, each call runs once or is taken once, those on
// one node in the order in which they were made.
func TestEachCallOnce(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, seed))
	var q Queue[*thing, int]
	things := make([]*thing, 5)
	waiting := make([][]int, len(things)) // what should wait, by thing
	for i := range things {
		things[i] = &thing{}
	}
	made := 0
	add := func(i int) {
		made++
		q.Add(&things[i].calls, things[i], made)
		waiting[i] = append(waiting[i], made)
	}
	for range 5000 {
		switch i := rng.IntN(len(things)); rng.IntN(8) {
		case 0:
			got := slices.Collect(q.Take(&things[i].calls, things[i]))
			if !slices.Equal(got, waiting[i]) {
				t.Fatalf("%v are taken, not %v", got, waiting[i])
			}
			waiting[i] = nil
		case 1:
			due := waiting
			waiting = make([][]int, len(things))
			ran := make([][]int, len(things))
			last := 0
			q.Run(func(n *thing, c int) {
				if c <= last {
					t.Fatalf("%d runs after %d", c, last)
				}
				last = c
				i := slices.Index(things, n)
				ran[i] = append(ran[i], c)
				if rng.IntN(3) == 0 {
					add(rng.IntN(len(things)))
				}
			})
			for i := range ran {
				if !slices.Equal(ran[i], due[i]) {
					t.Fatalf("%v run, not %v", ran[i], due[i])
				}
			}
		case 2:
			n := 0
			for i := range waiting {
				n += len(waiting[i])
				waiting[i] = nil
			}
			if got := q.Drop(); got != uint64(n) {
				t.Fatalf("%d are dropped, not %d", got, n)
			}
		default:
			add(i)
		}
	}
}

// What is called while the calls on a node are taken waits.
func TestTakeYieldsNoNewCalls(t *testing.T) {
	var q Queue[*thing, int]
	a := &thing{}
	q.Add(&a.calls, a, 1)
	for c := range q.Take(&a.calls, a) {
		if c != 1 {
			t.Errorf("%d is taken", c)
		}
		q.Add(&a.calls, a, c+1)
	}
	ran := 0
	q.Run(func(_ *thing, c int) { ran += c })
	if ran != 2 {
		t.Errorf("then %d ran", ran)
	}
}
