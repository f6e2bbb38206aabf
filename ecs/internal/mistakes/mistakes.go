// Package mistakes is debug mode: it finds the game's mistakes, by looking at everything in every step or
// because they are counted anyway, and logs each by name, once.
package mistakes

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// A Checker looks for the game's mistakes, in debug mode.
type Checker struct {
	*nodes.Base
	Nodes     *nodes.Table
	IsDirty   func(b *nodes.Binding) bool // reports whether an item has been bumped since it was extracted
	Others    func() bool                 // reports whether other players are in the session
	Arguments map[reflect.Type]bool       // types that travel as arguments
	Session   donburi.IComponentType      // marks the session's own entity

	searched map[donburi.IComponentType]bool // component types that were searched for tags
	carried  map[*nodes.Component]bool       // replicated components that some node has had

	usages  []usage // of the protocol's commands, by number; nil before the first
	step    int     // counts steps
	inStep  bool    // Receive has begun, and Send has not
	spawned []spawn // by the rule that runs

	entries entries // that the game keeps in components
}

// Remember stores the fields of proxies before the game's rules run.
func (ck *Checker) Remember() {
	if ck.Auth != nil {
		return
	}
	for _, n := range ck.Nodes.Sorted() {
		for i := range n.Items {
			if b := &n.Items[i]; b.Comp != nil {
				ck.remember(b)
			}
		}
	}
}

// Check looks for writes past the library.
func (ck *Checker) Check() {
	if ck.searched == nil {
		ck.searched, ck.carried = map[donburi.IComponentType]bool{}, map[*nodes.Component]bool{}
	}
	if ck.Auth == nil {
		ck.checkClientNodes()
	} else {
		ck.checkForgotten()
		ck.checkLeftParts()
	}
	ck.checkCommands()
	ck.checkEntries()
	for _, n := range ck.Nodes.Sorted() {
		ck.checkShown(n)
		ck.checkTags(n)
		ck.checkComponentsOfProxy(n)
		for i := range n.Items {
			switch b := &n.Items[i]; {
			case b.Comp == nil:
			case ck.Auth == nil:
				ck.checkItemOfProxy(n, b)
			default:
				ck.checkOwnItem(n, b)
			}
		}
	}
}

// checkItemOfProxy finds a system that writes an item which the authority decides.
func (ck *Checker) checkItemOfProxy(n *nodes.Node, b *nodes.Binding) {
	drawn := b.Track != nil && b.Track.Saved()                              // it holds what Frame has written
	if n.Data.Transient || n.Predicted != nil || b.Memory == nil || drawn { // every machine moves a transient node itself, and a client what it predicts
		return
	}
	if field := ck.changedField(b); field != "" {
		ck.Faults.Scold("proxy written", fmt.Sprintf("%s.%s", b.Comp.Name, field),
			"a system writes a replicated field of a proxy, which is wrong here alone until the authority's next change overwrites it, if there is one: ask tendon.IsAuthority, or call an RPC")
	}
}

// checkComponentsOfProxy finds a system that has changed which replicated components a proxy has.
// What is predicted may change them, as its rule does everywhere.
func (ck *Checker) checkComponentsOfProxy(n *nodes.Node) {
	if ck.Auth != nil || n.Replica == nil || n.Leaving || !n.Here || n.Predicted != nil || n == ck.Nodes.Session {
		return
	}
	const remedy = "only the authority changes what a node has, and nothing mends it here: ask tendon.IsAuthority, or have a component that is not replicated"
	for i := range n.Items {
		b := &n.Items[i]
		if b.Comp == nil || !ck.World.Valid(b.Entity) || ck.Nodes.Of(b.Entity) != n {
			continue
		}
		if !ck.World.Entry(b.Entity).HasComponent(b.Comp.Type) {
			ck.Faults.Scold("proxy changed", b.Comp.Name, "a system has removed it from a proxy: "+remedy)
		}
	}
	for _, ent := range n.Entities() {
		if !ck.World.Valid(ent) || ck.Nodes.Of(ent) != n {
			continue
		}
		for _, t := range ck.World.Entry(ent).Archetype().Layout().Components() {
			if c := ck.Kinds.Of(t); c != nil && n.Binding(c, ent) == nil {
				ck.Faults.Scold("proxy changed", c.Name, "a system has added it to a proxy: "+remedy)
			}
		}
	}
}

// checkOwnItem finds what other machines are not told, or told otherwise.
func (ck *Checker) checkOwnItem(n *nodes.Node, b *nodes.Binding) {
	explicit := b.Comp.Item.Explicit
	if explicit {
		ck.checkMissedBump(b)
	}
	if !n.Data.Transient && (!explicit || b.Seen == ck.Tick) {
		ck.checkClamped(b)
	}
}

// checkClientNodes finds entities to which a client has given RplNode by itself. They are no
// nodes: no other machine has them, and they stand beside the authority's nodes.
func (ck *Checker) checkClientNodes() {
	for e := range donburix.With(ck.World, components.RplNode) {
		if ck.Nodes.Of(e.Entity()) == nil && !e.HasComponent(components.Proxy) {
			ck.ScoldOf("node on a client", "a node of", e,
				"an entity was given RplNode here, and only the authority makes nodes: ask rep.IsAuthority, call Named where every machine makes it, or leave RplNode away from what a prefab's function makes besides its node")
		}
	}
}

// checkLeftParts finds parts whose node the game has removed without them. They stay, on
// the authority alone, and a server that spawns such nodes for hours fills up with them.
func (ck *Checker) checkLeftParts() {
	for e := range donburix.With(ck.World, nodes.PartOf) {
		if ck.Nodes.Of(e.Entity()) == nil && !ck.World.Valid(nodes.PartOf.Get(e).Node) {
			ck.ScoldOf("part outlives its node", "a part of", e,
				"its node was removed, and it stays here, though on no other machine: remove the parts together with their node, or give them to another by Part")
		}
	}
}

