package ecs_test

// Entities that are to be nodes and cannot be, since their NodeData is invalid or they
// have too many parts.

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// An entity with invalid NodeData is reported once and harms no other entity. It becomes
// a node as soon as its NodeData is valid, as if it had been made then, however it was
// made.
func TestNodeOfWrongData(t *testing.T) {
	nan := float32(math.NaN())
	for name, build := range map[string]func(m *machine, wrong components.NodeData) *donburi.Entry{
		"RplNode alone": func(m *machine, wrong components.NodeData) *donburi.Entry {
			e := m.World().Entry(m.World().Create(components.RplNode, Body, Paint))
			components.RplNode.SetValue(e, wrong)
			return e
		},
		"a prefab": func(m *machine, wrong components.NodeData) *donburi.Entry {
			Crate.Build(m.Replication, func(w donburi.World, a CrateArgs) *donburi.Entry {
				e := newCrate(w, a)
				e.AddComponent(components.RplNode)
				components.RplNode.SetValue(e, wrong)
				tendon.Part(e, w.Entry(w.Create(Ammo)))
				return e
			})
			return Crate.Spawn(m.World(), CrateArgs{Label: "late"})
		},
		"a load-time node": func(m *machine, wrong components.NodeData) *donburi.Entry {
			e := m.World().Entry(m.World().Create(components.RplNode, Body, Paint))
			components.RplNode.SetValue(e, wrong)
			tendon.Named(e, "door")
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			var log bytes.Buffer
			server := l.server(tendon.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
			client := l.client(tendon.Config{})
			if name == "a load-time node" {
				tendon.Named(client.World().Entry(client.World().Create(Body, Paint)), "door")
			}
			l.joined()
			was := client.count(Body)
			other := server.Create(Body, Paint)
			otherID := tendon.ID(other)
			e := build(server, components.NodeData{Weight: -3})
			ent := e.Entity()
			for range 20 {
				Paint.Get(server.find(otherID)).Colour++
				l.steps(1)
			}
			at := func() *donburi.Entry { return server.World().Entry(ent) }
			check(t, "a node", tendon.ID(at()), 0)
			check(t, "counted", *server.Counter("node not made"), 1)
			check(t, "lines", strings.Count(log.String(), "node not made"), 1)
			check(t, "named", strings.Contains(log.String(), "paint: rpl: weight -3: out of range"), true)
			l.steps(10)
			check(t, "the other", Paint.Get(client.find(otherID)).Colour, Paint.Get(server.find(otherID)).Colour)
			check(t, "the client's bodies", client.count(Body), was+1)

			*components.RplNode.Get(at()) = components.NodeData{Weight: nan}
			l.steps(10)
			*components.RplNode.Get(at()) = components.NodeData{Relevance: 9}
			l.steps(10)
			check(t, "counted, for each that is wrong", *server.Counter("node not made"), 3)

			*components.RplNode.Get(at()) = components.NodeData{Weight: 3}
			Paint.Get(at()).Colour = 77
			l.steps(10)
			id := tendon.ID(at())
			check(t, "counted", *server.Counter("node not made"), 3)
			check(t, "colour", Paint.Get(client.find(id)).Colour, 77)
			Paint.Get(at()).Colour = 78
			l.steps(10)
			check(t, "colour, later", Paint.Get(client.find(id)).Colour, 78)
			if name == "a prefab" {
				check(t, "its function has run", Local.Get(client.find(id)).From, "late")
				check(t, "its part", client.count(Ammo), 1)
			}
			at().Remove()
			l.steps(60)
			check(t, "it is gone", client.has(id), false)
		})
	}
}

// An entity that is removed before it could become a node is forgotten, and its name is
// free.
func TestNodeOfWrongDataGoes(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	m.Receive()
	wrong := func() *donburi.Entry {
		e := m.World().Entry(m.World().Create(components.RplNode, Paint))
		components.RplNode.Get(e).Weight = -1
		tendon.Named(e, "door")
		m.Send()
		m.Receive()
		return e
	}
	wrong().Remove()
	e := wrong()
	donburi.Remove[components.NodeData](e, components.RplNode)
	m.Send()
	m.Receive()
	check(t, "it stays", e.Valid(), true)
	e = m.World().Entry(m.World().Create(Paint))
	tendon.Named(e, "door") // the name is free
	check(t, "told", *m.Counter("node not made"), 2)
	check(t, "a node", tendon.ID(e) != 0, true)
	e.Remove()
	wrong().Remove()
	m.Send()
	check(t, "kept of what has gone", m.Strays(), 0)
}

// An entity with too many parts is no node for as long as it has them.
func TestNodeOfTooManyParts(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	hull := w.Entry(w.Create(components.RplNode, Body))
	ent := hull.Entity()
	var parts []donburi.Entity
	for range rpl.MaxItems {
		part := w.Create(Ammo)
		tendon.Part(w.Entry(ent), w.Entry(part))
		parts = append(parts, part)
	}
	l.steps(10)
	check(t, "told", *server.Counter("node not made"), 1)
	w.Remove(parts[0])
	l.steps(10)
	check(t, "a node", tendon.ID(w.Entry(ent)) != 0, true)
	check(t, "parts", client.count(Ammo), rpl.MaxItems-1)
	check(t, "told", *server.Counter("node not made"), 1)
}

// A prefab with invalid NodeData is an error of New.
func TestPrefabOfWrongData(t *testing.T) {
	crate := func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(Paint)) }
	for _, c := range []struct {
		data []components.NodeData
		want string
	}{
		{[]components.NodeData{{Weight: -3}}, "tendon: NodeData of prefab crate: weight -3: out of range"},
		{[]components.NodeData{{Relevance: 9}}, "tendon: NodeData of prefab crate: relevance 9: out of range; there are Near, Always, OwnerOnly and Grouped"},
		{make([]components.NodeData, 2), "tendon: prefab crate is given 2 NodeData: put all of it into one"},
	} {
		p := tendon.NewProtocol("wrong")
		tendon.NewPrefab(p, "crate", crate, c.data...)
		if _, err := tendon.New(donburi.NewWorld(), p, tendon.Config{}); err == nil || !strings.HasPrefix(fmt.Sprint(err), c.want) {
			t.Errorf("New says %v, not %q", err, c.want)
		}
	}
}
