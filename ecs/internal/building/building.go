// Package building runs the functions of prefabs, and finds what they do that a function must not
// which runs on every machine.
package building

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

var (
	errNothingBuilt = errors.New("its function has built no entity of the world that it was given")
	errBuiltBefore  = errors.New("its function has returned an entity that is a node already, or a part of one: make a new entity each time")
)

// A Runner runs the functions of one session.
type Runner struct {
	*nodes.Base
	Nodes *nodes.Table

	own     map[*nodes.Prefab]*nodes.Builder // of this session alone
	running *nodes.Prefab                    // whose function is running
	beside  []donburi.Entity                 // in debug mode: what that function has made
}

// Replace gives a prefab another function in this session.
func (r *Runner) Replace(f *nodes.Prefab, b nodes.Builder) {
	if r.own == nil {
		r.own = map[*nodes.Prefab]*nodes.Builder{}
	}
	r.own[f] = &b
}

// Builder returns a prefab's function.
func (r *Runner) Builder(f *nodes.Prefab) *nodes.Builder {
	if b := r.own[f]; b != nil {
		return b
	}
	return &f.Build
}

// Run runs a prefab's function and returns the entity that it has built, or what is wrong with that.
// One entity cannot be two nodes: with the end of one of them the other would go.
func (r *Runner) Run(f *nodes.Prefab, build func() (*donburi.Entry, error)) (*donburi.Entry, error) {
	e, err := r.within(f, build)
	switch {
	case err != nil:
		return nil, err
	case !donburix.SameWorld(e, r.World) || !e.Valid():
		return nil, errNothingBuilt
	case r.Nodes.Of(e.Entity()) != nil:
		return nil, errBuiltBefore
	}
	r.checkBeside(f, e)
	return r.World.Entry(e.Entity()), nil
}

// within runs a prefab's function, and notes that it runs.
func (r *Runner) within(f *nodes.Prefab, build func() (*donburi.Entry, error)) (*donburi.Entry, error) {
	r.running = f
	defer func() { r.running = nil }()
	return build()
}

// Made notes, in debug mode, what is made while a prefab's function runs.
func (r *Runner) Made(e donburi.Entity) {
	if r.Debug && r.running != nil {
		r.beside = append(r.beside, e)
	}
}

// checkBeside finds what a prefab's function has made beside its node and the node's
// parts. It is local: it is drawn before the node is due, clients run its rules too, and
// it stays when the node goes.
func (r *Runner) checkBeside(f *nodes.Prefab, node *donburi.Entry) {
	for _, ent := range r.beside {
		if ent == node.Entity() || !r.World.Valid(ent) || r.Nodes.Whole(r.World.Entry(ent)).Entity() == node.Entity() {
			continue
		}
		var names []string
		for _, c := range r.World.Entry(ent).Archetype().ComponentTypes() {
			names = append(names, c.Name())
		}
		slices.Sort(names)
		r.Faults.Scold("made beside its node", "prefab "+f.Name+", an entity of "+strings.Join(names, " and "),
			"the prefab's function makes it and it is no part of the node, so it stays when the node goes: call tendon.Part, unless it is meant to be an entity of its own on each machine", "entity", ent)
	}
	r.beside = r.beside[:0]
}

// MustNotRun panics when a node is made inside a prefab's function; what says by what, in pieces. The
// function runs on clients too, which may not make nodes and would be sent the authority's node as well.
func (r *Runner) MustNotRun(what ...string) {
	if r.running != nil {
		panic(fmt.Sprintf("tendon: %s inside the function of prefab %s, which runs on every machine: "+
			"make an entity without RplNode there and call Part, or make the node after Spawn, and Attach it", strings.Join(what, ""), r.running.Name))
	}
}
