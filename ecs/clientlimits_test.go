package ecs_test

// Clients that go beyond what a server takes of one.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A client that hears and acknowledges nothing is kicked after ten seconds, with a reason; one
// that stands still for less, and a server that stands still itself, harm nobody.
func TestWhoAcknowledgesNothingIsKicked(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	other := l.client(tendon.Config{})
	l.joined()
	for range 10 {
		server.Create(Body)
	}
	client.asleep = 60 * 8
	l.steps(60 * 9)
	check(t, "stood still for 8 s", client.ended, nil)
	for range 20 {
		l.net.Advance(time.Second) // all of them stand still
	}
	l.steps(60)
	if client.ended != nil || other.ended != nil {
		t.Errorf("after a pause of all: %v, %v", client.ended, other.ended)
	}
	client.asleep = 60 * 11
	l.steps(60 * 13)
	if client.ended == nil || !strings.Contains(client.ended.Error(), "acknowledged") {
		t.Errorf("stood still for 11 s: %v", client.ended)
	}
	check(t, "the other", other.ended, nil)
}

// A client that goes on sending, and only says again what it has acknowledged long ago, acknowledges
// nothing; one at rest in a world at rest does.
func TestOldAcksAreNoAnswer(t *testing.T) {
	for _, loss := range []float64{0, 1} {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Dedicated: true, Limits: tendon.Limits{Unanswered: 3 * time.Second}})
		way, client := l.net.Dialer(l.listener), l.machine("client", tendon.Config{Times: tendon.Times{Silence: time.Minute}})
		client.joins = true
		client.Join(way)
		l.joined()
		server.Create(Body)
		l.steps(60)
		way.SetConditions(lan, netsim.Conditions{Loss: loss}) // it hears nothing more, and is heard
		l.steps(60 * 2)
		check(t, "who is there after two seconds", len(slices.Collect(server.Peers())), 1)
		l.steps(60 * 8)
		check(t, "who is there after ten", len(slices.Collect(server.Peers())), 1-int(loss))
	}
}

// Where a session is patient with silent lines, it is as patient with lines that are dead one way.
func TestOneWaySilence(t *testing.T) {
	l := newLab(t, lan)
	times := tendon.Times{Silence: 30 * time.Second}
	server := l.server(tendon.Config{Dedicated: true, Times: times})
	way, client := l.net.Dialer(l.listener), l.machine("client", tendon.Config{Times: times})
	client.joins = true
	client.Join(way)
	l.joined()
	server.Create(Body)
	l.steps(60)
	way.SetConditions(lan, netsim.Conditions{Loss: 1})
	l.steps(60 * 14)
	way.SetConditions(lan, lan)
	l.steps(60)
	check(t, "who is there after 14 s without a word from the server", len(slices.Collect(server.Peers())), 1)
	check(t, "the client", client.ended, nil)
}

