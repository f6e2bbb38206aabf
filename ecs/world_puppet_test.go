package ecs_test

// In games played at random: puppets, which the commands of their owners move, on the owner's
// machine before the server has heard of it.

import (
	"fmt"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

type (
	PuppetData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp"`
		Kicks uint16    `rpl:""`
		Deeds []uint8   `rpl:"max=4"`
	}
	PelletData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp"`
		Age uint8     `rpl:""`
	}
	PelletArgs struct {
		Pos gmath.Vec `rpl:"step=1/32"`
	}
	PullKeys struct {
		Right int8 `rpl:"min=-3,max=3"`
		Kick  bool `rpl:"edge"`
	}
)

var (
	Puppet = tendon.Replicate(proto, "puppet", donburi.NewComponentType[PuppetData]())
	Pull   = tendon.NewCommand[PullKeys](proto, "pull", Puppet)

	Pellet    = tendon.Replicate(proto, "pellet", donburi.NewComponentType[PelletData]())
	Fly       = tendon.NewCommand[tendon.None](proto, "fly", Pellet)
	NewPellet = tendon.NewPrefab(proto, "pellet", func(w donburi.World, a PelletArgs) *donburi.Entry {
		e := w.Entry(w.Create(Pellet))
		Pellet.Get(e).Pos = a.Pos
		return e
	})
)

// pulls has a machine pull its puppets: while the game is not calm, at random. The server
// refuses some pulls and changes some puppets behind their owners' backs.
func (g *adventure) pulls(a *actor) {
	Pull.Apply(a.Replication, func(c tendon.Call, k PullKeys) {
		d := Puppet.Get(c.Entry)
		if a.IsAuthority() && !g.quiet && g.dice.IntN(20) == 0 {
			return
		}
		d.Pos.X += float64(k.Right)
		if k.Kick {
			if d.Kicks++; len(d.Deeds) == 4 {
				d.Deeds = d.Deeds[:0]
			}
			d.Deeds = append(d.Deeds, uint8(d.Kicks))
			if at := d.Pos; d.Kicks%4 == 0 {
				NewPellet.Predict(c, 0, PelletArgs{at})
			}
		}
	})
	Fly.Apply(a.Replication, func(c tendon.Call, _ tendon.None) {
		d := Pellet.Get(c.Entry)
		d.Pos.X += 4
		if d.Age++; d.Age >= 40 && tendon.IsAuthority(c.Entry) {
			remove(c.Entry)
		}
	})
	Pull.Sample(a.Replication, func(*donburi.Entry) PullKeys {
		if g.quiet {
			return PullKeys{}
		}
		return PullKeys{int8(g.dice.IntN(7) - 3), g.dice.IntN(5) == 0}
	})
	a.rule = func() {
		Pull.Run(a.Replication)
		Fly.Run(a.Replication)
	}
}

// foresee has a client predict a node from now on, or not any more.
func (a *actor) foresee(e *donburi.Entry, pick func(int) int) { tendon.Predict(e, pick(3) > 0) }

// samePuppet compares a puppet of the server with the same on a player's machine.
func samePuppet(here, e *donburi.Entry) error {
	if !e.HasComponent(Puppet) {
		return nil
	}
	if got, want := fmt.Sprint(*Puppet.Get(here)), fmt.Sprint(*Puppet.Get(e)); got != want {
		return fmt.Errorf("its puppet is %s, not %s; predicted: %v", got, want, tendon.Predicted(here))
	}
	return nil
}

// pellets checks that a client has the pellets of the server, and none that it made by itself.
// One that was made local while the machine played alone is the game's own.
func (g *adventure) pellets(p *actor) error {
	for e := range Pellet.Iter(p.World()) {
		if !e.HasComponent(components.RplNode) {
			continue
		}
		if id := tendon.ID(e); id == 0 || !g.server.has(id) {
			return fmt.Errorf("it has a pellet %v that the server has not", id)
		}
	}
	return nil
}

// sameChildren compares the order of a node's children on two machines.
func sameChildren(p *actor, here, e *donburi.Entry) error {
	var got, want []string
	for c := range tendon.Children(here) {
		if id := tendon.ID(c); id != 0 {
			got = append(got, fmt.Sprint(id))
		}
	}
	for c := range tendon.Children(e) {
		if id := tendon.ID(c); id != 0 && p.has(id) {
			want = append(want, fmt.Sprint(id))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("its children are %v, not %v", got, want)
	}
	return nil
}
