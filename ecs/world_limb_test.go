package ecs_test

// In games played at random: parts, and parts of parts, which lose and get components,
// are added late, are removed, and become parts of other nodes.

import (
	"fmt"
	"slices"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

var (
	Rig   = tendon.NewPrefab(proto, "rig", newRig)
	Limbs = donburi.NewComponentType[limbsData]() // the entities that a rig was built of; local
	Limb  = donburi.NewTag("limb")
)

type limbsData struct{ arm, hand donburi.Entity }

func newRig(w donburi.World, _ tendon.None) *donburi.Entry {
	hull, arm, hand := w.Entry(w.Create(Body, Ammo, Limbs)), w.Entry(w.Create(Ammo, Opaque, Limb)), w.Entry(w.Create(Opaque, Lazy, Limb))
	tendon.Part(arm, hand)
	tendon.Part(hull, arm)
	Limbs.SetValue(hull, limbsData{arm.Entity(), hand.Entity()})
	return hull
}

// limbs returns the parts of a node that carry Ammo, Opaque or Lazy.
func (a *actor) limbs(id rpl.Node) (all []*donburi.Entry) {
	q := donburi.NewQuery(filter.And(filter.Not(filter.Contains(components.Owner)), filter.Or(filter.Contains(Ammo), filter.Contains(Opaque), filter.Contains(Lazy))))
	for e := range q.Iter(a.World()) {
		if up := tendon.Parent(e); up != nil && tendon.ID(up) == id {
			all = append(all, e)
		}
	}
	return all
}

// graft changes a part of any node, or a loose part, or adds a new part to node e.
func (a *actor) graft(e *donburi.Entry, pick func(int) int) {
	w := a.World()
	var all []donburi.Entity
	for limb := range donburi.NewQuery(filter.Contains(Limb)).Iter(w) {
		all = append(all, limb.Entity())
	}
	slices.Sort(all)
	if tendon.ID(e) == 0 || !e.HasComponent(components.RplNode) {
		return // it is not a node yet, or not any more
	}
	if len(all) == 0 || len(all) < 12 && pick(5) == 0 {
		limb := w.Create([]donburi.IComponentType{Ammo, Opaque, Lazy}[pick(3)], Limb)
		a.blurred[e.Entity()] = true
		tendon.Part(e, w.Entry(limb))
		return
	}
	limb := w.Entry(all[pick(len(all))*pick(2)]) // often the first: what it loses it gets again
	if pick(6) == 0 {                            // at times the root, whose components its parts have too
		limb = e
	}
	up := limb
	if limb != e {
		up = tendon.Parent(limb)
	}
	switch pick(9) {
	case 0, 1, 2:
		a.hang(e, up, limb, Ammo)
		carry(limb, Ammo, !limb.HasComponent(Ammo), AmmoData{Left: pick(100)})
	case 3, 4:
		a.hang(e, up, limb, Opaque)
		carry(limb, Opaque, !limb.HasComponent(Opaque), opaqueData{x: float64(pick(100))})
	case 5:
		a.hang(e, up, limb, Lazy)
		on, ent := !limb.HasComponent(Lazy), limb.Entity()
		carry(limb, Lazy, on, LazyData{N: int32(pick(100))})
		if dropped, ok := a.dropped[ent]; !on {
			a.dropped[ent] = a.Tick()
		} else if ok && dropped+2 > a.Tick() {
			tendon.Bump(w.Entry(ent), Lazy)
		}
	case 6:
		if limb != e && pick(2) == 0 {
			w.Remove(limb.Entity())
		}
	case 7:
		if limb != e {
			a.blurred[e.Entity()] = true
			tendon.Part(e, limb)
		}
	default:
		a.paint(limb, pick)
	}
}

// hang marks node up as blurred if it was not built with component c on its part limb:
// clients then cannot tell which entity of the node carries the component.
func (a *actor) hang(e, up, limb *donburi.Entry, c donburi.IComponentType) {
	if up != nil && limb != e && !slices.Contains(built(up), place{limb.Entity(), c}) {
		a.blurred[up.Entity()] = true
	}
}

// blurred says whether a player's machine cannot tell which entity of a node carries which
// component: the node has parts, on either machine, that it was not built with.
func (g *adventure) blurred(p *actor, here, e *donburi.Entry) bool {
	return g.server.blurred[e.Entity()] || p.blurred[here.Entity()]
}

// A place is a component of one of a rig's entities.
type place struct {
	on donburi.Entity
	c  donburi.IComponentType
}

// built returns what a rig was built with, and nothing for an entity that is no rig.
func built(e *donburi.Entry) []place {
	if !e.HasComponent(Limbs) {
		return nil
	}
	l := Limbs.Get(e)
	return []place{{e.Entity(), Ammo}, {l.arm, Ammo}, {l.arm, Opaque}, {l.hand, Opaque}, {l.hand, Lazy}}
}

// load describes component c of an entity as its owner sees it (own) or another peer. c is
// one of the components that several entities of a node may carry.
func load(e *donburi.Entry, own bool, c donburi.IComponentType) string {
	switch {
	case !e.HasComponent(c):
		return ""
	case c == Ammo && !own:
		return "ammo"
	case c == Ammo:
		return fmt.Sprint("ammo ", Ammo.Get(e).Left)
	case c == Opaque:
		return fmt.Sprint("opaque ", *Opaque.Get(e))
	}
	return fmt.Sprint("lazy ", *Lazy.Get(e))
}

// sameLimbs compares what a node and its parts carry on the server and on a player's
// machine: what the node was built with at its place, everything else somewhere.
func (g *adventure) sameLimbs(p *actor, here, e *donburi.Entry) error {
	id, own := tendon.ID(e), tendon.Owner(e) == p.Me()
	of := func(a *actor, root *donburi.Entry, own bool) (loads []string) {
		for _, e := range append(a.limbs(id), root) {
			for _, c := range []donburi.IComponentType{Ammo, Opaque, Lazy} {
				if s := load(e, own, c); s != "" {
					loads = append(loads, s)
				}
			}
		}
		slices.Sort(loads)
		return loads
	}
	if got, want := of(p, here, own), of(g.server, e, own); !slices.Equal(got, want) {
		return fmt.Errorf("it and its parts carry %q, not %q", got, want)
	}
	mine := func(a *actor, root *donburi.Entry, at place) string {
		if w := a.World(); w.Valid(at.on) {
			e := w.Entry(at.on)
			if up := tendon.Parent(e); at.on == root.Entity() || up != nil && tendon.ID(up) == id {
				return load(e, own, at.c)
			}
		}
		return ""
	}
	there := built(here)
	for i, at := range built(e) {
		if i < len(there) {
			if got, want := mine(p, here, there[i]), mine(g.server, e, at); got != want {
				return fmt.Errorf("it carries %q at place %d, not %q", got, i, want)
			}
		}
	}
	return nil
}