// A limit that cannot be is an error that names it, and how it may be; none is silently another.
func TestLimitsAreChecked(t *testing.T) {
	for want, l := range map[string]tendon.Limits{
		"Limits.Packets is -5":                         {Packets: -5},
		"Limits.Bytes is -1":                           {Bytes: -1},
		"Limits.Backlog is 4194305: give 1 to 4194304": {Backlog: transport.MaxInbox + 1},
		"Limits.Handshakes is -3":                      {Handshakes: -3, Calls: 1},
		"Limits.Unjoined is 500: give 1 to 128":        {Unjoined: 500},
		"Limits.Calls is -1":                           {Calls: -1, Packets: 1},
	} {
		_, err := tendon.New(nil, tendon.NewProtocol("limits"), tendon.Config{Limits: l})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "tendon:") != 1 {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := tendon.New(nil, tendon.NewProtocol("limits"), tendon.Config{Limits: tendon.Limits{Packets: -1, Calls: -1, Unanswered: -1}}); err == nil || strings.Count(err.Error(), "tendon:") != 2 {
		t.Errorf("two mistakes: %v", err)
	}
}

// A limit that is negative is none.
func TestWaitForEver(t *testing.T) {
	l := newLab(t, lan)
	l.server(tendon.Config{Limits: tendon.Limits{Unanswered: -1}})
	client := l.client(tendon.Config{})
	l.joined()
	client.asleep = 60 * 25
	l.steps(60 * 27)
	check(t, "stood still for 25 s", client.ended, nil)
}

// A client that calls too often is kicked within two seconds.
func TestTooManyCalls(t *testing.T) {
	l := newLab(t, netsim.Conditions{})
	server, client := l.server(tendon.Config{Limits: tendon.Limits{Calls: 300}}), l.client(tendon.Config{})
	l.joined()
	Chat.Handle(server.Replication, func(tendon.Call, string) {})
	often := 4
	client.step = func() {
		for range often {
			_ = Chat.Send(client.Session(), "x")
		}
	}
	l.steps(60 * 4)
	check(t, "240 calls a second", client.ended, nil)
	often = 8
	l.steps(60 * 2)
	if client.ended == nil || !strings.Contains(client.ended.Error(), "calls") {
		t.Errorf("480 calls a second: %v", client.ended)
	}
}

// What comes while the server itself stands is counted over that time, and what the client's lane has held
// back until it went on is no flood either. Each call that the client's session took runs once, in order,
// also where more came than waits for the server.
func TestNobodyIsKickedForAStandstillOfTheServer(t *testing.T) {
	for _, c := range []struct {
		stood, often, backlog int
	}{{5, 4, 0}, {40, 1, 0}, {40, 4, 0}, {40, 3, 30_000}, {150, 2, 30_000}} {
		l := newLab(t, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.02})
		server := l.server(tendon.Config{Limits: tendon.Limits{Calls: 300, Backlog: c.backlog}})
		var clients []*machine
		ran, sent := map[rpl.Peer]int{}, map[rpl.Peer]int{}
		Chat.Handle(server.Replication, func(c tendon.Call, n string) {
			if n != strconv.Itoa(ran[c.From]) {
				t.Errorf("peer %d: call %s runs as number %d", c.From, n, ran[c.From])
			}
			ran[c.From]++
		})
		for range 2 {
			m := l.client(tendon.Config{})
			m.step = func() {
				for range c.often {
					if m.Me() != 0 && Chat.Send(m.Session(), strconv.Itoa(sent[m.Me()])) == nil {
						sent[m.Me()]++
					}
				}
			}
			clients = append(clients, m)
		}
		l.joined()
		server.asleep = 60 * c.stood
		l.steps(60 * (c.stood + 5))
		for _, m := range clients {
			m.step = nil
			check(t, fmt.Sprintf("%+v: %s", c, m.name), m.ended, nil)
		}
		l.steps(60 * 30)
		for _, m := range clients {
			check(t, fmt.Sprintf("%+v: calls of %s that have run", c, m.name), ran[m.Me()], sent[m.Me()])
		}
	}
}

// Who floods while the server stands is kicked as it goes on, and who begins then some seconds later.
func TestFloodsRoundAStandstillOfTheServer(t *testing.T) {
	for _, during := range []bool{true, false} {
		l := newLab(t, netsim.Conditions{})
		server, client := l.server(tendon.Config{Limits: tendon.Limits{Calls: 300}}), l.client(tendon.Config{})
		other := l.client(tendon.Config{})
		l.joined()
		Mutter.Handle(server.Replication, func(tendon.Call, uint8) {})
		client.step = func() {
			for range 7 {
				if during == (server.asleep > 0) {
					_ = Mutter.Send(client.Session(), 1)
				}
			}
		}
		l.steps(30)
		server.asleep = 60 * 20
		l.steps(60 * 20)
		check(t, "before it goes on", client.ended, nil)
		if l.steps(60 * 12); client.ended == nil || !strings.Contains(client.ended.Error(), "calls") {
			t.Errorf("a flood while it stands (%v, else after): %v", during, client.ended)
		}
		check(t, "the other", other.ended, nil)
	}
}
