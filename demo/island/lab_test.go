package island

// The lab of these tests: sessions of the game on a virtual clock and a network in memory.

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// machine is one session of a test.
type machine struct {
	*Game
	held  Input // the keys that its player holds down
	ended error
}

// lab is a few machines on a virtual clock. The first is the authority.
type lab struct {
	*testing.T
	network  *mem.Network
	machines []*machine
}

// newLab opens a session in a mode, with a number of clients.
func newLab(t *testing.T, mode tendon.Mode, clients int, c netsim.Conditions) *lab {
	t.Helper()
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("network seed %d", seed)
		}
	})
	l := &lab{T: t, network: mem.NewNetwork(seed, c)}
	host := l.machine(mode == tendon.Dedicated)
	if mode == tendon.Single {
		return l
	}
	listener := l.network.Listener()
	host.rep.Host(listener)
	for range clients {
		l.machine(false).rep.Join(l.network.Dialer(listener))
	}
	return l
}

func (l *lab) machine(dedicated bool) *machine {
	l.Helper()
	config := Config(nil)
	config.Dedicated = dedicated
	rep, err := tendon.New(donburi.NewWorld(), Protocol, config)
	if err != nil {
		l.Fatal(err)
	}
	m := &machine{Game: Setup(rep, 7)}
	if !dedicated {
		m.Sample = func(*tendon.Replication) Input { return m.held }
	}
	rep.OnEnd(func(err error) { m.ended = err })
	l.machines = append(l.machines, m)
	return m
}

// steps runs n steps on all machines.
func (l *lab) steps(n int) {
	for range n {
		l.network.Advance(time.Second / Steps)
		for _, m := range l.machines {
			m.rep.Receive()
			m.Step(m.rep)
			m.rep.Send()
		}
	}
}

// until runs steps until so returns true, for at most five seconds.
func (l *lab) until(what string, so func() bool) {
	l.Helper()
	for range 5 * Steps {
		if so() {
			return
		}
		l.steps(1)
	}
	l.Fatalf("never happened: %s", what)
}

// press holds keys for a fifth of a second, then lets go.
func (l *lab) press(m *machine, k Keys) {
	m.held.Keys |= k
	l.steps(Steps / 5)
	m.held.Keys &^= k
	l.steps(2)
}

// walker returns the walker of a peer on a machine.
func (l *lab) walker(on *machine, of rpl.Peer) *donburi.Entry {
	l.Helper()
	for e := range Walker.Iter(on.rep.World()) {
		if tendon.Owner(e) == of {
			return e
		}
	}
	l.Fatalf("peer %d has no walker here", of)
	return nil
}

// put moves a peer's walker on the authority.
func (l *lab) put(of rpl.Peer, at PlaceData) {
	l.Helper()
	*Place.Get(l.walker(l.machines[0], of)) = at
}
