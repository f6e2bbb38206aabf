package ecs_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// The state that must hold once a game that was played at random is quiet: every client
// has what the server has.

// sees says whether a player must have a node: a player has all of a hierarchy or nothing.
func (g *adventure) sees(p rpl.Peer, e *donburi.Entry) seeing {
	root := rootOf(e)
	for _, o := range nodesOf(g.server.machine) {
		if tendon.Owner(o) == p && rootOf(o).Entity() == root.Entity() {
			return yes
		}
	}
	switch components.RplNode.Get(root).Relevance {
	case rpl.OwnerOnly:
		return no
	case rpl.Grouped:
		for _, s := range []*tendon.Group{Red, Blue} {
			if g.server.groups[g.server.member(s, root)] && s.Has(g.server.Replication, p) {
				return yes
			}
		}
		return no
	case rpl.Near:
		return g.near(p, root)
	}
	return yes
}

// A seeing says whether a player must have a node.
type seeing int

const (
	no seeing = iota
	yes
	either // the node is between the enter radius and the exit radius
)

// near says whether a player's observers see the place of a hierarchy.
func (g *adventure) near(p rpl.Peer, root *donburi.Entry) seeing {
	x, ok := placeOf(root)
	if !g.server.grid || !ok {
		return yes
	}
	s := no
	for _, e := range nodesOf(g.server.machine) {
		if at, ok := placeOf(rootOf(e)); e.HasComponent(components.Observer) && tendon.Owner(e) == p {
			if !ok { // it sees from its own place, wherever that is below a top without one
				s = either
				continue
			}
			switch d := at.Sub(x).Len(); {
			case d < sight.Enter-0.1:
				return yes
			case d < sight.Exit+0.1:
				s = either
			}
		}
	}
	return s
}

// gunOf returns the turret of a tank. It returns nil for anything else, and for a tank
// that has lost its turret because either was local for a while.
func gunOf(e *donburi.Entry) *donburi.Entry {
	if !e.HasComponent(Local) || Local.Get(e).From == "" || strings.Trim(Local.Get(e).From, "0123456789") != "" {
		return nil
	}
	if gun := turretOf(e); gun != nil && tendon.ID(gun) == 0 && tendon.ID(tendon.Parent(gun)) == tendon.ID(e) {
		return gun
	}
	return nil
}

// placeOf returns the position of a node, or of a tank's turret if the hull has no Body.
func placeOf(e *donburi.Entry) (gmath.Vec, bool) {
	if e.HasComponent(Body) {
		return Body.Get(e).Pos, true
	}
	if t := gunOf(e); t != nil && t.HasComponent(Body) {
		return Body.Get(t).Pos, true
	}
	return gmath.Vec{}, false
}

func rootOf(e *donburi.Entry) *donburi.Entry {
	for up := tendon.Parent(e); up != nil; up = tendon.Parent(e) {
		e = up
	}
	return e
}

func (g *adventure) equal() error {
	all := nodesOf(g.server.machine)
	for _, p := range g.clients() {
		if p.Mode() != tendon.Client || p.Me() == 0 {
			return fmt.Errorf("%s is not in", p.name)
		}
		n := 0
		for _, e := range all {
			id := tendon.ID(e)
			if root := rootOf(e); !root.HasComponent(components.RplNode) {
				return fmt.Errorf("the server is about to end %v, above %v", root, id)
			}
			has := p.has(id)
			if sees := g.sees(p.Me(), e); sees == yes && !has || sees == no && has {
				root := rootOf(e)
				return fmt.Errorf("%s, peer %d, has %v of %d: %v; its root is %v, %+v, near: %d", p.name, p.Me(), id, tendon.Owner(e), has,
					tendon.ID(root), *components.RplNode.Get(root), g.near(p.Me(), root))
			}
			if has {
				n++
				if err := g.same(p, e); err != nil {
					return fmt.Errorf("%s, peer %d, %v: %w", p.name, p.Me(), id, err)
				}
			}
		}
		if err := g.pellets(p); err != nil {
			return fmt.Errorf("%s, peer %d: %w", p.name, p.Me(), err)
		}
		if err := g.same(p, g.server.Session()); err != nil {
			return fmt.Errorf("%s, peer %d, the session: %w", p.name, p.Me(), err)
		}
		if got := len(nodesOf(p.machine)); got != n {
			ids := ""
			for _, e := range nodesOf(p.machine) {
				ids += fmt.Sprintf(" %v of %d, %v", tendon.ID(e), tendon.Owner(e), e.Archetype().ComponentTypes())
			}
			return fmt.Errorf("%s, peer %d, has %d nodes, not %d:%s", p.name, p.Me(), got, n, ids)
		}
	}
	for _, a := range append(g.players, g.server) {
		if err := a.told(); err != nil {
			return fmt.Errorf("%s, peer %d: %w", a.name, a.Me(), err)
		}
	}
	return g.peersKnown()
}

