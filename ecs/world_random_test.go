package ecs_test

// Whole games at random: all that a game may do to nodes, in steps and in callbacks, on a
// listen or a dedicated server, over connections that lose packets, are cut and mended,
// while levels change and servers and players take each other's places. At the end every
// client has what the server has. The other world_*_test.go files hold the parts of it:
// what is done (act, call, make, limb, sack, guest) and what is checked (check, calm,
// witness).

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"pgregory.net/rapid"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An adventure is a session that is played at random.
type adventure struct {
	*lab
	t       *rapid.T
	server  *actor
	players []*actor
	guest   *actor     // a client that does what it should not; nil for none
	dice    *rand.Rand // for callbacks, drawing and the guest
	moods   int        // which callbacks may act: one bit for each mood
	left    int        // how many acts callbacks still have in this step
	drama   int        // how many upsets callbacks still have in this game
	lines   netsim.Conditions
	worlds  worlds // who makes the worlds
	next    uint32 // the number of the last call
	breath  int    // how many bytes long calls may still carry in this game
	hot     bool   // few nodes, of which much changes within a round trip
	quiet   bool   // nobody pulls puppets any more
	seldom  int    // one of so many frames is drawn: 1 for all
	made    map[uint32]*noted
}

func newAdventure(t *testing.T, rt *rapid.T) *adventure {
	ms := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(rt, name)) * time.Millisecond
	}
	hot := rapid.IntRange(0, 3).Draw(rt, "hot") == 0
	c := netsim.Conditions{Delay: ms("delay", 60), Jitter: ms("jitter", 40)}
	if hot {
		c.Delay += ms("more delay", 250)
	}
	c.Loss = float64(rapid.IntRange(0, 25).Draw(rt, "loss")) / 100
	c.Duplicate = float64(rapid.IntRange(0, 10).Draw(rt, "duplicate")) / 100
	c.Burst = float64(rapid.IntRange(0, 8).Draw(rt, "burst"))
	g := &adventure{
		lab: &lab{T: t, net: mem.NewNetwork(rapid.Uint64().Draw(rt, "network"), c)}, t: rt,
		dice:  rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "dice"), 1)),
		moods: rapid.IntRange(0, 1<<moodCount-1).Draw(rt, "moods"),
		drama: rapid.IntRange(0, 4).Draw(rt, "drama"),
		lines: c, worlds: worlds(rapid.IntRange(0, 2).Draw(rt, "worlds")), made: map[uint32]*noted{},
		breath: 40_000, hot: hot, seldom: rapid.SampledFrom([]int{1, 4}).Draw(rt, "seldom drawn"),
	}
	g.serve("server")
	for i := range rapid.IntRange(1, 3).Draw(rt, "players") {
		g.players = append(g.players, g.player(string(rune('a'+i))))
	}
	if g.worlds == made && rapid.Bool().Draw(rt, "guest") {
		g.invite()
	}
	g.play(rapid.IntRange(1, 60).Draw(rt, "head start"))
	return g
}

// worlds says who makes the worlds of a game.
type worlds int

const (
	made  worlds = iota // OnWorld makes all
	given               // the game gives the first, OnWorld makes the others
	one                 // the game gives one, which serves every level
)

// An actor is a machine of an adventure: the server, a client, or a machine that plays
// alone for a while.
type actor struct {
	*machine
	*witness
	hello   string
	annexes bool                    // it may make load-time nodes late, since each session makes its worlds anew
	grid    bool                    // as the server it streams only what is near an observer
	doors   map[donburi.Entity]bool // load-time nodes that outlive every level
	way     *mem.Dialer
	again   bool // it joins again when its session has ended
	volumes int  // how many texts it may still write that exceed a message
	most    int  // how many nodes its acts fill the world with
}

func (g *adventure) actor(name, hello string) *actor {
	a := &actor{hello: hello, annexes: g.worlds == made, volumes: 3, most: 20, grid: rapid.IntRange(0, 2).Draw(g.t, "grid") == 0}
	c := tendon.Config{Hello: []byte(hello), Sends: []int{0, 60, 20}[rapid.IntRange(0, 2).Draw(g.t, "sends")]}
	if a.grid {
		c.Interest = sight
	}
	if g.hot {
		a.most = 5
	}
	c.Dedicated = hello == "" && rapid.Bool().Draw(g.t, "dedicated")
	c.Budget = []int{0, 0, 30_000, 8_000, 3_000}[rapid.IntRange(0, 4).Draw(g.t, "budget")]
	if c.Debug = rapid.IntRange(0, 3).Draw(g.t, "debug") == 0; c.Debug {
		c.Log = slog.New(slog.DiscardHandler)
	}
	w := donburi.NewWorld()
	if g.worlds == made {
		w = nil
	}
	a.machine = g.machineIn(w, name, c)
	g.attend(a)
	return a
}

// sight is the grid of servers that stream only what is near.
var sight = rpl.Grid{Enter: 100, Exit: 120}

func (g *adventure) player(hello string) *actor {
	a := g.actor("player "+hello, hello)
	a.again, a.way = true, g.net.Dialer(g.listener)
	a.Join(a.way)
	return a
}

// serve makes a new machine and has it host.
func (g *adventure) serve(name string) { g.moveTo(g.actor(name, "")) }

// moveTo has a machine host. The other machines join it when they are told that their
// session has ended, or notice it by timeout.
func (g *adventure) moveTo(a *actor) {
	g.server, g.listener, a.asleep = a, g.net.Listener(), 0
	a.Host(g.listener)
	for _, p := range g.players {
		p.way = g.net.Dialer(g.listener)
	}
}

// cut drops every packet in both directions.
func (a *actor) cut() {
	a.way.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
}

