package ecs_test

// Prefabs' arguments, and entities that are not nodes yet or any more.

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// A prefab's arguments are sent once, in the node's arrival, and build the node before any
// callback, however much the node changes afterwards.
func TestArgumentsAreSentOnce(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		Late.Build(m.Replication, func(w donburi.World, _ tendon.None) *donburi.Entry {
			m.say("built")
			return w.Entry(w.Create(Paint, Local))
		})
		m.OnStreamIn(Paint, func(e *donburi.Entry) { m.say("in, local %v", e.HasComponent(Local)) })
		tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, _ PaintData) { m.say("change") })
	}
	l.joined()
	before := server.Core().Counters()
	id := tendon.ID(Late.Spawn(server.World(), tendon.None{}))
	crate := tendon.ID(Crate.Spawn(server.World(), CrateArgs{Label: "once", Pos: gmath.Vec{X: 3}}))
	l.steps(10)
	for i := range 5 {
		Paint.Get(server.find(id)).Colour = uint8(10 + i)
		Body.Get(server.find(crate)).Pos.X += 10
		l.steps(10)
	}
	check(t, "arrivals sent", server.Core().Counters().Arrivals-before.Arrivals, 2)
	check(t, "built with", Local.Get(client.find(crate)).From, "once")
	for _, m := range l.machines {
		said := m.said()
		if len(said) < 8 {
			t.Fatalf("%s heard %q", m.name, said)
		}
		check(t, m.name+" first", said[0], "built")
		check(t, m.name+" then", said[1], "in, local true")
		built := 0
		for _, line := range said {
			if line == "built" {
				built++
			}
		}
		check(t, m.name+" built it", built, 1)
	}
}

// Spawn refuses arguments that no arrival can carry.
func TestArgumentsTooLong(t *testing.T) {
	type plaque struct {
		Text string `rpl:"max=400"`
	}
	p := tendon.NewProtocol("plaques")
	Body := tendon.Replicate(p, "body", donburi.NewComponentType[BodyData]())
	Plaque := tendon.NewPrefab(p, "plaque", func(w donburi.World, _ plaque) *donburi.Entry { return w.Entry(w.Create(Body)) })
	rep, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "a short one is a node", tendon.ID(Plaque.Spawn(rep.World(), plaque{strings.Repeat("x", 200)})) != 0, true)
	refused(t, "at most 256", func() { Plaque.Spawn(rep.World(), plaque{strings.Repeat("x", 300)}) })
	refused(t, "Text", func() { Plaque.Spawn(rep.World(), plaque{strings.Repeat("x", 401)}) })
}

// An entity that is given RplNode becomes a node in the step's Send. Functions that are
// called on it before say so in their errors.
func TestEntityGivenRplNodeBecomesANode(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	server := l.server(tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	l.steps(1)
	up := server.Create(Body)
	e := server.World().Entry(server.World().Create(Paint, components.RplNode))
	const soon = "from this step's Send on"
	for what, err := range map[string]error{
		"a child": tendon.Attach(e, up), "a parent": tendon.Attach(up, e), "a call": Tell.Send(e, "you"),
	} {
		if !errors.Is(err, tendon.ErrNoNode) || !strings.Contains(err.Error(), soon) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if tendon.Give(e, server.Me()); !strings.Contains(log.String(), soon) {
		t.Errorf("Give says %q", log.String())
	}
	local := server.World().Entry(server.World().Create(Paint))
	if err := tendon.Attach(local, up); !errors.Is(err, tendon.ErrNoNode) || strings.Contains(err.Error(), soon) {
		t.Errorf("one without it: %v", err)
	}
	l.steps(1)
	tendon.Give(e, server.Me())
	check(t, "its owner", tendon.Owner(e), server.Me())
	if err := tendon.Attach(e, up); err != nil {
		t.Error(err)
	}
}

// Functions that are called on a removed entity say that it has gone, not how to make it a
// node.
func TestRemovedIsNoNode(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	l.steps(1)
	up, e := server.Create(Body), server.Create(Paint)
	l.steps(1)
	e.Remove()
	for what, err := range map[string]error{
		"a child": tendon.Attach(e, up), "a parent": tendon.Attach(up, e), "a call": Tell.Send(e, "you"),
	} {
		if !errors.Is(err, tendon.ErrNoNode) || !strings.Contains(err.Error(), "it has been removed") || strings.Contains(err.Error(), "RplNode") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// PanelData has fields that do not travel.
type PanelData struct {
	Lamp  uint8 `rpl:""`
	wires []string
}

var (
	Panel  = tendon.Replicate(proto, "panel", donburi.NewComponentType[PanelData]())
	Switch = tendon.NewPrefab(proto, "switch", func(w donburi.World, label string) *donburi.Entry {
		e := w.Entry(w.Create(Panel))
		Panel.SetValue(e, PanelData{Lamp: 1, wires: []string{label}})
		return e
	})
)

// What a prefab's function writes into fields without a tag is there when the node streams
// in, and stays while the tagged fields beside it change.
func TestLocalFieldsOfPrefabs(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	client.OnStreamIn(Panel, func(e *donburi.Entry) { client.say("%d %v", Panel.Get(e).Lamp, Panel.Get(e).wires) })
	l.joined()
	id := tendon.ID(Switch.Spawn(server.World(), "red"))
	Panel.Get(server.find(id)).Lamp = 2
	l.until("it is there", func() bool { return client.has(id) })
	client.heard("2 [red]")
	Panel.Get(server.find(id)).Lamp = 3
	l.steps(10)
	got := Panel.Get(client.find(id))
	check(t, "its lamp", got.Lamp, 3)
	check(t, "its wires", strings.Join(got.wires, " "), "red")
}

// Where a session has no function for a prefab, nodes of it have their components all the
// same, and the missing function is counted. Spawn panics there.
func TestPrefabWithoutFunction(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	Late.Build(server.Replication, func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(Paint, Local)) })
	l.joined()
	id := tendon.ID(Late.Spawn(server.World(), tendon.None{}))
	Paint.Get(server.find(id)).Colour = 9
	l.until("it is there", func() bool { return client.has(id) })
	check(t, "its colour", Paint.Get(client.find(id)).Colour, 9)
	check(t, "counted", *client.Counter("prefab without function"), 1)
	client.Close("")
	l.steps(2)
	refused(t, "give one to NewPrefab or to Build", func() { Late.Spawn(client.World(), tendon.None{}) })
}
