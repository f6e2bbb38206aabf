package ecs_test

// Games with many kinds of entities: donburi keeps an archetype for each set of
// components for ever, and each component's storage has lists for the first 512
// archetypes only.

import (
	"fmt"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Each kind of entity may have a component of its own that is first used in a late
// archetype, on every machine in a prefab's function.
func TestManyKinds(t *testing.T) {
	const kinds = 400
	p := tendon.NewProtocol("many kinds")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[BodyData]())
	var own []*donburi.ComponentType[LocalData]
	var fabs []*tendon.Prefab[tendon.None]
	for i := range kinds {
		c := donburi.NewComponentType[LocalData]()
		own = append(own, c)
		fabs = append(fabs, tendon.NewPrefab(p, fmt.Sprint("kind ", i), func(w donburi.World, _ tendon.None) *donburi.Entry {
			e := w.Entry(w.Create(body, c))
			c.Get(e).From = fmt.Sprint("kind ", i)
			return e
		}))
	}
	l := newLab(t, lan)
	var machines []*tendon.Replication
	for range 2 {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, r)
	}
	server, client := machines[0], machines[1]
	server.Host(l.listener)
	client.Join(l.net.Dialer(l.listener))
	for step := range 120 {
		l.net.Advance(time.Second / 60)
		for _, r := range machines {
			r.Receive()
			if step == 30 && r == server {
				for i, f := range fabs {
					e := f.Spawn(r.World(), tendon.None{})
					body.Get(e).Pos.X = float64(i)
				}
			}
			r.Send()
		}
	}
	for m, r := range machines {
		archetypes := r.World().Archetypes()
		found := 0
		for _, a := range archetypes {
			for _, ent := range a.Entities() {
				e := r.World().Entry(ent)
				if !e.HasComponent(body) {
					continue
				}
				found++
				i := int(body.Get(e).Pos.X)
				check(t, "what the kind has", own[i].Get(e).From, fmt.Sprint("kind ", i))
				check(t, "it is drawn", e.HasComponent(components.Hidden), false)
			}
		}
		check(t, fmt.Sprintf("nodes on machine %d", m), found, kinds)
		// What the function makes, the node, and on a client the node before it is drawn.
		if perKind := len(archetypes) / kinds; perKind != 2+m {
			t.Errorf("machine %d has %d archetypes, %d for each kind, not %d", m, len(archetypes), perKind, 2+m)
		}
	}
}

// crowd fills a world with entities of a thousand archetypes.
func crowd(w donburi.World) {
	var types []donburi.IComponentType
	for range 10 {
		types = append(types, donburi.NewComponentType[LocalData]())
	}
	for mask := 1; mask <= 1000; mask++ {
		var set []donburi.IComponentType
		for i, c := range types {
			if mask>>i&1 == 1 {
				set = append(set, c)
			}
		}
		w.Create(set...)
	}
}

// A session works in a world that is full of local entities, and the game may go on to add
// components that no entity had before.
func TestWorldOfManyArchetypes(t *testing.T) {
	l := newLab(t, lan)
	late := donburi.NewComponentType[LocalData]()
	worlds := []donburi.World{donburi.NewWorld(), donburi.NewWorld()}
	for _, w := range worlds {
		crowd(w)
	}
	server := l.machineIn(worlds[0], "server", tendon.Config{})
	check(t, "Of", tendon.Of(worlds[0]), server.Replication)
	server.Host(l.listener)
	client := l.machineIn(worlds[1], "client", tendon.Config{})
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	id := tendon.ID(server.Create(Body, Paint))
	Body.Get(server.find(id)).Pos.X = 7
	for _, m := range l.machines {
		m.World().Create(late)
		m.World().Entry(m.World().Create(Local)).AddComponent(Lazy)
	}
	tank := tendon.ID(Tank.Spawn(server.World(), tendon.None{}))
	l.steps(60)
	check(t, "a place", Body.Get(client.find(id)).Pos.X, 7)
	check(t, "the tank", client.has(tank), true)
}

// A game may give nodes components, as a rule that cloaks a body does, and make others with the same set
// in a later step: donburi panics there, and a session mends it in its world.
func TestSetsThatAddComponentMade(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	client := l.client(tendon.Config{})
	l.joined()
	for _, c := range []donburi.IComponentType{Paint, Ammo} {
		first := server.Create(Body)
		l.steps(10)
		first.AddComponent(c)
		l.steps(1)
		if c == Paint {
			tendon.Remove(first, tendon.Removed)
		}
		for range 3 {
			second := server.Create(Body, c)
			l.steps(10)
			e, ok := client.Find(tendon.ID(second))
			check(t, "it is there", ok && e.HasComponent(c), true)
		}
	}
}
