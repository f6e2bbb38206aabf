package tendontest_test

// What windows of a Lab show.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type trainData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// A railway has a train of the server, which goes 3 pixels a step, and a trolley for each player, whose
// command moves it by as much.
type railway struct {
	tendontest.Game
	train, trolley *donburi.ComponentType[trainData]
	steps          map[string]int // by machine
}

func newRailway(configure func(machine string, c *tendon.Config)) *railway {
	p := tendon.NewProtocol("railway")
	g := &railway{
		train:   tendon.Replicate(p, "train", donburi.NewComponentType[trainData]()),
		trolley: tendon.Replicate(p, "trolley", donburi.NewComponentType[trainData]()),
		steps:   map[string]int{},
	}
	pump := tendon.NewCommand[bool](p, "pump", g.trolley)
	g.Game = tendontest.Game{
		Protocol: p, Configure: configure,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(g.train) })
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(g.trolley), q) })
			pump.Sample(m.Replication, func(*donburi.Entry) bool { return true })
			pump.Apply(m.Replication, func(c tendon.Call, on bool) {
				if on {
					g.trolley.Get(c.Entry).Pos.X += 3
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			g.steps[m.Name]++
			pump.Run(m.Replication)
			for e := range g.train.Iter(m.World()) {
				if tendon.IsAuthority(e) {
					g.train.Get(e).Pos.X += 3
				}
			}
		},
	}
	return g
}

// drawnAt returns where the train and the machine's own trolley are drawn.
func (g *railway) drawnAt(m *tendontest.Machine) (at [2]float64, ok bool) {
	train, there := donburi.NewQuery(filter.And(filter.Contains(g.train), tendon.Drawn)).First(m.World())
	own, mine := tendon.Mine(m.Replication, g.trolley)
	if !there || !mine {
		return at, false
	}
	return [2]float64{tendon.View(train, g.train).Pos.X, tendon.View(own, g.trolley).Pos.X}, true
}

// At any rate, of machines alone and with others, each frame shows the way that its time has taken: a
// quick window shows motion in each frame, a slow one as many steps as there are in one. Of what a client
// predicts a few do not: now and then a step makes no tick of commands, or two.
func TestPlayDrawsEvenly(t *testing.T) {
	for _, fps := range []float64{24, 30, 60, 72, 144, 240} {
		g := newRailway(nil)
		lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 40 * time.Millisecond})
		lab.Host()
		lab.Join()
		lab.Alone("alone")
		lab.Play(2*time.Second, tendontest.FPS(fps), func(m *tendontest.Machine) { g.drawnAt(m) }) // what View is asked for is kept
		clear(g.steps)
		uneven := 0
		frames, last := map[string]int{}, map[string][2]float64{}
		lab.Play(3*time.Second, tendontest.FPS(fps), func(m *tendontest.Machine) {
			at, ok := g.drawnAt(m)
			if !ok {
				t.Fatalf("at %v fps %s draws no train", fps, m.Name)
			}
			want := 180 / fps
			for i, was := range last[m.Name] {
				switch d := at[i] - was; {
				case frames[m.Name] == 0 || math.Abs(d-want) <= max(0.1, 0.1*want):
				case m.Mode() == tendon.Client && i == 1:
					uneven++
				default:
					t.Errorf("at %v fps, frame %d, %s sees thing %d move by %.2f, not %.2f", fps, frames[m.Name], m.Name, i, d, want)
				}
			}
			frames[m.Name]++
			last[m.Name] = at
		})
		if float64(uneven) > 3*fps/20 {
			t.Errorf("at %v fps the own trolley of a client moves unevenly in %d frames", fps, uneven)
		}
		for _, m := range lab.Machines {
			if n := float64(frames[m.Name]); math.Abs(n-3*fps) > 1 {
				t.Errorf("at %v fps %s draws %v frames in 3 s", fps, m.Name, n)
			}
			if n := g.steps[m.Name]; n < 179 || n > 181 {
				t.Errorf("at %v fps %s makes %d steps in 3 s", fps, m.Name, n)
			}
		}
	}
}

// record plays for two seconds in parts, and returns what was drawn, when and where.
func record(t *testing.T, frame func(m *tendontest.Machine) time.Duration, configure func(string, *tendon.Config), parts ...time.Duration) []string {
	t.Helper()
	g := newRailway(configure)
	g.Seed = 7
	lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05})
	lab.Host()
	lab.Join()
	lab.Join()
	lab.Alone("alone")
	var all []string
	for _, d := range parts {
		began := lab.Net.Now()
		lab.Play(d, frame, func(m *tendontest.Machine) {
			at, _ := g.drawnAt(m)
			all = append(all, fmt.Sprint(m.Name, " at ", lab.Net.Now(), ", step ", g.steps[m.Name], ": ", at))
		})
		if took := lab.Net.Now() - began; took != d {
			t.Errorf("playing %v takes %v", d, took)
		}
	}
	return all
}

// The same seed draws the same frames, also of a machine alone and where they are uneven, in one Play or
// in several.
func TestPlayIsTheSameAgain(t *testing.T) {
	for name, frame := range map[string]func(*tendontest.Machine) time.Duration{"144": tendontest.FPS(144), "30": tendontest.FPS(30), "uneven": tendontest.Uneven()} {
		once := record(t, frame, nil, 2*time.Second)
		if again := record(t, frame, nil, 2*time.Second); !slices.Equal(once, again) {
			t.Errorf("%s: played again, other frames are drawn", name)
		}
		if parts := record(t, frame, nil, 700*time.Millisecond, 3*time.Millisecond, 1297*time.Millisecond); !slices.Equal(once, parts) {
			t.Errorf("%s: played in three parts, other frames are drawn", name)
		}
		if n := len(once); name == "uneven" && (n < 4*105 || n > 4*135) {
			t.Errorf("uneven windows draw %d frames of four machines in 2 s", n)
		}
	}
}

