package ecs_test

// What the server changes on a node that a client predicts reaches it, also what no rule of the
// game foresees: texts, lists, what only a group or the owner may see, whole components.

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	knightData struct {
		X     float64   `rpl:"step=1/32"`
		Trail []float64 `rpl:"max=4,step=1/32"`
	}
	badgeData struct {
		Name   string           `rpl:"max=16"`
		Titles []string         `rpl:"max=4"`
		Gold   int32            `rpl:"to=owner"`
		Order  string           `rpl:"to=party,max=16"`
		Friend donburi.Entity   `rpl:""`
		Guests []donburi.Entity `rpl:"max=2"`
	}
)

// pairOfKnights are a server and a client that joins it and walks, and what makes steps of both.
func pairOfKnights(t *testing.T, p *tendon.Protocol, walk *tendon.Command[int8], line netsim.Conditions, ofClient tendon.Config, apply func(tendon.Call, int8)) (server, client *tendon.Replication, steps func(n int)) {
	session := func(c tendon.Config) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, c)
		if err != nil {
			t.Fatal(err)
		}
		walk.Apply(r, apply)
		return r
	}
	server, client = session(tendon.Config{Dedicated: true}), session(ofClient)
	walk.Sample(client, func(*donburi.Entry) int8 { return 1 })
	net := mem.NewNetwork(1, line)
	l := net.Listener()
	server.Host(l)
	client.Join(net.Dialer(l))
	return server, client, func(n int) {
		for range n {
			net.Advance(time.Second / 60)
			for _, r := range []*tendon.Replication{server, client} {
				r.Receive()
				walk.Run(r)
				r.Send()
			}
		}
	}
}

func TestPredictedIsTold(t *testing.T) {
	for _, line := range []netsim.Conditions{{Delay: 30 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .1}} {
		p := tendon.NewProtocol("knights")
		party := tendon.NewGroup(p, "party")
		knight := tendon.Replicate(p, "knight", donburi.NewComponentType[knightData]())
		badge := tendon.Replicate(p, "badge", donburi.NewComponentType[badgeData]())
		walk := tendon.NewCommand[int8](p, "walk", knight)
		var log bytes.Buffer
		server, client, steps := pairOfKnights(t, p, walk, line, tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))}, func(c tendon.Call, by int8) {
			d := knight.Get(c.Entry)
			d.X += float64(by) / 10 // steps of a tenth, in steps of 1/32
			if c.Tick%16 == 0 {
				if d.Trail = append(d.Trail, d.X); len(d.Trail) > 4 {
					d.Trail = slices.Delete(d.Trail, 0, 1)
				}
			}
		})
		server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(knight, badge), q) })
		corrected := map[string]int{}
		client.OnCorrection(func(c tendon.Correction) { corrected[c.Field]++ })
		steps(240)
		mine, ok := tendon.Mine(client, knight)
		if !ok || !tendon.Predicted(mine) {
			t.Fatal("the client predicts no knight")
		}
		clear(corrected)
		steps(300)
		if len(corrected) > 0 {
			t.Errorf("%+v: nothing was changed, and these were corrected: %v", line, corrected)
		}
		e, _ := server.Find(tendon.ID(mine))
		for what, change := range map[string]func(b *badgeData){
			"a text": func(b *badgeData) { b.Name = "Gawain" },
			"a list": func(b *badgeData) { b.Titles = []string{"sir", "the green"} },
			"gold":   func(b *badgeData) { b.Gold = 7 },
			"orders": func(b *badgeData) { b.Order = "ride" },
			"a right": func(b *badgeData) {
				party.Put(server, client.Me(), true)
			},
			"new orders": func(b *badgeData) { b.Order = "hold" },
		} {
			change(badge.Get(e))
			steps(90)
			got, want := *badge.Get(mine), *badge.Get(e)
			if !party.Has(server, client.Me()) {
				want.Order = ""
			}
			if got.Name != want.Name || !slices.Equal(got.Titles, want.Titles) || got.Gold != want.Gold || got.Order != want.Order {
				t.Errorf("%+v: after %s the client has %v, not %v", line, what, got, want)
			}
		}
		stranger := server.Create(badge)
		components.RplNode.Get(stranger).Relevance = rpl.OwnerOnly
		badge.Get(e).Friend, badge.Get(e).Guests = stranger.Entity(), []donburi.Entity{stranger.Entity(), e.Entity()}
		steps(90)
		clear(corrected)
		steps(90)
		if b := badge.Get(mine); len(corrected) > 0 || b.Friend != donburi.Null || !slices.Equal(b.Guests, []donburi.Entity{donburi.Null, mine.Entity()}) {
			t.Errorf("%+v: with a friend who is not here: %v, corrected: %v", line, *b, corrected)
		}
		party.Put(server, client.Me(), false)
		steps(90)
		if got := badge.Get(mine).Order; got != "" {
			t.Errorf("%+v: who has left the party has its orders: %q", line, got)
		}
		donburi.Remove[badgeData](e, badge)
		steps(90)
		if mine.HasComponent(badge) {
			t.Errorf("%+v: the badge was taken away, and the client has it", line)
		}
		donburi.Add(server.World().Entry(e.Entity()), badge, &badgeData{Name: "Gareth"})
		steps(90)
		if got := *badge.Get(mine); got.Name != "Gareth" {
			t.Errorf("%+v: the new badge is %v", line, got)
		}
		if strings.Contains(log.String(), "proxy") {
			t.Errorf("%+v: a client that predicts is blamed: %s", line, &log)
		}
	}
}

