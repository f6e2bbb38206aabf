package tendontest

// A Lab: machines of one game on one network.

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Game is what a Lab plays.
type Game struct {
	Protocol *tendon.Protocol
	Config   tendon.Config

	// Configure changes Config for one machine, by its name: "server", "client 1", … For a
	// Hello of its own, or a server that is Dedicated. All machines need the same Steps. It may
	// be nil.
	Configure func(machine string, c *tendon.Config)

	// Setup makes a machine ready before it hosts or joins: handlers, callbacks, the input
	// (Command.Sample; bots draw from Machine.Rand) and the rules (Command.Apply).
	Setup func(m *Machine)

	// Step is what a machine does in each step, between Receive and Send.
	Step func(m *Machine)

	// Weighed are fields of nodes that a client does not predict which rules read all the same, as
	// "component.Field" by the name that was registered: CheckStep is silent about them. Each of
	// their changes may be a correction.
	Weighed []string

	// Seed is of the network and of Machine.Rand; 0 means 1.
	Seed uint64
}

// A Machine is one session of the game.
type Machine struct {
	*tendon.Replication
	Name   string      // "server", "client 1", …
	Rand   *rand.Rand  // seeded
	Dialer *mem.Dialer // of a client: SetConditions changes its line, a Loss of 1 cuts it, and Join(Dialer) joins anew

	checked  func() // between Step and Send
	stepping bool   // Game.Step runs
	frames   *rand.Rand
	screen   *screen // nil: none is open
}

// A Lab is a network and the machines on it. All of it runs on the test's goroutine.
type Lab struct {
	Net      *mem.Network
	Machines []*Machine // the host first

	t        testing.TB
	game     Game
	listener *mem.Listener
	host     *Machine
	steps    int // a second
}

// LateLine returns a line of which every tenth packet comes 50 ms late, as over Wi-Fi. Buffers
// that grow by the worst packet, or that give up when one is late, make others freeze for half
// a second on such a line, and lag for good.
func LateLine() netsim.Conditions {
	return netsim.Conditions{Delay: 30 * time.Millisecond, Late: 0.1, LateBy: 50 * time.Millisecond}
}

// NewLab makes a network with conditions for all, until a Machine's Dialer is given its own.
// A test that fails prints the seed.
func NewLab(t testing.TB, g Game, c netsim.Conditions) *Lab {
	t.Helper()
	if g.Protocol == nil || g.Step == nil {
		t.Fatal("tendontest: a Game needs a Protocol and a Step")
	}
	if g.Seed == 0 {
		g.Seed = 1
	}
	l := &Lab{Net: mem.NewNetwork(g.Seed, c), t: t, game: g, steps: g.Config.Steps}
	if l.steps == 0 {
		l.steps = 60
	}
	l.listener = l.Net.Listener()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("played with Game.Seed %d", g.Seed)
		}
	})
	return l
}

// Alone adds a machine in single player. Game.Setup finds an empty world; if it gives OnWorld, that fills
// the first level, too.
func (l *Lab) Alone(name string) *Machine {
	l.t.Helper()
	config := l.game.Config
	if l.game.Configure != nil {
		l.game.Configure(name, &config)
	}
	if config.Clock == nil {
		config.Clock = l.Net.Now
	}
	r, err := tendon.New(nil, l.game.Protocol, config)
	if err != nil {
		l.t.Fatal(err)
	}
	l.steps = r.Steps() // all have the same: New refuses a second rate for one protocol
	number := uint64(len(l.Machines))
	m := &Machine{
		Replication: r, Name: name,
		Rand: rand.New(rand.NewPCG(l.game.Seed, number)), frames: rand.New(rand.NewPCG(number, l.game.Seed)),
	}
	if l.game.Setup != nil {
		l.game.Setup(m)
	}
	l.Machines = append(l.Machines, m)
	return m
}

// Host adds the machine that the others join: with a player, or without one if
// Config.Dedicated is set.
func (l *Lab) Host() *Machine {
	l.t.Helper()
	l.host = l.Alone("server")
	l.host.Host(l.listener)
	return l.host
}

// Join adds a client, and steps until the server has let it in: OnJoin has run for it there, and
// it can be given nodes. Host comes first.
func (l *Lab) Join() *Machine {
	l.t.Helper()
	m, err := l.TryJoin()
	if err != nil {
		l.t.Fatalf("tendontest: %s has not joined: %v", m.Name, err)
	}
	return m
}

// Errors of a client that OnEnd has no other for.
var (
	errEnded     = errors.New("the session has ended")
	errUndecided = errors.New("the server has neither let it in nor refused it in ten seconds")
)

// TryJoin is Join of a client that the server may refuse: it returns the error that its OnEnd gets. It
// steps for ten seconds at most.
func (l *Lab) TryJoin() (*Machine, error) {
	l.t.Helper()
	if l.host == nil {
		l.t.Fatal("tendontest: there is nobody to join: call Lab.Host before Lab.Join")
	}
	m := l.Alone(fmt.Sprintf("client %d", len(l.Machines)))
	var ended error
	over := false
	m.OnEnd(func(err error) { over, ended = true, err })
	m.Dialer = l.Net.Dialer(l.listener)
	m.Join(m.Dialer)
	for range 10 * l.steps {
		l.Steps(1)
		if m.Mode() == tendon.Client && m.Me() != 0 && slices.Contains(slices.Collect(l.host.Peers()), m.Me()) {
			return m, nil
		}
		if over {
			return m, cmp.Or(ended, errEnded)
		}
	}
	return m, errUndecided
}

// Steps makes all machines step n times: Receive, Game.Step and Send on each, the host first.
// It draws nothing. For a test that looks at View, or at fields drawn in place, there is Play; or the
// test calls Frame of that machine after each step, or as the last thing in Game.Step: rules that run
// after it see what is drawn next.
func (l *Lab) Steps(n int) {
	for range n {
		l.Net.Advance(time.Second / time.Duration(l.steps))
		for _, m := range l.Machines {
			m.screen = nil
			l.step(m)
		}
	}
}

// step is one step of one machine.
func (l *Lab) step(m *Machine) {
	m.Receive()
	m.stepping = true
	l.game.Step(m)
	m.stepping = false
	if m.checked != nil {
		m.checked()
	}
	m.Send()
}

// CheckEqual fails the test if a client differs from the host: in a node, an owner, or a
// tagged field that it may see. It names at most ten differences for each client. Before it,
// let the world come to rest, and a round trip pass.
func (l *Lab) CheckEqual() {
	l.t.Helper()
	for _, m := range l.Machines {
		if m.Mode() != tendon.Client {
			continue
		}
		ds := tendon.Differences(l.Machines[0].Replication, m.Replication)
		for i, d := range ds {
			if i == 10 {
				l.t.Errorf("%s: and %d more differences", m.Name, len(ds)-i)
				break
			}
			l.t.Errorf("%s: %v", m.Name, d)
		}
	}
}

// Other returns an entity of one machine on another; the test fails if it is not there.
func (l *Lab) Other(m *Machine, e *donburi.Entry) *donburi.Entry {
	l.t.Helper()
	id := tendon.ID(e)
	if o, ok := m.Find(id); id != rpl.Node(0) && ok {
		return o
	}
	l.t.Fatalf("tendontest: %s does not have node %v", m.Name, id)
	return nil
}
