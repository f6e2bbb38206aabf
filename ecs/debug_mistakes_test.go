package ecs_test

// Mistakes in protocols, prefabs and callbacks, and how the library reports them.

import (
	"bytes"
	"context"
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

// Declarations of another protocol are refused, since their numbers stand for something
// else here.
func TestAnotherProtocolsDeclarations(t *testing.T) {
	other := tendon.NewProtocol("other")
	prefab := tendon.NewPrefab(other, "stray", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(Paint)) })
	call := tendon.NewRPC[tendon.None](other, "stray", rpl.ToServer, rpl.Reliable)
	group := tendon.NewGroup(other, "stray")
	l := newLab(t, lan)
	m := l.server(tendon.Config{})
	l.joined()
	e := m.Create(Paint)
	const says = `stray is declared in protocol "other"`
	refused(t, "prefab "+says, func() { prefab.Spawn(m.World(), tendon.None{}) })
	refused(t, "prefab "+says, func() { prefab.Build(m.Replication, nil) })
	refused(t, "RPC "+says, func() { call.Handle(m.Replication, func(tendon.Call, tendon.None) {}) })
	if err := call.Send(e, tendon.None{}); err == nil || !strings.Contains(err.Error(), "RPC "+says) {
		t.Errorf("Send: %v", err)
	}
	refused(t, "group "+says, func() { group.Add(e) })
	refused(t, "group "+says, func() { group.Put(m.Replication, 1, true) })
	refused(t, "group "+says, func() { group.Ask(m.Replication, true) })
	tendon.New(donburi.NewWorld(), other, tendon.Config{})
	refused(t, "FromAnyone", func() { call.FromAnyone() })
}

// A prefab's function runs on every machine, so it may make no other node. The authority
// panics when it first runs such a function, before a client is sent a node of it.
func TestNodeInsideAPrefabsFunction(t *testing.T) {
	l := newLab(t, lan)
	m := l.server(tendon.Config{})
	l.joined()
	Crate.Build(m.Replication, func(w donburi.World, a CrateArgs) *donburi.Entry {
		return Tank.Spawn(w, tendon.None{})
	})
	const says = "inside the function of prefab crate"
	refused(t, "prefab tank is spawned "+says, func() { Crate.Spawn(m.World(), CrateArgs{}) })
	Crate.Build(m.Replication, func(w donburi.World, a CrateArgs) *donburi.Entry { return m.Create(Paint) })
	refused(t, "Create is called "+says, func() { Crate.Spawn(m.World(), CrateArgs{}) })
	Tank.Spawn(m.World(), tendon.None{}) // the session goes on
}

// A panic that the game recovers is logged once, and the session goes on: no later step is
// blamed, and later calls run.
func TestRecoveredPanics(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	said := ""
	Chat.Handle(server.Replication, func(_ tendon.Call, text string) {
		if said += text; text == "panic" {
			panic("a mistake of the game")
		}
	})
	server.OnStreamOut(Paint, func(*donburi.Entry, bool) { panic("another") })
	e, id := server.Create(Paint), server.Session()
	l.steps(10)
	for range 2 {
		for _, from := range []*machine{server, client} { // inside Send, and inside Receive
			for _, text := range []string{"panic", "a", "b"} {
				if err := Chat.Send(from.Session(), text); err != nil {
					t.Fatal(err)
				}
			}
			said = ""
			refused(t, "a mistake of the game", func() { l.steps(20) })
			l.steps(20)
			if Chat.Send(from.Session(), "c"); said != "panic" {
				t.Errorf("%s: ran %q", from.name, said)
			}
			l.steps(20)
			check(t, from.name+": ran", said, "panicc")
		}
	}
	refused(t, "another", e.Remove)
	l.steps(20)
	check(t, "the session's node", server.Session().Entity(), id.Entity())
}

// Create refuses a node of too many components before it makes anything.
func TestTooManyComponents(t *testing.T) {
	type data struct {
		N int `rpl:""`
	}
	p := tendon.NewProtocol("many")
	var cs []donburi.IComponentType
	for i := range rpl.MaxItems + 1 {
		cs = append(cs, tendon.Replicate(p, fmt.Sprint("c", i), donburi.NewComponentType[data]()))
	}
	r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err != nil {
		t.Fatal(err)
	}
	before := r.World().Len()
	refused(t, "Create with 65 replicated components, at most 64", func() { r.Create(cs...) })
	check(t, "entities made", r.World().Len(), before)
	e := r.Create(append(cs[1:], Local)...)
	check(t, "it is a node", tendon.ID(e) != 0, true)
}

