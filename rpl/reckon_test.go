package rpl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A thrown is what bounces on a floor with steps in it, in pixels and ticks.
type thrown struct{ x, y, vx, vy float64 }

const (
	thrownStep  = 1.0 / 32
	thrownSpeed = 1.0 / 1024
	thrownTol   = 16 // steps: half a pixel
)

func thrownFloor(x float64) float64 { return 200 - 20*math.Floor(math.Abs(x)/100) }

func (b *thrown) move() {
	b.vy += 0.2
	b.x += b.vx
	b.y += b.vy
	if floor := thrownFloor(b.x); b.y >= floor {
		if b.y, b.vy, b.vx = floor, -b.vy*0.5, b.vx*0.8; math.Abs(b.vy) < 0.5 {
			b.vx, b.vy = 0, 0
		}
	}
}

func (b *thrown) words() []int32 {
	return []int32{
		int32(math.Round(b.x / thrownStep)), int32(math.Round(b.y / thrownStep)),
		int32(math.Round(b.vx / thrownSpeed)), int32(math.Round(b.vy / thrownSpeed)), 0,
	}
}

type throws struct{ newest rpl.Tick } // the newest tick of a statement that it went on from

func (r *throws) Reckon(_ rpl.Node, _ *rpl.ItemType, w []int32, from, to rpl.Tick) {
	r.newest = max(r.newest, from)
	b := thrown{float64(w[0]) * thrownStep, float64(w[1]) * thrownStep, float64(w[2]) * thrownSpeed, float64(w[3]) * thrownSpeed}
	for ; from < to; from++ {
		b.move()
	}
	copy(w[:4], b.words())
}

func throwNet(t *testing.T, seed uint64, cond netsim.Conditions, by *throws) (*rpltest.Net, *rpl.ItemType) {
	t.Helper()
	s := rpl.NewSchema("throws")
	b := s.Build("thrown").Int("x", -1<<20, 1<<20).Tag("x", "tol=16").Int("y", -1<<20, 1<<20).Tag("y", "tol=16").
		Int("vx", -1<<15, 1<<15).Tag("vx", "tol=100").Int("vy", -1<<15, 1<<15).Tag("vy", "tol=100").Int("hp", 0, 100).Pos("x", "y")
	if by != nil {
		b.Reckoned()
	} else {
		b.Predict("x", "vx", false).Predict("y", "vy", false)
	}
	typ := b.Done()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30, Reckoner: by, CheckEvery: 100 * time.Millisecond}, seed, cond)
	if err != nil {
		t.Fatal(err)
	}
	return net, typ
}

// throwOne is a throwNet of one thing that a function moves, and a client.
func throwOne(t *testing.T, cond netsim.Conditions) (net *rpltest.Net, c *rpltest.Client, id rpl.Node, it rpl.Item) {
	t.Helper()
	net, typ := throwNet(t, 1, cond, &throws{})
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	if id, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
		t.Fatal(err)
	}
	it, _ = net.A.Item(id, 0)
	return net, c, id, it
}

// What a function of the game moves is told where it departs from that, and never shown farther
// off than its tolerance. At rest it is exact, and costs nothing, whatever was lost; who joins
// later has the same.
func TestReckoned(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n = 20
	for _, cond := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2, Duplicate: 0.05}} {
		t.Run(fmt.Sprintf("loss %v", cond.Loss), func(t *testing.T) {
			var told [2]uint64
			for k, reckoned := range []bool{false, true} {
				r := rand.New(rand.NewPCG(seed, 1))
				var by *throws
				if reckoned {
					by = &throws{}
				}
				net, typ := throwNet(t, seed, cond, by)
				c, err := net.Join(2)
				if err != nil {
					t.Fatal(err)
				}
				clients := []*rpltest.Client{c}
				var balls [n]thrown
				var ids [n]rpl.Node
				var items [n]rpl.Item
				for i := range n {
					if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
						t.Fatal(err)
					}
					items[i], _ = net.A.Item(ids[i], 0)
				}
				past := map[rpl.Tick][n][]int32{}
				step := func() {
					net.Tick(func(tick rpl.Tick) {
						var was [n][]int32
						for i := range n {
							balls[i].move()
							was[i] = balls[i].words()
							net.A.SetWords(items[i], was[i])
						}
						past[tick] = was
					})
				}
				near := func(c *rpltest.Client, most int32) {
					t.Helper()
					truth := past[c.P.Newest()]
					for i, id := range ids {
						words := c.Log.Held[id].Words(0, nil)
						for w := range 2 {
							if off := words[w] - truth[i][w]; off > most || off < -most {
								t.Fatalf("reckoned %v, tick %d: %v shows %v, and is at %v", reckoned, c.P.Newest(), id, words, truth[i])
							}
						}
					}
				}
				for throw := range 4 {
					for i := range balls {
						balls[i] = thrown{r.Float64()*400 - 200, 100, r.Float64()*6 - 3, -r.Float64() * 8}
					}
					for tick := range 400 {
						step()
						if throw == 1 && tick == 30 {
							if c, err = net.Join(3); err != nil {
								t.Fatal(err)
							}
							clients = append(clients, c)
						}
						if cond.Loss == 0 && tick+throw*400 > 5 {
							near(clients[0], thrownTol)
						}
					}
				}
				told[k] = net.A.Counters().Records
				for range 120 {
					step()
				}
				for _, c := range clients {
					near(c, 0)
				}
				quiet := net.A.Counters().Records
				for range 300 {
					step()
				}
				if more := net.A.Counters().Records - quiet; more != 0 {
					t.Errorf("reckoned %v: %d updates of what rests", reckoned, more)
				}
				for _, c := range clients {
					if n := c.P.Counters().Mismatches; n > 0 {
						t.Errorf("reckoned %v: %d checksums differ", reckoned, n)
					}
				}
			}
			if t.Logf("%d updates by velocities, %d by the function", told[0], told[1]); told[1]*4 > told[0] {
				t.Errorf("by the function %d updates, more than a quarter of %d", told[1], told[0])
			}
		})
	}
}

