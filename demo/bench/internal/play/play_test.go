package play

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/link"
	"github.com/tendonengine/tendon/demo/bench/internal/othersim"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

// tiny makes a trace for these tests: fields in another order than in other traces, 25
// Hz, no velocity, teleports, deaths, and slots that are used again.
func tiny(t *testing.T, seed uint64) *trace.Trace {
	t.Helper()
	const slots, ticks = 50, 150
	rng := rand.New(rand.NewPCG(seed, 25))
	r := trace.NewRecorder("tiny", 25, slots, []trace.Field{
		{Name: "on", Role: trace.Alive},
		{Name: "heat"},
		{Name: "down", Role: trace.PosY},
		{Name: "along", Role: trace.PosX},
		{Name: "dial", Role: trace.Angle, Min: 0, Max: 99},
	})
	rows := make([][]int32, slots)
	for range ticks {
		for i := range rows {
			switch {
			case rows[i] == nil && rng.IntN(20) == 0 || len(rows[i]) == 0 && i%3 == 0:
				rows[i] = []int32{1, 0, rng.Int32N(2000), rng.Int32N(2000), rng.Int32N(100)}
			case rows[i] != nil && i%3 != 0 && rng.IntN(40) == 0:
				rows[i] = nil
			case rows[i] != nil && i%2 == 0:
				rows[i][1] += rng.Int32N(7) - 3
				rows[i][3] += rng.Int32N(5) - 2
				rows[i][4] = (rows[i][4] + 3) % 100
				if rng.IntN(50) == 0 {
					rows[i][2], rows[i][3] = rng.Int32N(2000), rng.Int32N(2000)
				}
			}
			r.Add(rows[i])
		}
	}
	tr, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func options(t *trace.Trace) Options {
	return Options{Trace: t, Clients: 1, Send: t.Hz, RTT: 100 * time.Millisecond, Workers: 1, Seed: 1}
}

// Every client equals the trace at the end, for every trace and under all conditions.
func TestEveryWorldIsEqual(t *testing.T) {
	cave, err := othersim.Record(othersim.Slots, othersim.Ticks, 5)
	if err != nil {
		t.Fatal(err)
	}
	arena := smallArena(t, 1)
	for _, w := range []struct {
		name   string
		t      *trace.Trace
		radius float64
	}{{"tiny", tiny(t, 1), 700}, {"cave", cave, 3000}, {"arena", arena, 12_800}} {
		for _, c := range []struct {
			name string
			set  func(o *Options)
		}{
			{"clean", func(*Options) {}},
			{"near", func(o *Options) { o.Clients, o.Radius = 8, w.radius }},
			{"lossy", func(o *Options) { o.Loss, o.Jitter = 0.3, 40*time.Millisecond }},
			{"near and lossy", func(o *Options) {
				o.Clients, o.Radius, o.Loss, o.Jitter, o.RTT = 8, w.radius, 0.3, 40*time.Millisecond, 120*time.Millisecond
			}},
			{"fewer sends", func(o *Options) { o.Send = 7 }},
			{"more sends than ticks", func(o *Options) { o.Send = 1000 }},
			{"no delay", func(o *Options) { o.RTT = 0 }},
			{"four workers", func(o *Options) { o.Clients, o.Workers = 8, 4 }},
			{"warm", func(o *Options) { o.Warm = w.t }},
		} {
			t.Run(w.name+" "+c.name, func(t *testing.T) {
				o := options(w.t)
				c.set(&o)
				r, err := Run(o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Mismatches != 0 {
					t.Errorf("seed %d: %d mismatches: %s", o.Seed, r.Mismatches, r.JSON())
				}
				if r.Sends == 0 || r.Payload <= 0 || r.Nodes <= 0 || r.StreamIns == 0 || r.Short > 0 {
					t.Errorf("hardly anything was measured: %s", r.JSON())
				}
				if r.Oversize != 0 {
					t.Errorf("%d packets were too long", r.Oversize)
				}
			})
		}
	}
}

// No client is sent more than its budget allows, and every client still equals the
// trace at the end.
func TestBudgetHolds(t *testing.T) {
	for _, loss := range []float64{0, 0.1, 0.3} {
		o := options(tiny(t, 2))
		o.Clients, o.Radius, o.Budget, o.Loss = 4, 700, 3000, loss
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.0f %% loss: %v", 100*loss, r.BudgetExcess)
		if r.BudgetExcess > 0 || r.BudgetExcess < -3*1200 {
			t.Errorf("%.0f %% loss: the worst excess over %d bytes a second is %v", 100*loss, o.Budget, r.BudgetExcess)
		}
		if r.Mismatches != 0 {
			t.Errorf("%.0f %% loss: %d mismatches", 100*loss, r.Mismatches)
		}
	}
}

// With explicit changes the server sends as many bytes as when the library compares all
// components, and every value is right at every tick.
func TestExplicitChangesNothing(t *testing.T) {
	var payload [2]float64
	for i, explicit := range []bool{false, true} {
		o := options(smallArena(t, 2))
		o.Clients, o.Radius, o.Explicit = 40, 12_800, explicit
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Mismatches != 0 {
			t.Errorf("explicit %v: %d mismatches", explicit, r.Mismatches)
		}
		payload[i] = r.Payload
	}
	if payload[0] != payload[1] {
		t.Errorf("%v bytes a send compared, %v said", payload[0], payload[1])
	}
}

// A witness hashes and counts all that arrives at an end.
type witness struct {
	end
	heard hash.Hash64
	count int
}

func (w *witness) Received() ([]link.Datagram, [][]byte) {
	datagrams, messages := w.end.Received()
	for _, d := range datagrams {
		fmt.Fprintln(w.heard, d.Seq, d.At, d.Data)
	}
	for _, m := range messages {
		fmt.Fprintln(w.heard, m)
	}
	w.count += len(datagrams) + len(messages)
	return datagrams, messages
}

// The number of workers changes no byte that arrives at any client.
func TestWorkersChangeNothing(t *testing.T) {
	tr := tiny(t, 3)
	var got [2][]uint64
	for i, workers := range []int{1, 5} {
		o := options(tr)
		o.Clients, o.Radius, o.Workers, o.Loss = 9, 700, workers, 0.1
		var all []*witness
		broken(t, o, func(c *client) {
			w := &witness{end: c.end, heard: fnv.New64a()}
			c.end, all = w, append(all, w)
		})
		for _, w := range all {
			if got[i] = append(got[i], w.heard.Sum64()); w.count < 100 {
				t.Errorf("only %d packets came", w.count)
			}
		}
	}
	if len(got[0]) != 9 || !slices.Equal(got[0], got[1]) {
		t.Errorf("one worker sends %x, five send %x", got[0], got[1])
	}
}

// broken plays a trace with clients that tap has changed.
func broken(t *testing.T, o Options, tap func(c *client)) Report {
	t.Helper()
	s, err := newSession(o)
	if err != nil {
		t.Fatal(err)
	}
	s.tap = tap
	r, err := s.measure()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// One flipped bit in a value that a client holds is counted as a mismatch.
func TestAFlippedBitIsSeen(t *testing.T) {
	for name, set := range map[string]func(o *Options){
		"clean": func(*Options) {},
		"lossy": func(o *Options) { o.Loss = 0.2 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(tiny(t, 4))
			set(&o)
			r := broken(t, o, func(c *client) {
				c.tamper = func(h *holding, words []int32) {
					if h.slot == 0 { // slot 0 lives from the first tick to the last
						words[1] ^= 4
					}
				}
			})
			if r.Mismatches < 1 {
				t.Error("nobody noticed")
			}
		})
	}
}

// A node that one client keeps after its removal is counted as a mismatch.
func TestAWithheldRemovalIsSeen(t *testing.T) {
	for name, set := range map[string]func(o *Options){
		"clean": func(*Options) {},
		"lossy": func(o *Options) { o.Loss = 0.2 },
		"near":  func(o *Options) { o.Clients, o.Radius, o.Loss = 3, 700, 0.2 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(tiny(t, 5))
			set(&o)
			withheld := 0
			r := broken(t, o, func(c *client) {
				c.deaf = func(*holding) bool {
					if c.index != 0 || withheld > 0 {
						return false
					}
					withheld++
					return true
				}
			})
			if withheld != 1 || r.Mismatches < 1 {
				t.Errorf("%d removals withheld, %d mismatches", withheld, r.Mismatches)
			}
		})
	}
}