// Two tags for one field are a mistake, whichever would count.
func TestTwoTagsForOneField(t *testing.T) {
	p := tendon.NewProtocol("torn")
	tendon.Replicate(p, "count", donburi.NewComponentType[struct{ N int }](), rpl.Tags{"N": "min=0,max=1"}, rpl.Tags{"N": "min=0,max=2"})
	_, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err == nil || !strings.Contains(err.Error(), "component count, field N") {
		t.Errorf("New says %v", err)
	}
}

// A session keeps a hello of its own: the game may use its bytes for something else.
func TestHelloIsCopied(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	hello := []byte("ann")
	client := l.client(tendon.Config{Hello: hello})
	copy(hello, "bob")
	l.joined()
	check(t, "the server reads", string(server.Hello(client.Me())), "ann")
}

// If a protocol has very many mistakes, New reports the first and how many more there are.
func TestVeryManyMistakes(t *testing.T) {
	p := tendon.NewProtocol("careless")
	for range 200 {
		tendon.NewGroup(p, "red")
	}
	for i := range 20 {
		tendon.Replicate(p, fmt.Sprint("number ", i), donburi.NewComponentType[int]())
	}
	_, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err == nil {
		t.Fatal("it is accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	check(t, "lines", len(lines), 22)
	check(t, "of the protocol", lines[10], "tendon: and 189 more mistakes; mend these first")
	check(t, "of its schema", lines[21], "and 10 more mistakes; mend these first")
}

func TestNilArgumentsPanic(t *testing.T) {
	m := newLab(t, lan).machine("alone", tendon.Config{})
	refused(t, "Host of no listener", func() { m.Host(nil) })
	refused(t, "Join without a dialer", func() { m.Join(nil) })
	if _, err := tendon.New(donburi.NewWorld(), nil, tendon.Config{Steps: -1}); err == nil || !strings.Contains(err.Error(), "NewProtocol") || !strings.Contains(err.Error(), "Steps") {
		t.Errorf("New says %v", err)
	}
	refused(t, "a node already", func() { tendon.Named(m.Create(Paint), "door") })
	refused(t, "OnWorld of no function", func() { m.OnWorld(nil) })
	refused(t, "Build of prefab crate of no function", func() { Crate.Build(m.Replication, nil) })
	refused(t, "OnJoin of no function", func() { m.OnJoin(nil) })
	refused(t, "OnEnd of no function", func() { m.OnEnd(nil) })
	refused(t, "OnStreamIn of no function", func() { m.OnStreamIn(Paint, nil) })
	refused(t, "OnStreamOut of no component", func() { m.OnStreamOut(nil, func(*donburi.Entry, bool) {}) })
	refused(t, "OnChange of component paint of no function", func() { tendon.OnChange(m.Replication, Paint, nil) })
	refused(t, "Handle of RPC chat of no function", func() { Chat.Handle(m.Replication, nil) })
	refused(t, "Create of no component", func() { m.Create(Paint, nil) })
	refused(t, "Bump of no component", func() { tendon.Bump(m.Create(Lazy), nil) })
	var unmade *donburi.ComponentType[PaintData]
	refused(t, "OnStreamIn of no component", func() { m.OnStreamIn(unmade, func(*donburi.Entry) {}) })
	refused(t, "OnChange of no component", func() { tendon.OnChange(m.Replication, unmade, func(*donburi.Entry, PaintData) {}) })
	refused(t, "ReceiveSystem of no Replication", func() { tendon.ReceiveSystem(nil) })
	refused(t, "FrameRenderer of no Replication", func() { tendon.FrameRenderer[int](nil) })
	check(t, "the node of a zero entry", tendon.ID(&donburi.Entry{}), 0)
	if _, err := tendon.New(nil, &tendon.Protocol{}, tendon.Config{}); err == nil || !strings.Contains(err.Error(), "NewProtocol") {
		t.Errorf("New with a zero protocol says %v", err)
	}
	var none context.Context
	refused(t, "Use of no plugin", func() { m.Use(nil) })
	refused(t, "Run of no function", func() { m.Run(t.Context(), nil) })
	refused(t, "Run without a context", func() { m.Run(none, func(*tendon.Replication) {}) })
	refused(t, `system "score" of no function`, func() { m.After(tendon.Extract, "score", nil) })
}

type strayData struct {
	Speed int `rpl:""`
}

// Debug mode logs the details of mistakes that are otherwise only counted.
func TestDebugNamesMistakes(t *testing.T) {
	stray := donburi.NewComponentType[strayData]().SetName("stray")
	newest := donburi.NewComponentType[TouchArgs]()
	l := newLab(t, lan)
	var log bytes.Buffer
	c := tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))}
	server, client := l.server(c), l.client(c)
	touch, tell := calls[rpl.ToServer][rpl.Reliable], calls[rpl.Broadcast][rpl.Reliable]
	said := func(counter string, m *machine, parts ...string) {
		t.Helper()
		check(t, counter, *m.Counter(counter) > 0, true)
		line := ""
		for _, s := range strings.Split(log.String(), "\n") {
			if strings.Contains(s, `msg="`+counter+`"`) {
				line += s
			}
		}
		for _, part := range parts {
			if !strings.Contains(line, part) {
				t.Errorf("%s: %q is not in %q", counter, part, line)
			}
		}
		log.Reset()
	}
	if err := touch.Send(client.Session(), 1); err != nil {
		t.Error(err)
	}
	l.steps(1)
	said("rpc dropped", client, "call 0 0", "FromAnyone")
	l.joined()
	e := server.Create(Paint)
	id := tendon.ID(e)
	l.steps(10)
	check(t, "a good game's log", strings.Contains(log.String(), "WARN"), false)

	if err := Touch.Send(client.find(id), TouchArgs{}); err != nil {
		t.Error(err)
	}
	said("rpc dropped", client, "touch", "IsOwner")
	if err := tell.Send(server.find(id), 1); err != nil {
		t.Error(err)
	}
	l.steps(10)
	said("rpc without handler", client, "Handle")
	tendon.Give(server.find(id), 77)
	said("stale give", server, "a node of paint", "peer=77")
	Red.Put(server.Replication, 77, true)
	said("stale group", server, "group red", "peer=77", "OnLeave")
	Red.Add(server.Session())
	said("stale group", server, "group red", "tendon.ID")
	donburi.Add(server.find(id), newest, &TouchArgs{})
	l.steps(1)
	check(t, "a call's arguments, kept in a component", *server.Counter("component not replicated"), 0)
	donburi.Add(server.find(id), stray, &strayData{})
	l.steps(1)
	said("component not replicated", server, "stray", "tendon.Replicate")
	w := server.World()
	w.Create(Paint) // taken for a local entity on purpose, since there are nodes with paint
	l.steps(5)
	check(t, "a local entity", *server.Counter("component on no node"), 0)
	donburi.Add(server.Session(), Ammo, &AmmoData{})
	l.steps(5)
	check(t, "the session's own", *server.Counter("component on no node"), 0)
	w.Create(Ammo)
	l.steps(1)
	said("component on no node", server, "ammo", "Spawn", "Named", "Part")
	server.Create(Ammo)
	l.steps(5)
	check(t, "after a node with it", *server.Counter("component on no node"), 1)
	truck, turret := server.Create(Ammo), w.Entry(w.Create(Paint))
	tendon.Part(truck, turret)
	l.steps(5)
	check(t, "with its part", *server.Counter("part outlives its node"), 0)
	truck.Remove()
	turret.Remove()
	l.steps(5)
	check(t, "without it", *server.Counter("part outlives its node"), 0)
	truck, turret = server.Create(Ammo), w.Entry(w.Create(Paint))
	tendon.Part(truck, turret)
	l.steps(5)
	truck.Remove()
	l.steps(1)
	said("part outlives its node", server, "a part of paint", "remove the parts")
	turret.Remove()
	for _, m := range []*machine{server, client} {
		Crate.Build(m.Replication, func(w donburi.World, a CrateArgs) *donburi.Entry {
			e := newCrate(w, a)
			tendon.Part(e, w.Entry(w.Create(Local))) // its lid
			w.Create(Local)                          // its shadow, which nobody will remove
			w.Entry(w.Create(Local)).Remove()
			return e
		})
	}
	crate := Crate.Spawn(w, CrateArgs{})
	l.steps(20)
	check(t, "entities beside it, at the server", *server.Counter("made beside its node"), 1)
	said("made beside its node", client, "prefab crate, an entity of LocalData", "tendon.Part")
	crate.Remove()
	client.World().Create(components.RplNode, Paint)
	l.steps(2)
	said("node on a client", client, "paint", "Named")
	client.find(id).Remove()
	said("proxy removed by the game", client, "paint", "IsAuthority")
}

