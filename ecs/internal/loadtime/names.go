package loadtime

// names: which load-time nodes there are, and which were destroyed.

import (
	"iter"
	"maps"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// Nodes are the load-time nodes of a session's world.
type Nodes struct {
	*nodes.Base
	table *nodes.Table

	byName    map[string]donburi.Entity
	names     *joinNames               // nil: a name has come or gone since
	destroyed map[string]bool          // those that this world was made with and that were destroyed
	standing  map[string]Standing      // by name: as they stood when they last ended
	shapes    map[string][]nodes.Place // by name: what they were built with
	buried    map[string]burial        // by name: what was destroyed in this world, for the next session
	shaping   []string                 // names of those that are still being built
}

// New makes the set of a session, of nothing yet.
func New(b *nodes.Base, t *nodes.Table) Nodes {
	return Nodes{
		Base: b, table: t,
		byName: map[string]donburi.Entity{}, destroyed: map[string]bool{}, standing: map[string]Standing{},
		shapes: map[string][]nodes.Place{}, buried: map[string]burial{},
	}
}

// Clear forgets everything: the session has another world.
func (lt *Nodes) Clear() {
	clear(lt.byName)
	clear(lt.destroyed)
	clear(lt.buried)
	lt.names = nil
	clear(lt.standing)
	clear(lt.shapes)
	lt.shaping = nil
}

// joinNames are what joining peers are told of names, kept until a name comes or goes: a whole
// server's players may join in one step, after Load for one.
type joinNames struct {
	sum       sessionmsg.NameSum // of all load-time nodes that this world was made with
	destroyed []string
}

func (lt *Nodes) joinNames() *joinNames {
	if lt.names == nil {
		b := &joinNames{destroyed: slices.Sorted(maps.Keys(lt.destroyed))}
		for name := range lt.byName {
			b.sum.Add(name)
		}
		for _, name := range b.destroyed {
			b.sum.Add(name)
		}
		lt.names = b
	}
	return lt.names
}

// Sum is what a client says of its set when it is ready for a level.
func (lt *Nodes) Sum() sessionmsg.NameSum { return lt.joinNames().sum }

// Name enters an entity under a name, which must be free.
func (lt *Nodes) Name(name string, e donburi.Entity) {
	delete(lt.destroyed, name)
	lt.byName[name] = e
	lt.names = nil
}

// Unname records that a load-time node was destroyed; its name is free. The empty name is
// that of other nodes, and ignored.
func (lt *Nodes) Unname(name string) {
	if name != "" {
		delete(lt.byName, name)
		delete(lt.shapes, name)
		lt.destroyed[name] = true
		lt.names = nil
	}
}

// Entity returns the entity with a name, Null and false where the name is free.
func (lt *Nodes) Entity(name string) (donburi.Entity, bool) {
	e, ok := lt.byName[name]
	return e, ok
}

// Node returns the node with a name, nil where the name is free or its entity is none.
func (lt *Nodes) Node(name string) *nodes.Node { return lt.table.Of(lt.byName[name]) }

// All are the names with their entities, in no order.
func (lt *Nodes) All() iter.Seq2[string, donburi.Entity] { return maps.All(lt.byName) }

// Sorted returns all names in order, which is the same in each run.
func (lt *Nodes) Sorted() []string { return slices.Sorted(maps.Keys(lt.byName)) }

// A Standing is what a load-time node has beside its components: its parent and its
// groups. It keeps them if it ends and another node of its name begins in the same world.
type Standing struct {
	Parent string // a load-time node's name, "" for none
	Groups uint64
}

// NoteStanding records the standing of nodes that are about to end.
func (lt *Nodes) NoteStanding(ending []*nodes.Node) {
	clear(lt.standing)
	for _, n := range ending {
		if n.Name == "" {
			continue
		}
		s := Standing{Groups: n.Groups}
		if n.Parent != nil {
			s.Parent = n.Parent.Name
		}
		if s != (Standing{}) {
			lt.standing[n.Name] = s
		}
	}
}

// NoteGroups records the groups of a load-time node that ends.
func (lt *Nodes) NoteGroups(n *nodes.Node) {
	lt.standing[n.Name] = Standing{Parent: lt.standing[n.Name].Parent, Groups: n.Groups}
}

// Stood returns how a load-time node stood when it last ended.
func (lt *Nodes) Stood(name string) Standing { return lt.standing[name] }
