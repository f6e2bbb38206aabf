package ecs_test

// The hall is a small game: its nodes have a place, its calls carry texts and large
// arguments, and only their owners may see its vaults.

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type hallArgs struct {
	B []byte `rpl:"max=4000"`
}

type hallPlace struct {
	Pos gmath.Vec `rpl:"step=1/32,pos"`
}

type hallOtherPlace struct {
	Pos gmath.Vec `rpl:"step=1/32,pos"`
}

type hallLarge struct {
	B []byte `rpl:"max=60000"`
}

type hallHand struct {
	Cards []uint8 `rpl:"max=8"`
	Luck  float64 `rpl:"step=1/8"`
}

var (
	hallProto = tendon.NewProtocol("hall")
	hallPos   = tendon.Replicate(hallProto, "pos", donburi.NewComponentType[hallPlace]())
	hallTeam  = tendon.NewGroup(hallProto, "team")
	hallTell  = tendon.NewRPC[string](hallProto, "tell", rpl.Broadcast, rpl.Reliable)
	hallSay   = tendon.NewRPC[hallArgs](hallProto, "say", rpl.Broadcast, rpl.Reliable)
	hallEvery = tendon.NewRPC[hallArgs](hallProto, "every", rpl.Everywhere, rpl.Reliable)
	hallOther = tendon.Replicate(hallProto, "other pos", donburi.NewComponentType[hallOtherPlace]())
	hallBig   = tendon.Replicate(hallProto, "large", donburi.NewComponentType[hallLarge]())
	hallCards = donburi.NewComponentType[[]uint8]()
	hallDeal  = tendon.NewPrefab(hallProto, "deal", func(w donburi.World, a hallHand) *donburi.Entry {
		e := w.Entry(w.Create(hallPos, hallCards))
		slices.Reverse(a.Cards) // the last is dealt first
		hallCards.SetValue(e, a.Cards)
		return e
	})
	hallVault = tendon.NewPrefab(hallProto, "vault", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(hallPos))
	}, components.NodeData{Relevance: rpl.OwnerOnly})
)

// hallMachine adds a machine with hallProto that hosts or joins.
func (l *lab) hallMachine(hosts bool, c tendon.Config) *machine {
	r, err := tendon.New(donburi.NewWorld(), hallProto, c)
	if err != nil {
		l.Fatal(err)
	}
	m := &machine{Replication: r, lab: l, name: fmt.Sprint("hall ", len(l.machines)), joins: !hosts}
	r.OnEnd(func(err error) { m.ended = err })
	l.machines = append(l.machines, m)
	if hosts {
		m.Host(l.listener)
	} else {
		m.Join(l.net.Dialer(l.listener))
	}
	return m
}

func (l *lab) hall(c tendon.Config) (server, client *machine) {
	server, client = l.hallMachine(true, c), l.hallMachine(false, tendon.Config{})
	hallTell.Handle(client.Replication, func(_ tendon.Call, s string) { client.say("%s", s) })
	client.OnStreamIn(hallPos, func(*donburi.Entry) { client.say("in") })
	client.OnStreamOut(hallPos, func(*donburi.Entry, bool) { client.say("out") })
	l.joined()
	client.said()
	return server, client
}

// once has a machine run fn in its next step only.
func (m *machine) once(fn func()) {
	m.step = func() {
		m.step = nil
		fn()
	}
}

// A prefab's arguments are sent as the caller gave them, whatever the prefab's function
// does to them, and refused arguments build nothing.
func TestPrefabArgumentsAsGiven(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.hall(tendon.Config{})
	id := tendon.ID(hallDeal.Spawn(server.World(), hallHand{Cards: []uint8{1, 2, 3}}))
	l.until("it is there", func() bool { return client.has(id) })
	check(t, "the client's cards", fmt.Sprint(*hallCards.Get(client.find(id))), fmt.Sprint(*hallCards.Get(server.find(id))))
	before := server.World().Len()
	recovered(func() { hallDeal.Spawn(server.World(), hallHand{Luck: math.NaN()}) })
	check(t, "entities after a Spawn that panicked", server.World().Len(), before)
}

// An observer sees from the place by which its own node is streamed, also if the node has
// two components with a place, one of which is removed and added again.
func TestNodeWithTwoPlaces(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.hall(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 110}})
	eye := server.Create(hallPos, hallOther, components.Observer)
	hallPos.Get(eye).Pos.X, hallOther.Get(eye).Pos.X = 1000, 5000
	tendon.Give(eye, 2)
	ent := eye.Entity()
	near, far := server.Create(hallPos), server.Create(hallPos)
	hallPos.Get(near).Pos.X, hallPos.Get(far).Pos.X = 1000, 5000
	nearID, farID := tendon.ID(near), tendon.ID(far)
	l.steps(60)
	check(t, "it sees what is where it is", client.has(nearID), true)
	donburi.Remove[hallPlace](server.World().Entry(ent), hallPos)
	l.steps(60)
	check(t, "… and where it is now", client.has(farID), true)
	donburi.Add(server.World().Entry(ent), hallPos, &hallPlace{gmath.Vec{X: 1000}})
	l.steps(60)
	seenFrom := 1000.
	if client.has(farID) {
		seenFrom = 5000
	}
	// the place by which the core streams it: a second client looks from there
	other := l.hallMachine(false, tendon.Config{})
	l.joined()
	look := server.Create(hallPos, components.Observer)
	hallPos.Get(look).Pos.X = seenFrom
	tendon.Give(look, 3)
	l.steps(60)
	check(t, "who stands where it looks from sees it", other.has(tendon.ID(server.World().Entry(ent))), true)
}

// A hierarchy of more nodes than one message may name arrives without a refusal.
func TestLargeTree(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	root := server.Create(Paint).Entity()
	for range 4500 {
		if err := tendon.Attach(server.Create(Paint), server.World().Entry(root)); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(2)
	client := l.client(tendon.Config{})
	l.joined()
	l.until("all are there", func() bool { return client.count(Paint) == 4501 })
	check(t, "resyncs", *client.Counter("resync"), 0)
	check(t, "packets refused", *client.Counter("packet refused"), 0)
}

// A hierarchy of more bytes than any message holds arrives, and the log does not complain.
func TestLongTree(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 5 * time.Millisecond})
	var log bytes.Buffer
	server := l.hallMachine(true, tendon.Config{Budget: 20 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
	root := server.Create(hallBig).Entity()
	for range 80 {
		c := server.Create(hallBig)
		hallBig.Get(c).B = make([]byte, 59000)
		if err := tendon.Attach(c, server.World().Entry(root)); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(2)
	client := l.hallMachine(false, tendon.Config{})
	l.joined()
	l.steps(1800)
	check(t, "nodes", client.count(hallBig), 81)
	if strings.Contains(log.String(), "a node is not sent") {
		t.Errorf("the log says: %s", log.String())
	}
}