// Each machine has a window of its own, and a server without a player has none.
func TestPlayHasAWindowForEach(t *testing.T) {
	frames := map[string]int{}
	for _, line := range record(t, func(m *tendontest.Machine) time.Duration {
		if m.Name == "client 1" {
			return time.Second / 100
		}
		return time.Second / 25
	}, func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" }, 2*time.Second) {
		name, _, _ := strings.Cut(line, " at ")
		frames[name]++
	}
	if want := "map[alone:50 client 1:200 client 2:50]"; fmt.Sprint(frames) != want {
		t.Errorf("frames of each: %v, not %v", frames, want)
	}
}

// After Play there is Steps, and players join in the middle of it.
func TestStepsAfterPlay(t *testing.T) {
	g := newRailway(nil)
	lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 30 * time.Millisecond})
	lab.Play(time.Second, tendontest.FPS(60), nil) // nobody is there
	lab.Host()
	lab.Play(100*time.Millisecond, tendontest.FPS(144), nil)
	clear(g.steps)
	lab.Steps(60)
	if g.steps["server"] != 60 {
		t.Errorf("Steps(60) makes %d", g.steps["server"])
	}
	seen := 0
	lab.Play(time.Second, tendontest.Uneven(), func(m *tendontest.Machine) {
		if len(lab.Machines) == 1 {
			lab.Join()
		}
		if _, ok := g.drawnAt(m); ok && m.Name == "client 1" {
			seen++
		}
	})
	if seen < 20 {
		t.Errorf("who joins in a frame sees the train in %d frames", seen)
	}
}

// A frame that takes no time would be drawn for ever.
func TestPlayRefusesFramesWithoutTime(t *testing.T) {
	tb := &failing{TB: t}
	lab := tendontest.NewLab(tb, newRailway(nil).Game, netsim.Conditions{})
	lab.Host()
	func() {
		defer func() { _ = recover() }()
		lab.Play(time.Second, func(*tendontest.Machine) time.Duration { return 0 }, nil)
	}()
	if !strings.Contains(tb.fatal, "give the time until its next frame") {
		t.Errorf("it says %q", tb.fatal)
	}
}

type failing struct {
	testing.TB
	fatal string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.fatal = fmt.Sprintf(format, args...)
	panic(f.fatal)
}

// What others see of a train in windows of two displays: it moves in each frame, by as much.
func ExampleLab_Play() {
	t := new(testing.T) // a test has its own
	g := newRailway(nil)
	for _, fps := range []float64{144, 30} {
		lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 40 * time.Millisecond})
		lab.Host()
		ann := lab.Join()
		lab.Steps(60)
		var ways []float64
		last := 0.0
		lab.Play(time.Second, tendontest.FPS(fps), func(m *tendontest.Machine) {
			if m == ann {
				train, _ := g.train.First(m.World())
				at := tendon.View(train, g.train).Pos.X
				ways, last = append(ways, at-last), at
			}
		})
		fmt.Printf("%d frames, %.1f to %.1f pixels each\n", len(ways), slices.Min(ways[1:]), slices.Max(ways[1:]))
	}
	// Output:
	// 144 frames, 1.2 to 1.3 pixels each
	// 30 frames, 5.5 to 6.0 pixels each
}

// A client that makes many steps in each frame gives a command in each tick, and draws its body where it is, also
// after packets were lost: such frames are no stalls.
func TestManyStepsAFrame(t *testing.T) {
	for _, c := range []struct {
		steps int
		fps   float64
	}{{60, 10}, {120, 15}, {240, 30}} {
		for seed := range uint64(2) {
			p := tendon.NewProtocol("many steps")
			body := tendon.Replicate(p, "body", donburi.NewComponentType[trainData]())
			pump := tendon.NewCommand[bool](p, "pump", body)
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol: p, Seed: seed + 1, Config: tendon.Config{Steps: c.steps},
				Configure: func(m string, c *tendon.Config) { c.Dedicated = m == "server" },
				Setup: func(m *tendontest.Machine) {
					m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(body), q) })
					pump.Sample(m.Replication, func(*donburi.Entry) bool { return true })
					pump.Apply(m.Replication, func(c tendon.Call, on bool) { body.Get(c.Entry).Pos.X++ })
				},
				Step: func(m *tendontest.Machine) { pump.Run(m.Replication) },
			}, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.02})
			server := lab.Host()
			lab.Join()
			lab.Play(4*time.Second, tendontest.FPS(c.fps), nil)
			was, behind, frames := server.CommandStats(), 0., 0.
			lab.Play(6*time.Second, tendontest.FPS(c.fps), func(m *tendontest.Machine) {
				if e, ok := tendon.Mine(m.Replication, body); ok && m != server {
					behind += body.Get(e).Pos.X - tendon.View(e, body).Pos.X
					frames++
				}
			})
			is := server.CommandStats()
			missed := float64(is.Missed-was.Missed) / float64(is.Missed-was.Missed+is.InTime-was.InTime)
			if behind/frames > 1 || missed > 0.05 {
				t.Errorf("%d steps, %v fps, seed %d: %.0f %% of the commands are missed, the body is drawn %.1f steps behind", c.steps, c.fps, seed+1, 100*missed, behind/frames)
			}
		}
	}
}