// checkForgotten finds replicated components that stand on entities which are no nodes,
// while no node has ever had them. In a session with other players this is likely a
// mistake: they would expect the components there. Entities that are local on purpose
// usually have components that some node has too.
func (ck *Checker) checkForgotten() {
	for _, n := range ck.Nodes.Sorted() {
		for i := range n.Items {
			if c := n.Items[i].Comp; c != nil {
				ck.carried[c] = true
			}
		}
	}
	if !ck.Others() {
		return
	}
	for _, a := range ck.World.Archetypes() {
		types := a.ComponentTypes()
		if a.Count() == 0 || slices.Contains(types, ck.Session) { // the session's entity is left out
			continue
		}
		for _, t := range types {
			if c := ck.Kinds.Of(t); c != nil && !ck.carried[c] {
				ck.Faults.Scold("component on no node", c.Name, "it is replicated and stands only on entities that are no nodes, which nobody else has: make them by Spawn of a prefab, or by Adopt where a pool hands them out, give them components.RplNode, call Named where every machine makes them, or Part where they belong to a node")
			}
		}
	}
}

// checkTags finds components that have rpl tags but are not registered. Those of a type
// that travels as arguments have their tags for that: a game keeps a player's newest input
// on its node.
func (ck *Checker) checkTags(n *nodes.Node) {
	if !ck.World.Valid(n.Entity) {
		return
	}
	for _, c := range ck.World.Entry(n.Entity).Archetype().Layout().Components() {
		if ck.searched[c] || ck.Kinds.Of(c) != nil {
			continue
		}
		if ck.searched[c] = true; !ck.Arguments[c.Typ()] && isTagged(c.Typ()) {
			ck.Faults.Scold("component not replicated", c.Name(), "its fields have rpl tags and it is not in the protocol: register it with tendon.Replicate, or take the tags away")
		}
	}
}

func isTagged(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if tag, ok := t.Field(i).Tag.Lookup("rpl"); ok && tag != "-" {
			return true
		}
	}
	return false
}

// checkMissedBump finds an `explicit` component that has changed without a Bump.
func (ck *Checker) checkMissedBump(b *nodes.Binding) {
	if ck.IsDirty(b) {
		return // a callback has bumped it since it was extracted
	}
	if b.Seen != ck.Tick && b.Memory != nil {
		if field := ck.changedField(b); field != "" {
			ck.Faults.Scold("missed bump", fmt.Sprintf("%s.%s", b.Comp.Name, field),
				"an explicit component has changed and nobody is told: call tendon.Bump after each change")
		}
		return
	}
	ck.remember(b)
}

// checkClamped finds values that other machines get changed, because their tags clamp or
// cut them.
func (ck *Checker) checkClamped(b *nodes.Binding) {
	e, p := ck.Component(b)
	if p == nil {
		return
	}
	b.Comp.Item.Clamped(ck.Tagged(b.Comp, e, p), func(field string, err error) {
		ck.Faults.Scold("value clamped", b.Comp.Name+"."+field,
			fmt.Sprintf("%v: others get what its tag allows; widen min=, max= or each= there, or keep the value in them", err))
	})
}

// checkShown restores Owner and Parent if the game has written them.
func (ck *Checker) checkShown(n *nodes.Node) {
	if !ck.World.Valid(n.Entity) {
		return
	}
	e := ck.World.Entry(n.Entity)
	if e.HasComponent(components.Owner) && components.Owner.Get(e).Peer != n.Owner {
		ck.ScoldOf("owner written", "a node of", e, "components.Owner was written by hand and says again what is so: call tendon.Give")
		ck.Nodes.SetOwner(n, n.Owner)
	}
	parent := donburi.Null
	if n.Parent != nil {
		parent = n.Parent.Entity
	}
	if e.HasComponent(components.Parent) && components.Parent.Get(e).Entity != parent {
		ck.ScoldOf("parent written", "a node of", e, "components.Parent was written by hand and says again what is so: call tendon.Attach")
		ck.Nodes.ShowParent(n)
	}
}

// remember stores an item's present fields.
func (ck *Checker) remember(b *nodes.Binding) {
	e, p := ck.Component(b)
	if p == nil {
		b.Memory = nil
		return
	}
	t := b.Comp.Item
	if b.Memory == nil {
		b.Memory = &nodes.Memory{Words: make([]int32, len(t.Words)), Vars: make([]any, len(t.Vars))}
	}
	t.Extract(ck.Tagged(b.Comp, e, p), b.Memory.Words, b.Memory.Vars, ck.Nodes)
}

// changedField returns the name of the first field that differs from what is remembered,
// "" if there is none, and remembers the present values.
func (ck *Checker) changedField(b *nodes.Binding) string {
	e, p := ck.Component(b)
	if p == nil {
		return ""
	}
	t, old := b.Comp.Item, b.Memory
	words, vars := make([]int32, len(t.Words)), slices.Clone(old.Vars)
	t.Extract(ck.Tagged(b.Comp, e, p), words, vars, ck.Nodes)
	b.Memory = &nodes.Memory{Words: words, Vars: vars}
	for i := range t.Props {
		prop := &t.Props[i]
		for k := prop.Words[0]; k < prop.Words[1]; k++ {
			if words[k] != old.Words[k] {
				return prop.Name
			}
		}
		for k := prop.Vars[0]; k < prop.Vars[1]; k++ {
			if !t.Vars[k].Type.Equal(vars[k], old.Vars[k]) {
				return prop.Name
			}
		}
	}
	return ""
}
