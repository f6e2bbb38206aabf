package main

// The judge, which compares what clients hold with what they should hold.

import (
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/bots"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// table is a server and clients on a virtual clock.
type table struct {
	network *mem.Network
	server  *member
	clients []*member
}

func newTable(t *testing.T, clients int, c netsim.Conditions) *table {
	t.Helper()
	tb := &table{network: mem.NewNetwork(3, c)}
	l := tb.network.Listener()
	tb.server = testMember(t, "Server", true)
	tb.server.rep.Host(l)
	for i := range clients {
		m := testMember(t, "Client", false)
		m.game.Sample = bots.New(m.game, int64(i)).Sample
		m.rep.Join(tb.network.Dialer(l))
		tb.clients = append(tb.clients, m)
	}
	return tb
}

func testMember(t *testing.T, name string, dedicated bool) *member {
	t.Helper()
	m, err := newMember(name, dedicated, 5)
	if err != nil {
		t.Fatal(err)
	}
	m.rep.OnEnd(func(err error) { t.Errorf("%s: %v", name, err) })
	return m
}

func (tb *table) steps(n int, play bool) {
	for range n {
		tb.network.Advance(time.Second / island.Steps)
		for _, m := range append([]*member{tb.server}, tb.clients...) {
			m.rep.Receive()
			if play {
				m.game.Step(m.rep)
			}
			m.rep.Send()
		}
	}
}

// Bots walk, drive and shoot for a while under loss. Then the world stands still, and
// each client holds what it should.
func TestClientsHoldWhatTheyShould(t *testing.T) {
	tb := newTable(t, 3, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.1, Jitter: 10 * time.Millisecond})
	tb.steps(12*island.Steps, true)
	tb.steps(3*island.Steps, false)
	if v := mustJudge(t).compare(tb.server, tb.clients); v.count != 0 {
		t.Errorf("%d differences; the first: %s", v.count, v.first)
	}
	for i, c := range tb.clients {
		if *c.rep.Counter("stream out") == 0 {
			t.Errorf("client %d never left anything behind: bots walk too little", i)
		}
	}
}

// The judge finds each of these differences.
func TestJudgeSees(t *testing.T) {
	for _, c := range []struct {
		name, says string
		spoil      func(tb *table)
	}{
		{"a prop", "differs in PlaceData.Pos", func(tb *table) {
			e := mine(tb.clients[0])
			island.Place.Get(e).Pos.X += 1
		}},
		{"an owner's prop", "WalkerData.Ammo", func(tb *table) {
			island.Walker.Get(mine(tb.clients[0])).Ammo--
		}},
		{"a node missing", "is missing", func(tb *table) {
			tb.clients[0].rep.World().Remove(mine(tb.clients[0]).Entity())
		}},
		{"a node that should be gone", "held and should not be", func(tb *table) {
			e, _ := tb.server.rep.Find(tendon.ID(mine(tb.clients[0])))
			island.Place.Get(e).Pos.X += 3 * island.Exit
		}},
		{"a node that is no more", "does not exist", func(tb *table) {
			score, _ := island.Score.First(tb.server.rep.World())
			score.Remove()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb := newTable(t, 1, netsim.Conditions{})
			tb.clients[0].game.Sample = nil // the client's walker stands still
			tb.steps(island.Steps, true)
			tb.steps(island.Steps, false)
			j := mustJudge(t)
			if v := j.compare(tb.server, tb.clients); v.count != 0 {
				t.Fatalf("before: %d differences; the first: %s", v.count, v.first)
			}
			c.spoil(tb)
			if v := j.compare(tb.server, tb.clients); v.count == 0 || !strings.Contains(v.first, c.says) {
				t.Errorf("%d differences, the first %q; want one with %q", v.count, v.first, c.says)
			}
		})
	}
}

func mustJudge(t *testing.T) *judge {
	t.Helper()
	j, err := newJudge()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func mine(m *member) *donburi.Entry {
	e, _ := tendon.Mine(m.rep, island.Walker)
	return e
}
