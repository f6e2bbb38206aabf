package ecs_test

// In games played at random: a guest, a client whose program changes its proxies in all
// the ways that only the authority may, and which receives damaged packets, too. Nobody
// else notices, the guest's machine goes on, and once the guest behaves and joins again
// it has what everyone has.

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"
	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// invite adds a guest, whose callbacks are not checked.
func (g *adventure) invite() {
	a := &actor{hello: "guest", witness: &witness{blurred: map[donburi.Entity]bool{}}}
	a.machine = g.machineIn(nil, "guest", tendon.Config{
		Hello: []byte(a.hello), Debug: rapid.Bool().Draw(g.t, "debug"), Log: slog.New(slog.DiscardHandler),
	})
	a.OnWorld(func(w donburi.World, name string) { doorsOf(w, name) })
	way := &damager{share: []float64{0, 0, 0.01, 0.2}[rapid.IntRange(0, 3).Draw(g.t, "damage")], r: g.dice}
	join := func() {
		a.way = g.net.Dialer(g.listener)
		a.way.SetConditions(lan, lan)
		if way.Dialer = a.way; a.step == nil {
			way.share = 0
		}
		a.Join(way)
	}
	a.OnEnd(func(error) { join() })
	a.step = func() {
		if !a.IsAuthority() {
			g.meddle(a)
		}
	}
	g.guest = a
	join()
}

// clients returns the players, and the guest if there is one.
func (g *adventure) clients() []*actor {
	if g.guest == nil {
		return g.players
	}
	return append(slices.Clip(g.players), g.guest)
}

// behave ends the guest's meddling and has it join again.
func (g *adventure) behave() {
	if g.guest != nil {
		g.guest.step = nil
		g.guest.Close("sorry")
		g.play(1)
	}
}

// meddle changes a client's world in a way that a client should not.
func (g *adventure) meddle(a *actor) {
	pick := func(n int) int { return g.dice.IntN(n) }
	e, w := a.some(pick), a.World()
	if pick(4) > 0 {
		return
	}
	if op := pick(6); op == 0 || e == nil {
		e = a.Session()
	} else if limbs := a.limbs(tendon.ID(e)); op == 1 && len(limbs) > 0 {
		e = limbs[pick(len(limbs))]
	}
	own := tendon.ID(e) == rpl.SessionNode
	tag := func(c donburi.IComponentType) {
		if on := e.HasComponent(c); on {
			prime(e, func(set []donburi.IComponentType) []donburi.IComponentType { return without(set, c) })
			e.RemoveComponent(c)
		} else {
			prime(e, func(set []donburi.IComponentType) []donburi.IComponentType { return append(set, c) })
			e.AddComponent(c)
		}
	}
	switch pick(16) {
	case 0:
		if !own {
			e.Remove()
		}
	case 1:
		carry(e, Paint, !e.HasComponent(Paint), PaintData{Colour: 99})
	case 2:
		carry(e, Body, !e.HasComponent(Body), BodyData{})
	case 3:
		carry(e, Sack, !e.HasComponent(Sack), SackData{Name: "mine"})
	case 4:
		carry(e, Ammo, !e.HasComponent(Ammo), AmmoData{Left: 5})
	case 5:
		tag([]donburi.IComponentType{Opaque, Lazy, Plan, Link}[pick(4)])
	case 6, 7:
		a.paint(e, pick)
	case 8:
		if !own {
			tag([]donburi.IComponentType{components.Proxy, components.Hidden, components.RplNode, components.Owner, components.Parent}[pick(5)])
		}
	case 9:
		w.Create(components.RplNode, Body, Paint)
	case 10:
		name := fmt.Sprint("guest's ", pick(5))
		mistaken(g, func() { tendon.Named(w.Entry(w.Create(Paint, Lazy)), name) })
	case 11:
		mistaken(g, func() { tendon.Part(e, w.Entry(w.Create(Ammo, Limb))) })
	case 12:
		var limbs []*donburi.Entry
		for limb := range donburi.NewQuery(filter.Contains(Limb)).Iter(w) {
			limbs = append(limbs, w.Entry(limb.Entity()))
		}
		if len(limbs) == 0 {
			return
		}
		if limb := limbs[pick(len(limbs))]; pick(2) == 0 {
			limb.Remove()
		} else {
			mistaken(g, func() { tendon.Part(e, limb) })
		}
	case 13:
		tendon.Give(e, a.Me())
		_ = tendon.Attach(e, a.some(pick))
		Red.Put(a.Replication, a.Me(), true)
		Red.Add(e)
	case 14:
		if e.HasComponent(components.RplNode) {
			components.RplNode.SetValue(e, components.NodeData{Relevance: rpl.Relevance(pick(4)), Hz: 20})
		}
	default:
		a.Frame()
	}
}

// mistaken runs do, which Tendon may refuse with a panic of its own; other panics pass.
func mistaken(g *adventure, do func()) {
	defer func() {
		if why := recover(); why != nil && !strings.HasPrefix(fmt.Sprint(why), "tendon: ") {
			panic(why)
		}
	}()
	do()
}
