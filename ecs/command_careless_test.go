package ecs_test

// What is forgotten with commands, and what debug mode says of it.

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A careless game leaves out a part of what a command needs.
type careless struct {
	t              *testing.T
	server, client *tendon.Replication
	log            bytes.Buffer
	hero, shot     *donburi.ComponentType[runnerData]
	move           *tendon.Command[runKeys]
	fly            *tendon.Command[tendon.None]
	shots, sparks  *tendon.Prefab[tendon.None]
	judge          func(c tendon.Call) // in the rule of move, if it is set
	steps          func(n int)
}

// playCareless plays 5 seconds of a dedicated server and a client in debug mode, over a line of 30 ms. The
// names of what is left out are "server applies", "client runs" and so on.
func playCareless(t *testing.T, without ...string) *careless {
	x := &careless{t: t}
	p := tendon.NewProtocol("careless")
	x.hero = tendon.Replicate(p, "hero", donburi.NewComponentType[runnerData]())
	x.shot = tendon.Replicate(p, "shot", donburi.NewComponentType[runnerData]())
	x.move, x.fly = tendon.NewCommand[runKeys](p, "move", x.hero), tendon.NewCommand[tendon.None](p, "fly", x.shot)
	build := func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(x.shot)) }
	x.shots, x.sparks = tendon.NewPrefab(p, "shot", build), tendon.NewPrefab(p, "spark", build)
	has := func(part string) bool { return !strings.Contains(strings.Join(without, ","), part) }
	session := func(name string) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Debug: true, Dedicated: name == "server", Log: slog.New(slog.NewTextHandler(&x.log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if has(name + " applies") {
			x.move.Apply(r, func(c tendon.Call, k runKeys) {
				if x.hero.Get(c.Entry).Pos.X += k.Dir.X; x.judge != nil {
					x.judge(c)
				}
			})
		}
		if name == "client" && has("client samples") {
			x.move.Sample(r, func(*donburi.Entry) (k runKeys) { k.Dir.X = 1; return k })
		}
		x.fly.Apply(r, func(c tendon.Call, _ tendon.None) { x.shot.Get(c.Entry).Pos.X++ })
		return r
	}
	x.server, x.client = session("server"), session("client")
	x.server.OnJoin(func(q rpl.Peer) {
		tendon.Give(x.server.Create(x.hero), q)
		tendon.Give(x.server.Create(x.shot), q)
	})
	n := mem.NewNetwork(1, netsim.Conditions{Delay: 30 * time.Millisecond})
	l := n.Listener()
	x.server.Host(l)
	x.client.Join(n.Dialer(l))
	x.steps = func(steps int) {
		for range steps {
			n.Advance(time.Second / 60)
			for i, r := range []*tendon.Replication{x.server, x.client} {
				r.Receive()
				if has([]string{"server runs", "client runs"}[i]) {
					x.move.Run(r)
				}
				x.fly.Run(r)
				r.Send()
			}
		}
	}
	x.steps(300)
	return x
}

// says checks how often a mistake was logged, with a part of its line, and that the server and the
// client have counted it or not.
func (x *careless) says(what, part string, server, client bool) {
	x.t.Helper()
	lines := 0
	for line := range strings.Lines(x.log.String()) {
		if strings.Contains(line, `msg="`+what+`"`) {
			if lines++; !strings.Contains(line, part) {
				x.t.Errorf("%s: %q is not in %q", what, part, line)
			}
		}
	}
	want := 0
	for r, found := range map[*tendon.Replication]bool{x.server: server, x.client: client} {
		if found {
			want++
		}
		check(x.t, what+" is counted", *r.Counter(what) > 0, found)
	}
	check(x.t, what+": lines", lines, want)
}

// A game in which nothing is forgotten is not warned.
func TestCarefulCommandsAreSilent(t *testing.T) {
	x := playCareless(t)
	check(t, "warnings", strings.Count(x.log.String(), "WARN"), 0)
	if e, ok := tendon.Mine(x.client, x.hero); !ok || x.hero.Get(e).Pos.X < 100 {
		t.Error("nothing moves: that shows nothing")
	}
}

// A command without a rule where nodes are to be moved by it is named, on either end; also on a
// server that has nothing of the command, though its players give it.
func TestCommandWithoutRule(t *testing.T) {
	playCareless(t, "server applies").says("command without rule", `what=move remedy="this machine has nodes`, true, false)
	playCareless(t, "client applies").says("command without rule", "call Apply and Run on every machine", false, true)
	playCareless(t, "server applies", "server runs").says("command without rule", "what=move", true, false)
}

