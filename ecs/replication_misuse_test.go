package ecs_test

// Mistakes of a running game, and what a game may do inside callbacks.

import (
	"errors"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// BagData has a list with a bound.
type BagData struct {
	Items []uint8          `rpl:"max=4,notify"`
	Name  string           `rpl:"max=4"`
	Tally map[string]uint8 `rpl:"max=4,each=4,notify"`
	notes []string
}

var Bag = tendon.Replicate(proto, "bag", donburi.NewComponentType[BagData]())

// refused runs fn, which must panic with a text that contains part.
func refused(t *testing.T, part string, fn func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, ok := recover().(string); !ok || !strings.Contains(text, part) {
			t.Errorf("panicked with %q, not with %q in it", text, part)
		}
	}()
	fn()
}

// Each mistake of a game has a clear outcome: an error, a panic that names it, or a count.
// The session goes on.
func TestMisuse(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	a, b := server.Create(Paint), server.Create(Paint)
	aID, bID := tendon.ID(a), tendon.ID(b)
	l.steps(10)
	pa, pb := client.find(aID), client.find(bID)

	t.Run("a cycle", func(t *testing.T) {
		if err := tendon.Attach(a, a); !errors.Is(err, rpl.ErrCycle) {
			t.Errorf("under itself: %v", err)
		}
		if err := tendon.Attach(a, b); err != nil {
			t.Error(err)
		}
		if err := tendon.Attach(b, a); !errors.Is(err, rpl.ErrCycle) {
			t.Errorf("under its child: %v", err)
		}
		check(t, "the tree", tendon.Parent(b) == nil && tendon.Parent(a).Entity() == b.Entity(), true)
		if err := tendon.Attach(a, nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("a child in another world", func(t *testing.T) {
		if err := tendon.Attach(pa, b); !errors.Is(err, tendon.ErrNotAllowed) {
			t.Errorf("a proxy under a node of the server's world: %v", err)
		}
		if err := tendon.Attach(a, pb); !errors.Is(err, tendon.ErrNotAllowed) {
			t.Errorf("a node under a proxy: %v", err)
		}
		bare := donburi.NewWorld()
		if err := tendon.Attach(bare.Entry(bare.Create(Paint)), b); !errors.Is(err, tendon.ErrNoNode) {
			t.Errorf("of a world without a session: %v", err)
		}
		refused(t, "one world", func() { tendon.Part(a, pa) })
		refused(t, "a node of its own", func() { tendon.Part(a, b) })
		refused(t, "the session's node has no parts", func() {
			tendon.Part(server.Session(), server.World().Entry(server.World().Create(Paint)))
		})
	})
	t.Run("an unregistered component", func(t *testing.T) {
		e := server.Create(Local, Paint)
		Local.Get(e).From = "here"
		id := tendon.ID(e)
		l.steps(10)
		check(t, "it stays local", client.find(id).HasComponent(Local), false)
		refused(t, "not replicated", func() { tendon.OnChange(server.Replication, Local, func(*donburi.Entry, LocalData) {}) })
		tendon.Bump(e, Local) // no effect on a local component
		check(t, "a view of it", tendon.View(e, Local).From, "here")
	})
	t.Run("a pointer field", func(t *testing.T) {
		p := tendon.NewProtocol("pointers")
		type pointing struct {
			To *int `rpl:""`
		}
		tendon.Replicate(p, "pointing", donburi.NewComponentType[pointing]())
		_, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err == nil || !strings.Contains(err.Error(), "pointing") || !strings.Contains(err.Error(), "To") {
			t.Errorf("New says %v", err)
		}
	})
	t.Run("a list beyond its max", func(t *testing.T) {
		e := server.Create(Bag)
		id := tendon.ID(e)
		Bag.SetValue(e, BagData{Items: []uint8{1, 2, 3, 4, 5, 6}, Name: "too long"})
		l.steps(10)
		got := Bag.Get(client.find(id))
		check(t, "elements", string(got.Items), "\x01\x02\x03\x04")
		check(t, "name", got.Name, "too ")
		check(t, "the server keeps its own", len(Bag.Get(server.find(id)).Items), 6)
	})
	t.Run("an RPC from a non-owner", func(t *testing.T) {
		touch := calls[rpl.ToServer][rpl.Reliable]
		touch.Handle(server.Replication, func(c tendon.Call, _ uint8) { server.say("%d", c.From) })
		if err := touch.Send(pa, 1); err != nil {
			t.Error(err)
		}
		l.steps(10)
		check(t, "ran", len(server.said()), 0)
		check(t, "dropped", *client.Counter("rpc dropped"), 1)
	})
	t.Run("an entity that is gone", func(t *testing.T) {
		e := server.Create(Link, Paint)
		gone := server.Create(Body)
		id, ent := tendon.ID(e), gone.Entity()
		Link.Get(e).Target = ent
		l.steps(10)
		check(t, "it was there", Link.Get(client.find(id)).Target != donburi.Null, true)
		gone.Remove()
		next := server.Create(Body) // donburi reuses the slot
		nextID := tendon.ID(next)
		check(t, "the slot is used again", next.Id(), ent.Id())
		l.steps(60)
		check(t, "the reference, kept by the server", Link.Get(server.find(id)).Target, ent)
		check(t, "on the client", Link.Get(client.find(id)).Target, donburi.Null)
		tendon.Give(w.Entry(ent), client.Me()) // the entry of a removed entity stands for no node
		check(t, "the new tenant's owner", tendon.Owner(server.find(nextID)), rpl.Peer(0))
		Touch.Handle(server.Replication, func(tendon.Call, TouchArgs) { server.say("touched") })
		refusals := *server.Counter("rpc refused")
		if err := Touch.Send(server.find(id), TouchArgs{What: ent}); err != nil {
			t.Error(err)
		}
		l.steps(5)
		check(t, "in arguments: ran", len(server.said()), 0)
		check(t, "in arguments: refused", *server.Counter("rpc refused")-refusals, 1)
	})
	t.Run("Set of a replicated component", func(t *testing.T) {
		value := PaintData{Colour: 40, Name: "set"}
		donburi.Set(server.find(aID), Paint, &value)
		l.steps(10)
		check(t, "on the client", *Paint.Get(client.find(aID)), value)
		value.Colour = 41 // Set has made this variable the component
		l.steps(10)
		check(t, "through the pointer", Paint.Get(client.find(aID)).Colour, 41)
		other := PaintData{Colour: 1}
		donburi.Set(client.find(aID), Paint, &other) // on a proxy it is overwritten
		Paint.Get(server.find(aID)).Colour = 42
		l.steps(10)
		check(t, "the proxy", Paint.Get(client.find(aID)).Colour, 42)
	})
}

// The old value that OnChange gives is the former one, also of lists and maps that the game
// edits in place.
func TestOldValueOfLists(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	l.client(tendon.Config{})
	l.joined()
	for _, m := range l.machines {
		tendon.OnChange(m.Replication, Bag, func(e *donburi.Entry, old BagData) {
			now := Bag.Get(e)
			m.say("%v %v to %v %v", old.Items, old.Tally, now.Items, now.Tally)
		})
	}
	e := server.Create(Bag)
	id := tendon.ID(e)
	Bag.SetValue(e, BagData{Items: []uint8{1, 2}, Tally: map[string]uint8{"a": 1}, notes: []string{"local"}})
	l.steps(10)
	bag := Bag.Get(server.find(id))
	bag.Items[0], bag.Tally["b"] = 9, 2
	l.steps(10)
	for _, m := range l.machines {
		check(t, m.name+" heard", strings.Join(m.said(), ", "), "[] map[] to [1 2] map[a:1], [1 2] map[a:1] to [9 2] map[a:1 b:2]")
	}
	check(t, "local fields", Bag.Get(server.find(id)).notes[0], "local")
}

// Calls made inside callbacks run like any others, in the order of callbacks.
func TestCallsInCallbacks(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	call := calls[rpl.Broadcast][rpl.Reliable]
	send := func(e *donburi.Entry, a uint8) {
		if err := call.Send(e, a); err != nil {
			t.Error(err)
		}
	}
	server.OnStreamIn(Bag, func(e *donburi.Entry) { send(e, 1) })
	server.OnOwner(Bag, func(e *donburi.Entry, _ rpl.Peer) { send(e, 2) })
	server.OnStreamOut(Bag, func(e *donburi.Entry, _ bool) { send(e, 3) })
	for _, m := range l.machines {
		call.Handle(m.Replication, func(c tendon.Call, a uint8) { m.say("%d on %v", a, tendon.ID(c.Entry) != 0) })
		m.OnStreamIn(Bag, func(*donburi.Entry) { m.say("in") })
		m.OnStreamOut(Bag, func(*donburi.Entry, bool) { m.say("out") })
	}
	e := server.Create(Bag)
	id := tendon.ID(e)
	tendon.Give(e, client.Me())
	l.steps(20)
	check(t, "the server heard", strings.Join(server.said(), ", "), "in, 1 on true, 2 on true")
	server.find(id).Remove()
	l.steps(60)
	// On the server the node is gone before the step's Send; on the client its
	// removal waits for the last reliable call.
	check(t, "the server heard", strings.Join(server.said(), ", "), "out")
	said := client.said()
	check(t, "the client heard", strings.Join(said[len(said)-2:], ", "), "3 on true, out")
}

// On every machine a node may be removed in each of its callbacks but the last.
func TestRemoveInCallbacks(t *testing.T) {
	for name, bind := range map[string]func(m *machine, remove func(*donburi.Entry)){
		"OnStreamIn": func(m *machine, remove func(*donburi.Entry)) { m.OnStreamIn(Bag, remove) },
		"OnOwner": func(m *machine, remove func(*donburi.Entry)) {
			m.OnOwner(Bag, func(e *donburi.Entry, _ rpl.Peer) { remove(e) })
		},
		"OnChange": func(m *machine, remove func(*donburi.Entry)) {
			tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, _ PaintData) { remove(e) })
		},
		"a handler": func(m *machine, remove func(*donburi.Entry)) {
			calls[rpl.Broadcast][rpl.Reliable].Handle(m.Replication, func(c tendon.Call, _ uint8) { remove(c.Entry) })
		},
	} {
		for _, where := range []string{"server", "client"} {
			t.Run(name+" on the "+where, func(t *testing.T) {
				l := newLab(t, lan)
				server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
				l.joined()
				m := map[string]*machine{"server": server, "client": client}[where]
				removed := 0
				bind(m, func(e *donburi.Entry) {
					removed++
					e.Remove()
				})
				server.OnStreamIn(Paint, func(e *donburi.Entry) { Paint.Get(e).Colour = 9 })
				bystander := server.Create(Ammo)
				Ammo.Get(bystander).Left = 7
				safe := tendon.ID(bystander)
				tendon.Give(bystander, client.Me())
				e := server.Create(Bag, Paint)
				id := tendon.ID(e)
				Paint.Get(e).Colour = 5
				tendon.Give(e, client.Me())
				calls[rpl.Broadcast][rpl.Reliable].Send(e, 1)
				l.steps(3)
				if s, ok := server.Find(id); ok { // and again, for the client
					calls[rpl.Broadcast][rpl.Reliable].Send(s, 1)
				}
				l.steps(60)
				check(t, "removed", removed, 1)
				check(t, "it is there", m.has(id), false)
				check(t, "on the server", server.has(id), where == "client")
				check(t, "the bystander", Ammo.Get(client.find(safe)).Left, 7)
			})
		}
	}
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	m.OnStreamOut(Bag, func(e *donburi.Entry, _ bool) { e.Remove() })
	e := m.Create(Bag)
	l.steps(1)
	refused(t, "inside its own OnStreamOut", e.Remove)
}