// A callback that asks for the same thing each time it runs (Load in OnStart, or Join in an
// OnEnd that ignores the error) gets it once per Receive, and Receive returns.
func TestAskedForInCallbacks(t *testing.T) {
	for name, bind := range map[string]func(m *machine, again func()){
		"Load": func(m *machine, again func()) {
			m.OnStart(func() {
				again()
				m.Load("next")
			})
		},
		"Join": func(m *machine, again func()) {
			m.OnEnd(func(error) {
				again()
				m.Join(refusing{})
			})
			m.Join(refusing{})
		},
		"Host": func(m *machine, again func()) {
			m.OnEnd(func(error) {
				again()
				m.Host(refusing{})
			})
			m.Host(refusing{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newLab(t, lan).machine("alone", tendon.Config{})
			times := 0
			bind(m, func() {
				if times++; times > 100 {
					t.Fatal("Receive does not come back")
				}
			})
			for step := range 5 {
				m.Receive()
				check(t, "times", times, step+1)
				m.Send()
			}
			check(t, "it is alone", m.Alone(), true)
		})
	}
	// A call for a session that could not even be dialled is dropped, and does not reach
	// the session that begins next.
	m := newLab(t, lan).machine("alone", tendon.Config{})
	heard := 0
	Chat.Handle(m.Replication, func(tendon.Call, string) { heard++ })
	m.OnEnd(func(error) { m.Load("menu") })
	m.Join(refusing{})
	for range 3 {
		if err := Chat.Send(m.Session(), "hello"); err != nil {
			t.Error(err)
		}
		m.Receive()
		m.Send()
	}
	check(t, "heard of its own", heard, 2)
	check(t, "dropped", *m.Counter("rpc dropped"), 1)
}

// An invalid RplNode is logged once and changes nothing.
func TestRplNodeOutOfRange(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	server := l.server(tendon.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	client := l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint)
	id := tendon.ID(e)
	data := components.RplNode.Get(e)
	data.Relevance = rpl.OwnerOnly
	l.steps(10)
	for i, wrong := range []components.NodeData{{Relevance: 9}, {Weight: -1}, {Weight: float32(math.NaN())}} {
		*data = wrong
		l.steps(10)
		check(t, "refused", *server.Counter("RplNode refused"), uint64(i+1))
		check(t, "the client sees it", client.has(id), false)
	}
	check(t, "the first is named", strings.Contains(log.String(), fmt.Sprintf("rpl: %v: relevance 9", id)), true)
	*data = components.NodeData{}
	l.steps(10)
	check(t, "the client sees what everyone may see", client.has(id), true)
	strange := server.Create(Paint)
	components.RplNode.Get(strange).Weight = -1
	l.steps(2)
	check(t, "one that is new", *server.Counter("node not made")+*server.Counter("RplNode refused"), 4)
}

// A system that changes on a client what a node has is named: nothing mends it there. What the
// authority changes is none.
func TestProxyChanged(t *testing.T) {
	var log bytes.Buffer
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	l.joined()
	e := server.Create(Paint)
	l.steps(20)
	e.AddComponent(Plan)
	l.steps(20)
	e.RemoveComponent(Plan)
	l.steps(20)
	check(t, "of what the authority changes", *client.Counter("proxy changed"), uint64(0))
	mine := client.find(tendon.ID(e))
	mine.AddComponent(Plan)
	l.steps(2)
	mine.RemoveComponent(Plan)
	mine.RemoveComponent(Paint)
	l.steps(2)
	for _, what := range []string{"what=plan remedy=\"a system has added it", "what=paint remedy=\"a system has removed it"} {
		if !strings.Contains(log.String(), what) {
			t.Errorf("not told: %s\n%s", what, log.String())
		}
	}
}
