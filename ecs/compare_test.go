package ecs_test

// Differences: what a client is to have as the server has it.

import (
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	spotData struct {
		Pos gmath.Vec `rpl:"step=1/32,pos"`
	}
	pointData struct {
		One  donburi.Entity            `rpl:""`
		Two  [2]donburi.Entity         `rpl:""`
		Opt  rpl.Opt[donburi.Entity]   `rpl:""`
		Many []donburi.Entity          `rpl:"max=3"`
		Map  map[string]donburi.Entity `rpl:"max=3"`
		Rows []pointRow                `rpl:"max=3"`
	}
	pointRow struct {
		To donburi.Entity `rpl:""`
		N  int            `rpl:""`
	}
	cardData struct {
		Mine   int `rpl:"to=owner"`
		Others int `rpl:"to=others"`
		Text   string
	}
)

var (
	points = tendon.NewProtocol("points")
	Spot   = tendon.Replicate(points, "spot", donburi.NewComponentType[spotData]())
	Points = tendon.Replicate(points, "points", donburi.NewComponentType[pointData]())
	Card   = tendon.Replicate(points, "card", donburi.NewComponentType[cardData](), rpl.Tags{"Text": "max=9,to=others"})
)

// pointsOf makes a lab in which every client sees what is near the middle.
func pointsOf(t *testing.T) *tendontest.Lab {
	return tendontest.NewLab(t, tendontest.Game{
		Protocol: points,
		Config:   tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 110}},
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(Spot, components.Observer), p) })
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 30 * time.Millisecond})
}

// pointAll has every kind of reference be to an entity.
func pointAll(e, to *donburi.Entry) {
	ref := to.Entity()
	Points.SetValue(e, pointData{ref, [2]donburi.Entity{ref, 0}, rpl.Some(ref), []donburi.Entity{0, ref}, map[string]donburi.Entity{"a": ref}, []pointRow{{ref, 5}}})
}

// A reference to a node that the client does not have, for whatever reason, is null there, as
// it is meant to be: that is no difference. Where the client has the node, a null is one.
func TestDifferencesOfReferences(t *testing.T) {
	for _, how := range []string{"never near", "owner only", "near no more", "hidden", "removed", "its slot reused"} {
		t.Run(how, func(t *testing.T) {
			l := pointsOf(t)
			server := l.Host()
			client := l.Join()
			l.Steps(20)
			to, e := server.Create(Spot), server.Create(Points)
			components.RplNode.Get(e).Relevance = rpl.Always
			pointAll(e, to)
			switch how {
			case "never near":
				Spot.Get(to).Pos.X = 500
			case "owner only":
				components.RplNode.Get(to).Relevance = rpl.OwnerOnly
			}
			l.Steps(60)
			l.CheckEqual()
			switch how {
			case "near no more":
				Spot.Get(to).Pos.X = 500
			case "hidden":
				tendon.Hide(to, client.Me())
			case "removed", "its slot reused":
				to.Remove()
			}
			l.Steps(120)
			if how == "its slot reused" {
				server.Create(Spot)
				l.Steps(60)
			}
			l.CheckEqual()
			if h := Points.Get(l.Other(client, e)); h.One != 0 || h.Many[1] != 0 || h.Map["a"] != 0 || h.Rows[0].To != 0 {
				t.Errorf("the client has what it should not see: %v", h)
			}
		})
	}
	t.Run("here", func(t *testing.T) {
		l := pointsOf(t)
		server := l.Host()
		client := l.Join()
		to, e := server.Create(Spot), server.Create(Points)
		pointAll(e, to)
		l.Steps(60)
		l.CheckEqual()
		h := Points.Get(l.Other(client, e))
		h.One, h.Many[1] = 0, 0
		ds := tendon.Differences(server.Replication, client.Replication)
		if len(ds) != 2 || ds[0].Field != "One" || ds[1].Field != "Many" {
			t.Errorf("two nulls for what is here: %v", ds)
		}
	})
}

// What the owner alone, or all but the owner, may see is compared with those who see it, and
// with nobody else.
func TestDifferencesBySeers(t *testing.T) {
	l := pointsOf(t)
	server := l.Host()
	owner, other := l.Join(), l.Join()
	l.Steps(20)
	e := server.Create(Card)
	tendon.Give(e, owner.Me())
	Card.SetValue(e, cardData{Mine: 1, Others: 2, Text: "three"})
	l.Steps(60)
	l.CheckEqual()
	Card.SetValue(e, cardData{Mine: 4, Others: 5, Text: "six"})
	for _, m := range []*tendontest.Machine{owner, other} {
		var fields []string
		for _, d := range tendon.Differences(server.Replication, m.Replication) {
			fields = append(fields, d.Field)
		}
		want := "Others Text"
		if m == owner {
			want = "Mine"
		}
		check(t, m.Name, strings.Join(fields, " "), want)
	}
}

// What is kept from a client is no difference, and what the client is to have and has not is one.
func TestDifferencesOfTheHidden(t *testing.T) {
	l := tendontest.NewLab(t, tendontest.Game{Protocol: points, Step: func(*tendontest.Machine) {}}, netsim.Conditions{Delay: 30 * time.Millisecond})
	server := l.Host()
	client := l.Join()
	l.Steps(20)
	spy, top, below, own := server.Create(Card), server.Create(Card), server.Create(Card), server.Create(Card)
	tendon.Hide(spy, client.Me())
	components.RplNode.Get(top).Relevance = rpl.OwnerOnly
	components.RplNode.Get(own).Relevance = rpl.OwnerOnly
	if err := tendon.Attach(below, top); err != nil {
		t.Fatal(err)
	}
	l.Steps(60)
	l.CheckEqual()
	tendon.Give(own, client.Me())
	l.Steps(60)
	l.CheckEqual()
	tendon.Give(top, client.Me())
	client.Dialer.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
	l.Steps(10)
	check(t, "two that it is to have and has not", len(tendon.Differences(server.Replication, client.Replication)), 2)
}

// A client that was sent away, or is not in yet, differs in that; two servers cannot be compared.
func TestDifferencesOfWhoIsNotIn(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	says := func(when string) {
		t.Helper()
		if ds := tendon.Differences(server.Replication, client.Replication); len(ds) != 1 || !strings.Contains(ds[0].String(), "in no session") {
			t.Errorf("%s: %v", when, ds)
		}
	}
	says("before it joins")
	l.steps(1)
	says("while it joins")
	l.joined()
	l.steps(30)
	check(t, "once it is in", len(tendon.Differences(server.Replication, client.Replication)), 0)
	server.Kick(client.Me(), "enough")
	l.steps(30)
	says("sent away")
	refused(t, "Differences compares a server with a client", func() { tendon.Differences(client.Replication, server.Replication) })
}