type (
	lampData struct {
		Lit bool `rpl:""`
	}
	sagaData struct {
		Verses [8]string `rpl:"max=16"`
		Pages  [16]int64 `rpl:""`
	}
)

// A predicted node may lose a component and get another in its place, of another size and shape:
// what is kept of the one is never taken for the other.
func TestPredictedNodeChangesItsComponents(t *testing.T) {
	p := tendon.NewProtocol("bards")
	knight := tendon.Replicate(p, "knight", donburi.NewComponentType[knightData]())
	lamp := tendon.Replicate(p, "lamp", donburi.NewComponentType[lampData]())
	saga := tendon.Replicate(p, "saga", donburi.NewComponentType[sagaData]())
	walk := tendon.NewCommand[int8](p, "walk", knight)
	server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 30 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, by int8) {
		knight.Get(c.Entry).X += float64(by)
	})
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(knight, lamp), q) })
	corrected := 0
	client.OnCorrection(func(tendon.Correction) { corrected++ })
	steps(240)
	mine, ok := tendon.Mine(client, knight)
	if !ok || !tendon.Predicted(mine) {
		t.Fatal("the client predicts no bard")
	}
	e, _ := server.Find(tendon.ID(mine))
	corrected = 0
	for round := range 12 {
		want := sagaData{}
		if e = server.World().Entry(e.Entity()); round%2 == 0 {
			for i := range want.Verses {
				want.Verses[i], want.Pages[i] = strings.Repeat("la", i), int64(-1-round)
			}
			donburi.Remove[lampData](e, lamp)
			donburi.Add(e, saga, &want)
		} else {
			donburi.Remove[sagaData](e, saga)
			donburi.Add(e, lamp, &lampData{Lit: true})
		}
		steps(20 + 10*round)
		switch {
		case round%2 == 0 && (mine.HasComponent(lamp) || *saga.Get(mine) != want):
			t.Errorf("round %d: the client has %v, not %v", round, *saga.Get(mine), want)
		case round%2 == 1 && (mine.HasComponent(saga) || !lamp.Get(mine).Lit):
			t.Errorf("round %d: the lamp is not lit", round)
		}
	}
	if corrected > 0 {
		t.Errorf("%d corrections of what was predicted right", corrected)
	}
}