// same compares a node of the server with the same node on a player's machine.
func (g *adventure) same(p *actor, e *donburi.Entry) error {
	here, _ := p.Find(tendon.ID(e))
	if tendon.Owner(here) != tendon.Owner(e) {
		return fmt.Errorf("its owner is %d, not %d", tendon.Owner(here), tendon.Owner(e))
	}
	up, want := tendon.Parent(here), tendon.Parent(e)
	if (up == nil) != (want == nil) || up != nil && tendon.ID(up) != tendon.ID(want) {
		return fmt.Errorf("its parent is %v, not %v", up, want)
	}
	if e.HasComponent(Spent) {
		return nil
	}
	if err := sameChildren(p, here, e); err != nil {
		return err
	}
	blurred := g.blurred(p, here, e)
	if err := g.sameLimbs(p, here, e); err != nil {
		return err
	}
	for _, c := range []donburi.IComponentType{Body, Paint, Ammo, Plan, Opaque, Link, Lazy, Sack, Puppet} {
		if blurred && (c == Ammo || c == Opaque || c == Lazy) {
			continue
		}
		if here.HasComponent(c) != e.HasComponent(c) {
			return fmt.Errorf("it has %s: %v", c.Name(), here.HasComponent(c))
		}
	}
	if err := samePuppet(here, e); err != nil {
		return err
	}
	if err := g.sameState(p, here, e); err != nil {
		return err
	}
	if err := sameEscorts(here, e); err != nil {
		return err
	}
	if t := gunOf(e); t != nil {
		if here := gunOf(here); here != nil {
			return g.sameState(p, here, t)
		}
		return errors.New("it has no turret")
	}
	return nil
}

// sameState compares the components of two entities.
func (g *adventure) sameState(p *actor, here, e *donburi.Entry) error {
	blurred := g.blurred(p, here, e)
	own, red := tendon.Owner(e) == p.Me(), Red.Has(g.server.Replication, p.Me())
	if e.HasComponent(Body) && Body.Get(here).Pos != Body.Get(e).Pos {
		return fmt.Errorf("it is at %v, not %v", Body.Get(here).Pos, Body.Get(e).Pos)
	}
	if e.HasComponent(Paint) && *Paint.Get(here) != *Paint.Get(e) {
		return fmt.Errorf("its paint is %v, not %v", *Paint.Get(here), *Paint.Get(e))
	}
	if e.HasComponent(Ammo) && !blurred {
		want := 0
		if own {
			want = Ammo.Get(e).Left
		}
		if got := Ammo.Get(here).Left; got != want {
			return fmt.Errorf("its ammo is %d, not %d", got, want)
		}
	}
	if e.HasComponent(Plan) {
		want := *Plan.Get(e)
		if !red {
			want.Where, want.Words = 0, ""
		}
		if got := *Plan.Get(here); got != want {
			return fmt.Errorf("its plan is %v, not %v", got, want)
		}
	}
	if e.HasComponent(Opaque) && !blurred && *Opaque.Get(here) != *Opaque.Get(e) {
		return fmt.Errorf("its inside is %v, not %v", *Opaque.Get(here), *Opaque.Get(e))
	}
	if e.HasComponent(Lazy) && !blurred && *Lazy.Get(here) != *Lazy.Get(e) {
		return fmt.Errorf("its number is %v, not %v", *Lazy.Get(here), *Lazy.Get(e))
	}
	if e.HasComponent(Link) {
		if got, want := p.names(Link.Get(here).Target), g.seenBy(p)(Link.Get(e).Target); got != want {
			return fmt.Errorf("it refers to %v, not %v", got, want)
		}
	}
	if e.HasComponent(Sack) {
		if got, want := Sack.Get(here).all(p.names, true), Sack.Get(e).all(g.seenBy(p), own); got != want {
			return fmt.Errorf("its sack is %s, not %s", got, want)
		}
	}
	return nil
}

// rests checks that every machine draws the state it has, once nothing changes any more.
func (g *adventure) rests() {
	g.play(90)
	for _, a := range append(g.clients(), g.server) {
		a.Frame()
		for _, e := range nodesOf(a.machine) {
			if !e.HasComponent(Body) {
				continue
			}
			if at, has := tendon.View(e, Body), Body.Get(e); at != *has {
				g.t.Fatalf("%s, peer %d, draws %v as %#v, and has %#v; predicted: %v", a.name, a.Me(), tendon.ID(e), at, *has, tendon.Predicted(e))
			}
		}
	}
}
