package ecs_test

// What a client predicts changes its parent while it is new to it: just come into sight, or just made by
// the player's own command. Nothing moves in the world, so whatever is drawn elsewhere is drawn by a place
// below one parent on another.

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	cratesData struct{}
	hireData   struct {
		N uint16 `rpl:"to=owner"`
	}
	hireKeys struct {
		Drop bool `rpl:"edge"`
		Work int8 `rpl:""`
	}
)

// A quay has a boat at (400, 30), and crates that lie on the quay at (400, 38), or in the boat, where
// their own place is (4, 4).
type quay struct {
	*tendontest.Lab
	place        *donburi.ComponentType[components.TransformData]
	crate        *donburi.ComponentType[cratesData]
	boat         *donburi.Entry   // on the server
	crates       []donburi.Entity // on the server
	waits        bool             // what a client makes waits for the server at once
	frames, lost int              // drawn, and of them those with a crate in a wrong place
	wrong        int              // frames in which rules find a crate in a wrong place
	first        string
}

var onQuay, inBoat = gmath.Vec{X: 400, Y: 38}, gmath.Vec{X: 4, Y: 4}

// newQuay has players who drop a crate where drops says so, and step run on the server in each step.
func newQuay(t *testing.T, seed uint64, c netsim.Conditions, drops func(m *tendontest.Machine) bool, step func(q *quay, m *tendontest.Machine)) *quay {
	p := tendon.NewProtocol("quay")
	q := &quay{
		place: tendon.Replicate(p, "place", components.Transform),
		crate: tendon.Replicate(p, "crate", donburi.NewComponentType[cratesData]()),
	}
	hire := tendon.Replicate(p, "hire", donburi.NewComponentType[hireData]())
	crates := tendon.NewPrefab(p, "crate", func(w donburi.World, _ tendon.None) *donburi.Entry {
		e := w.Entry(w.Create(q.place, q.crate))
		q.place.Get(e).Pos = onQuay
		return e
	})
	work := tendon.NewCommand[hireKeys](p, "work", hire)
	lie := tendon.NewCommand[tendon.None](p, "lie", q.crate)
	q.Lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				q.boat = m.Create(q.place)
				q.place.Get(q.boat).Pos = gmath.Vec{X: 400, Y: 30}
			})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(hire), p) })
			m.OnStreamIn(q.crate, func(e *donburi.Entry) { tendon.Predict(e, !q.waits) })
			work.Sample(m.Replication, func(*donburi.Entry) hireKeys { return hireKeys{drops(m), int8(m.Rand.IntN(100))} })
			work.Apply(m.Replication, func(c tendon.Call, k hireKeys) {
				if hire.Get(c.Entry).N += uint16(k.Work); k.Work == 7 && tendon.IsAuthority(c.Entry) {
					hire.Get(c.Entry).N += 1000 // nobody foresees it: a correction
				}
				if k.Drop {
					e := crates.Predict(c, 0, tendon.None{})
					if m.Name == "server" {
						q.crates = append(q.crates, e.Entity())
					} else if q.waits && !c.Replay {
						tendon.Predict(e, false)
					}
				}
			})
			lie.Apply(m.Replication, func(tendon.Call, tendon.None) {})
		},
		Step: func(m *tendontest.Machine) {
			work.Run(m.Replication)
			lie.Run(m.Replication)
			if m.Name == "server" {
				step(q, m)
			}
		},
	}, c)
	q.Host()
	q.Join()
	return q
}

// hang puts a crate below a node of the server, at a place of its own there.
func (q *quay) hang(t *testing.T, e, up *donburi.Entry, at gmath.Vec) {
	if err := tendon.Attach(e, up); err != nil {
		t.Error(err)
	}
	q.place.Get(e).Pos = at
}

