package ecs_test

// In games played at random: nodes made in unusual ways. The arguments of escorts refer
// to other nodes, some crates are built by the game and adopted, and load-time nodes are
// made in the middle of a level, by each machine in its own time.

import (
	"fmt"
	"math"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

var (
	Escort = tendon.NewPrefab(proto, "escort", newEscort)
	Flash  = tendon.NewPrefab(proto, "flash", newFlash, components.NodeData{Transient: true})
	Spent  = donburi.NewTag("spent")              // marks a flash; local
	Whom   = donburi.NewComponentType[whomData]() // the arguments of an escort; local
	Annex  = donburi.NewComponentType[int]()      // the number of a load-time node that is made late; local
)

type (
	EscortArgs struct {
		Whom  donburi.Entity   `rpl:""`
		Dress uint8            `rpl:"max=3"` // which components it is built with
		Group []donburi.Entity `rpl:"max=3"`
	}
	whomData struct {
		whom  rpl.Node
		group []rpl.Node
		dress uint8
	}
)

func newEscort(w donburi.World, a EscortArgs) *donburi.Entry {
	cs := []donburi.IComponentType{Whom, Body, Opaque, Lazy}
	e := w.Entry(w.Create(cs[:2+a.Dress%3]...))
	name := func(of donburi.Entity) rpl.Node {
		if of == donburi.Null {
			return 0
		}
		return tendon.ID(w.Entry(of)) // it panics for an entity that is not here
	}
	d := whomData{whom: name(a.Whom), dress: a.Dress}
	for _, of := range a.Group {
		d.group = append(d.group, name(of))
	}
	Whom.SetValue(e, d)
	return e
}

// newFlash builds a transient node, which each machine moves by itself.
func newFlash(w donburi.World, a CrateArgs) *donburi.Entry {
	e := w.Entry(w.Create(Spent, Body, Paint))
	Body.Get(e).Pos = a.Pos
	return e
}

// escort makes an escort of some nodes.
func (a *actor) escort(pick func(int) int) *donburi.Entry {
	args := EscortArgs{Dress: uint8(pick(4))}
	if to := a.some(pick); to != nil {
		args.Whom = to.Entity()
		for range pick(4) {
			args.Group = append(args.Group, a.some(pick).Entity())
		}
	}
	return Escort.Spawn(a.World(), args)
}

// adopt makes a node of an entity that has more or fewer components than its prefab builds.
func (a *actor) adopt(pick func(int) int) *donburi.Entry {
	w := a.World()
	e := w.Entry(w.Create([][]donburi.IComponentType{{Body, Paint, Lazy, Local}, {Local}, {Local, Paint, Ammo}}[pick(3)]...))
	Local.Get(e).From = "adopted"
	Crate.Adopt(e, CrateArgs{Label: "adopted"})
	return w.Entry(e.Entity())
}

// sameEscorts compares the arguments of an escort. A reference was null on a machine that
// did not have the node when the escort was built.
func sameEscorts(here, e *donburi.Entry) error {
	if !here.HasComponent(Whom) || !e.HasComponent(Whom) {
		return nil
	}
	got, want := Whom.Get(here), Whom.Get(e)
	ok := got.dress == want.dress && (got.whom == 0 || got.whom == want.whom) && len(got.group) == len(want.group)
	for i := 0; ok && i < len(got.group); i++ {
		ok = got.group[i] == 0 || got.group[i] == want.group[i]
	}
	if !ok {
		return fmt.Errorf("it is an escort of %v, not %v", got, want)
	}
	return nil
}

// annex makes load-time node i in a level that is being played, unless it is there.
func (a *actor) annex(i int) {
	w := a.World()
	for e := range Annex.Iter(w) {
		if *Annex.Get(e) == i {
			return
		}
	}
	e := w.Entry(w.Create(Annex, Paint, Body))
	Annex.SetValue(e, i)
	part := w.Entry(w.Create(Lazy, Limb))
	if i == 0 {
		tendon.Part(e, part)
	}
	tendon.Named(e, fmt.Sprint("annex ", i))
	if i == 1 {
		tendon.Part(e, part)
	}
}

// catchUp has every client make the annexes that the server has.
func (g *adventure) catchUp() {
	for e := range Annex.Iter(g.server.World()) {
		for _, p := range g.clients() {
			p.annex(*Annex.Get(e))
		}
	}
}

// misfit makes an entity that cannot be a node because its NodeData is invalid, or changes
// such an entity: makes its NodeData valid or wrong in another way, or removes the entity.
func (a *actor) misfit(pick func(int) int) {
	w := a.World()
	wrong := func() components.NodeData {
		return []components.NodeData{{Weight: -1}, {Relevance: 77}, {Weight: float32(math.Inf(1)), Keep: true}}[pick(3)]
	}
	all := misfits(w)
	if len(all) == 0 || pick(3) == 0 {
		e := w.Entry(w.Create(components.RplNode, Body, Paint, Sack))
		components.RplNode.SetValue(e, wrong())
		Sack.Get(e).Name = "misfit"
		return
	}
	switch e := all[pick(len(all))]; pick(4) {
	case 0:
		components.RplNode.SetValue(e, wrong())
	case 1:
		e.Remove()
	default:
		components.RplNode.SetValue(e, components.NodeData{Keep: true})
	}
}

// misfits returns the entities of an authority's world whose NodeData is invalid.
func misfits(w donburi.World) (all []*donburi.Entry) {
	for e := range components.RplNode.Iter(w) {
		if d := components.RplNode.Get(e); d.Weight < 0 || d.Relevance > rpl.Grouped || math.IsInf(float64(d.Weight), 1) {
			all = append(all, w.Entry(e.Entity()))
		}
	}
	return all
}

// settle gives all misfits valid NodeData.
func (a *actor) settle() {
	for _, e := range misfits(a.World()) {
		components.RplNode.SetValue(e, components.NodeData{})
	}
}