// A command that the game never runs, or of which it never reads the input, is named after a while.
func TestCommandThatNeverRuns(t *testing.T) {
	x := playCareless(t, "client runs")
	x.says("command not run", "what=move", false, true)
	x.says("command without input", "", false, false)
	x = playCareless(t, "server runs")
	x.says("command not run", "between Receive and Send", true, false)
	x = playCareless(t, "client samples")
	x.says("command without input", "call Sample where there is a player", false, true)
	x.says("command not run", "", false, false)
}

// A command on what is a part of nodes, and stands on none, never runs: that is named.
func TestCommandOnAPart(t *testing.T) {
	var log bytes.Buffer
	p := tendon.NewProtocol("turrets")
	tank := tendon.Replicate(p, "tank", donburi.NewComponentType[runnerData]())
	turret := tendon.Replicate(p, "turret", donburi.NewComponentType[runnerData]())
	turn := tendon.NewCommand[runKeys](p, "turn", turret)
	tanks := tendon.NewPrefab(p, "tank", func(w donburi.World, _ tendon.None) *donburi.Entry {
		e := w.Entry(w.Create(tank))
		tendon.Part(e, w.Entry(w.Create(turret)))
		return e
	})
	r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	turn.Apply(r, func(tendon.Call, runKeys) { t.Error("it runs") })
	tendon.Give(tanks.Spawn(r.World(), tendon.None{}), r.Me())
	for range 200 {
		r.Receive()
		turn.Run(r)
		r.Send()
	}
	if what := "command on a part"; *r.Counter(what) == 0 || strings.Count(log.String(), what) != 1 || !strings.Contains(log.String(), "what=turn") {
		t.Errorf("counted %d times, the log:\n%s", *r.Counter(what), log.String())
	}
}

// A Run too many in a step, and one where no step is, are named: what it moves is too fast, or the
// server hears of no command.
func TestRunInTheWrongPlace(t *testing.T) {
	x := playCareless(t)
	x.move.Run(x.client)
	x.says("command run outside of a step", "as from Draw", false, true)
	x.move.Run(x.server)
	x.says("command run outside of a step", "what=move", true, true)
	x.says("command run twice in a step", "", false, false)
	for _, r := range []*tendon.Replication{x.server, x.client} {
		r.Receive()
		x.move.Run(r)
		x.fly.Run(r)
		x.move.Run(r)
		r.Send()
	}
	x.says("command run twice in a step", "call Run once in each step", true, true)
	x.steps(60)
	check(t, "counted", *x.client.Counter("command run twice in a step")+*x.client.Counter("command run outside of a step"), 2)
}

// A shot that is to be judged by what the player saw, on a server whose Config.Rewind names nothing,
// is judged by where everything is now: that is logged once, without debug mode, too.
func TestRewindOfNothing(t *testing.T) {
	for _, named := range []bool{false, true} {
		var log bytes.Buffer
		x := newRace(t, netsim.Conditions{Delay: 30 * time.Millisecond}, func(c *tendon.Config) {
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			if !named {
				c.Rewind = nil
			}
		})
		ran := 0
		x.judge = func(c tendon.Call, _ runKeys) { c.Rewind(func() { ran++ }) }
		x.steps(60)
		check(t, "it is counted on the server", *x.server.Counter("rewind of nothing") > 0, !named)
		check(t, "and on the client", *x.client.Counter("rewind of nothing"), 0)
		want := 0
		if !named {
			want = 1
		}
		check(t, "lines", strings.Count(log.String(), `msg="rewind of nothing" what=move remedy="a shot is judged`), want)
		check(t, "the remedy", strings.Contains(log.String(), "in Config.Rewind"), !named)
		if ran < 60 {
			t.Errorf("%d rewinds have run", ran)
		}
	}
}

// A rule that spawns several nodes by one key is named, on the server and where it is predicted: on a
// client they are one. Keys may come again in another prefab, another run, and where a tick runs again.
func TestSpawnKeyUsedTwice(t *testing.T) {
	x := playCareless(t)
	step, replays := 0, 0
	x.judge = func(c tendon.Call) {
		if c.Replay {
			replays++
		}
		if tendon.IsAuthority(c.Entry) && step%7 == 0 {
			x.hero.Get(c.Entry).Pos.Y++ // the client does not know of it, and is corrected
		}
		if c.Tick%5 == 0 {
			for key := range 3 {
				x.shots.Predict(c, key, tendon.None{})
				x.sparks.Predict(c, key, tendon.None{})
			}
		}
	}
	for step = range 90 {
		x.steps(1)
	}
	x.says("spawn key used twice", "", false, false)
	if replays == 0 {
		t.Error("no tick has run again: that shows nothing")
	}
	x.judge = func(c tendon.Call) {
		if c.Tick%5 == 0 {
			for range 3 {
				x.shots.Predict(c, 0, tendon.None{})
			}
		}
	}
	x.steps(10)
	x.says("spawn key used twice", "what=\"prefab shot\" remedy=\"one run of a rule", true, true)
}