// look notes where a client draws its crates.
func (q *quay) look(m *tendontest.Machine) {
	q.frames++
	drawn, is := 0, 0
	for e := range q.crate.Iter(m.World()) {
		if e.HasComponent(components.Hidden) {
			continue
		}
		if tendon.WorldTransform(e).Pos.DistanceTo(gmath.Vec{X: 400, Y: 34}) > 10 {
			is = 1
		}
		if at := tendon.WorldView(e).Pos; at.DistanceTo(gmath.Vec{X: 400, Y: 34}) > 10 {
			if drawn = 1; q.first == "" {
				q.first = fmt.Sprintf("at tick %v %v is drawn at %v; its own place is %v, and it has a parent: %v", m.Tick(), tendon.ID(e), at, q.place.Get(e).Pos, tendon.Parent(e) != nil)
			}
		}
	}
	q.lost, q.wrong = q.lost+drawn, q.wrong+is
}

func (q *quay) play(t *testing.T, d time.Duration, what string) {
	t.Helper()
	q.Play(d, tendontest.FPS(60), func(m *tendontest.Machine) { q.look(m) })
	if q.lost+q.wrong > 0 {
		t.Errorf("%s: of %d frames a crate is drawn in a wrong place in %d, and is there for the rules in %d: %s", what, q.frames, q.lost, q.wrong, q.first)
	}
}

// Crates are carried between the boat, the quay and a hold that nobody may look into.
func TestWhatHasJustComeIntoSightChangesItsParent(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .05},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .2},
	} {
		for seed := range uint64(3) {
			var hold *donburi.Entry
			q := newQuay(t, seed+1, c, func(*tendontest.Machine) bool { return false }, func(q *quay, m *tendontest.Machine) {
				switch {
				case hold == nil:
					hold = m.Create(q.crate)
					components.RplNode.Set(hold, &components.NodeData{Relevance: rpl.OwnerOnly})
					for range 6 {
						e := m.Create(q.place, q.crate)
						q.place.Get(e).Pos = onQuay
						q.crates = append(q.crates, e.Entity())
					}
				case m.Rand.IntN(2) == 0:
					e := m.World().Entry(q.crates[m.Rand.IntN(len(q.crates))])
					switch m.Rand.IntN(3) {
					case 0:
						q.hang(t, e, hold, inBoat)
					case 1:
						q.hang(t, e, m.World().Entry(q.boat.Entity()), inBoat)
					case 2:
						q.hang(t, e, nil, onQuay)
					}
				}
			})
			q.play(t, 10*time.Second, fmt.Sprintf("%v, seed %d", c, seed+1))
		}
	}
}

// Crates are dropped on the quay by Prefab.Predict. The server puts them into the boat in the same step or
// later, and some out again.
func TestWhatAPlayerMakesIsAttachedAtOnce(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{},
		{Delay: 50 * time.Millisecond},
		{Delay: 150 * time.Millisecond},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .05},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .2},
	} {
		for _, every := range []int{1, 2, 12} { // each crate, one tick in so many
			q := newQuay(t, 1, c, func(m *tendontest.Machine) bool { return m.Rand.IntN(20) == 0 }, func(q *quay, m *tendontest.Machine) {
				kept := q.crates[:0]
				for _, id := range q.crates {
					e := m.World().Entry(id)
					switch hangs := tendon.Parent(e) != nil; {
					case m.Rand.IntN(60) == 0:
						e.Remove()
						continue
					case m.Rand.IntN(every) > 0 || every == 1 && hangs:
					case hangs:
						q.hang(t, e, nil, onQuay)
					case every == 1: // with a boat of its own, which may come later on a line that loses
						boat := m.Create(q.place)
						q.place.Get(boat).Pos = gmath.Vec{X: 400, Y: 30}
						q.hang(t, m.World().Entry(id), boat, inBoat)
					default:
						q.hang(t, e, m.World().Entry(q.boat.Entity()), inBoat)
					}
					kept = append(kept, id)
				}
				q.crates = kept
			})
			q.waits = every == 2
			q.play(t, 10*time.Second, fmt.Sprintf("%v, each changes in one tick of %d", c, every))
		}
	}
}
