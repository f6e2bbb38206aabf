// Package stage plays the programs of this folder in tests: any number of
// sessions in one process, on a network in memory and a virtual clock.
package stage

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Lossy is a network that loses and doubles packets and changes their order.
var Lossy = netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1, Duplicate: 0.05}

// A Stage is a network and the sessions on it. The network's seed is fixed: a
// test that fails fails again.
type Stage struct {
	t        *testing.T
	network  *mem.Network
	listener *mem.Listener
	sessions []session
}

type session struct {
	rep  *tendon.Replication
	step func()
}

// New makes a stage whose sessions' packets suffer c.
func New(t *testing.T, c netsim.Conditions) *Stage {
	s := &Stage{t: t, network: mem.NewNetwork(1, c)}
	s.listener = s.network.Listener()
	return s
}

// Open makes a session in single player. Play runs step in each of its steps.
func (s *Stage) Open(p *tendon.Protocol, c tendon.Config, step func(*tendon.Replication)) *tendon.Replication {
	s.t.Helper()
	rep, err := tendon.New(donburi.NewWorld(), p, c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sessions = append(s.sessions, session{rep, func() { step(rep) }})
	return rep
}

// Host opens a session to the others, Join has one join it.
func (s *Stage) Host(rep *tendon.Replication) { rep.Host(s.listener) }

// Join see Host.
func (s *Stage) Join(rep *tendon.Replication) { rep.Join(s.network.Dialer(s.listener)) }

// Play runs a number of steps, of 60 a second, of all sessions.
func (s *Stage) Play(steps int) {
	for range steps {
		s.network.Advance(time.Second / 60)
		for _, o := range s.sessions {
			o.rep.Receive()
			o.step()
			o.rep.Send()
			o.rep.Frame()
		}
	}
}

// Until plays until ok, at most ten seconds.
func (s *Stage) Until(what string, ok func() bool) {
	s.t.Helper()
	for range 600 {
		if ok() {
			return
		}
		s.Play(1)
	}
	s.t.Fatalf("after 10 s still not: %s", what)
}