// quit ends a machine as a crash does: the others hear nothing from it any more.
func (g *adventure) quit(a *actor) {
	g.machines = slices.DeleteFunc(g.machines, func(m *machine) bool { return m == a.machine })
	if a.way != nil {
		a.cut()
	}
}

// play runs n steps; before some of them some machines draw.
func (g *adventure) play(n int) {
	for range n {
		g.frames()
		g.left = 3
		g.steps(1)
	}
}

// frames draws a frame on some machines, and checks each entity's children.
func (g *adventure) frames() {
	for _, m := range g.machines {
		if g.dice.IntN(g.seldom) > 0 {
			continue
		}
		m.Frame()
		for e := range Body.Iter(m.World()) {
			if at := tendon.View(e, Body).Pos; math.IsNaN(at.X + at.Y) {
				g.t.Fatalf("%s: %v is drawn at %v", m.name, tendon.ID(e), at)
			}
			for c := range tendon.Children(e) {
				if up := tendon.Parent(c); up == nil || up.Entity() != e.Entity() {
					g.t.Fatalf("%s: %v is among the children of %v, and hangs under %v", m.name, tendon.ID(c), tendon.ID(e), up)
				}
			}
		}
		for e := range Opaque.Iter(m.World()) {
			tendon.View(e, Opaque)
		}
	}
}

// trouble does one thing to connections, seats, levels or sessions.
func (g *adventure) trouble() {
	t := g.t
	g.frames()
	draw := func(what string, most int) int { return rapid.IntRange(0, most).Draw(t, what) }
	who := draw("who", len(g.players)-1)
	p := g.players[who]
	switch draw("trouble", 60) {
	case 0, 1:
		p.cut()
	case 2, 3:
		p.way.SetConditions(lan, lan)
	case 4:
		p.way.SetConditions(g.lines, g.lines)
	case 5:
		p.Close("enough") // and joins again
	case 6:
		g.server.Kick(p.Me(), "go")
	case 7:
		g.retake(p)
	case 8, 9:
		g.server.Load(g.level(draw("level", 2)))
	case 10:
		g.play(draw("pause", 900))
	case 11: // the player goes on alone
		p.again = false
		p.Close("alone")
	case 12:
		if p.IsAuthority() {
			p.again = true
			p.Join(p.way)
		}
	case 13: // the player's game stalls
		p.asleep = draw("stall", 200)
	case 14:
		g.server.asleep = draw("stall", 60)
	case 15: // the player's program ends, and another with its name joins
		hosts := p.Mode() == tendon.Listen // it still hosts: clients would wait for it after a crash, since its network goes on
		if !hosts && (p.IsAuthority() || draw("orderly", 1) == 0) {
			g.quit(p)
		} else {
			p.again = false
			p.Close("for good")
			g.machines = slices.DeleteFunc(g.machines, func(m *machine) bool { return m == p.machine })
		}
		g.players[who] = g.player(p.hello)
	case 16: // nobody can join for a while
		g.server.Close("pause")
		g.play(draw("pause", 60))
		g.moveTo(g.server)
	case 17:
		g.moveTo(g.server) // without telling anyone
	case 18: // the server's program ends
		old := g.server
		if draw("orderly", 1) == 0 {
			old.Close("for good")
		} else {
			for _, p := range g.players {
				p.cut()
			}
		}
		g.quit(old)
		g.serve(fmt.Sprint(old.name, "'"))
		g.server.Load(g.level(draw("level", 2)))
	case 19: // the player and the listen server change places
		if g.worlds != given && g.server.Mode() == tendon.Listen {
			old := g.server
			g.players[who], p.again, old.again = old, false, true
			g.moveTo(p)
			old.Join(old.way)
		}
	}
}

// retake has a player join again; the new connection takes the place of its old one if
// that is still open.
func (g *adventure) retake(p *actor) {
	p.again, p.way = true, g.net.Dialer(g.listener)
	p.Join(p.way)
}

// level returns the name of a level. The empty name is the level of the world that New
// was given, so a game that gave its first world and has OnWorld make the others never
// loads it.
func (g *adventure) level(i int) string {
	if name := []string{"cave", "hill", ""}[i]; name != "" || g.worlds != given {
		return name
	}
	return "cave"
}

func TestWorldsAtRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newAdventure(t, rt)
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
		rounds, pause, calm := 40, 6, 1 // the last is how many rounds have one trouble
		if g.hot {
			rounds, pause, calm = 100, 1, 10
		}
		for range rapid.IntRange(1, rounds).Draw(rt, "rounds") {
			if pick(calm) == 0 {
				g.trouble()
			}
			g.server.step = func() {
				g.server.step = nil
				for range rapid.IntRange(0, 4).Draw(rt, "acts") {
					g.act(g.server, g.server.some(pick), pick)
				}
			}
			if p := g.players[pick(len(g.players))]; pick(3) == 0 {
				p.step = func() {
					p.step = nil
					g.act(p, p.some(pick), pick)
				}
			}
			g.play(1 + pick(pause))
		}
		g.calm()
	})
}

// calm ends a game: nothing happens any more, all connections are good, and after a while
// every client has joined and has what the server has.
func (g *adventure) calm() {
	g.moods, g.quiet = 0, true
	g.server.asleep, g.server.step = 0, nil
	for _, p := range g.players {
		p.asleep, p.step, p.again = 0, nil, true
		if p.IsAuthority() {
			p.Join(p.way)
		}
		p.way.SetConditions(lan, lan)
	}
	g.server.settle()
	g.behave()
	g.play(60) // the last requests are carried out
	var err error
	for range 60 * 6 {
		g.catchUp()
		if err = g.equal(); err == nil {
			g.rests()
			g.lastCalls()
			return
		}
		g.play(10)
	}
	g.t.Fatalf("after a minute of quiet: %v", err)
}