// A resting value is told exactly beside others that go on, and one that is hit goes on from there.
func TestReckonedHolds(t *testing.T) {
	net, c, id, it := throwOne(t, netsim.Conditions{Delay: 20 * time.Millisecond})
	b, hp := thrown{y: 100}, int32(0)
	run := func(ticks int, move func()) {
		for range ticks {
			net.Tick(func(rpl.Tick) {
				move()
				w := b.words()
				w[4] = hp
				net.A.SetWords(it, w)
			})
		}
	}
	run(300, b.move)
	b.y += 3 * thrownStep // within its tolerance
	run(59, func() { hp = (hp + 1) % 100 })
	run(60, func() { hp = (hp + 1) % 100 })
	run(20, func() {})
	if words, want := c.Log.Held[id].Words(0, nil), b.words(); !slices.Equal(words[:4], want[:4]) || words[4] != hp {
		t.Errorf("it shows %v, and is %v, %d", words, want, hp)
	}
	b.vx, b.vy = 1, -4
	run(30, b.move)
	words, want := c.Log.Held[id].Words(0, nil), b.words()
	for range 2 {
		b.move()
	}
	if off := words[0] - want[0]; off > 64 || off < -96 {
		t.Errorf("on its way it shows %v, and is %v", words, want)
	}
}

// What rests and is then moved by less than its tolerance is told exactly, too, a second after it has
// come to rest again, in one go or by and by.
func TestReckonedRestsAgain(t *testing.T) {
	for _, cond := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Loss: 0.2}} {
		for _, steps := range []int{1, 8} {
			net, c, id, it := throwOne(t, cond)
			ball := thrown{0, 200, 0, 0}
			for round := range 4 {
				for tick := range 240 {
					net.Tick(func(rpl.Tick) {
						if round > 0 && tick < steps {
							ball.x += 8 * thrownStep / float64(steps)
						}
						net.A.SetWords(it, ball.words())
					})
				}
				if got, want := c.Log.Held[id].Words(0, nil), ball.words(); !slices.Equal(got, want) {
					t.Errorf("loss %v, moved in %d ticks, round %d: it shows %v and is at %v", cond.Loss, steps, round, got, want)
				}
			}
		}
	}
}

// To who begins to have a node, what a function has moved for a second is told anew: the function may read
// what is otherwise now. What rests is not.
func TestReckonedAnew(t *testing.T) {
	by := &throws{}
	net, typ := throwNet(t, 1, netsim.Conditions{Delay: 20 * time.Millisecond}, by)
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	ball := thrown{y: -400, vx: 1}
	run := func(ticks int) {
		for range ticks {
			net.Tick(func(rpl.Tick) {
				ball.move()
				net.A.SetWords(it, ball.words())
			})
		}
	}
	run(90)
	if by.newest > 30 {
		t.Fatalf("told at tick %d, before anybody joins", by.newest)
	}
	joined := net.TickNumber()
	c, err := net.Join(3)
	if err != nil {
		t.Fatal(err)
	}
	run(30)
	words, want := c.Log.Held[id].Words(0, nil), ball.words()
	if by.newest < joined || c.P.Counters().Mismatches > 0 {
		t.Errorf("who joined at %d goes on from tick %d; it shows %v, and is at %v", joined, by.newest, words, want)
	}
	run(1200)
	told := by.newest
	if _, err := net.Join(4); err != nil {
		t.Fatal(err)
	}
	before := net.A.Counters().Records
	run(60)
	if by.newest != told || net.A.Counters().Records != before {
		t.Errorf("what rests was told anew: %d, before %d", by.newest, told)
	}
}
