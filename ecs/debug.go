package ecs

// Debug mode: finds the game's mistakes, by looking at everything in every step or
// because they are counted anyway, and logs each by name, once.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// A checker looks for the game's mistakes, in debug mode.
type checker struct {
	*shared
	nodes   *nodeTable
	extract *extractor
	seats   *seating

	looked  map[donburi.IComponentType]bool // component types that were searched for tags
	carried map[*component]bool             // replicated components that some node has had
}

// debug adds the checks to a session's steps.
func (r *Replication) debug() {
	r.checks.looked = map[donburi.IComponentType]bool{}
	r.checks.carried = map[*component]bool{}
	r.After(Receive, "debug: what was received", func(r *Replication) { r.checks.rememberProxies() })
	r.After(Extract, "debug: what was written", func(r *Replication) { r.checks.checkWorld() })
}

// A memory holds an item's fields as they were at the last look.
type memory struct {
	words []int32
	vars  []any
}

// rememberProxies stores the fields of proxies before the game's rules run.
func (ck *checker) rememberProxies() {
	if ck.auth != nil {
		return
	}
	for _, n := range ck.nodes.sorted() {
		for i := range n.items {
			if b := &n.items[i]; b.comp != nil {
				ck.remember(b)
			}
		}
	}
}

// checkWorld looks for writes past the library.
func (ck *checker) checkWorld() {
	if ck.auth == nil {
		ck.checkStrays()
	} else {
		ck.checkForgotten()
		ck.checkLeftParts()
	}
	for _, n := range ck.nodes.sorted() {
		ck.checkShown(n)
		ck.checkTags(n)
		for i := range n.items {
			switch b := &n.items[i]; {
			case b.comp == nil:
			case ck.auth == nil:
				ck.checkItemOfProxy(n, b)
			default:
				ck.checkOwnItem(n, b)
			}
		}
	}
}

// checkItemOfProxy finds a system that writes an item which the authority decides.
func (ck *checker) checkItemOfProxy(n *node, b *binding) {
	drawn := b.track != nil && b.track.Saved()        // it holds what Frame has written
	if n.data.Transient || b.memory == nil || drawn { // every machine moves a transient node itself
		return
	}
	if field := ck.changedField(b); field != "" {
		ck.faults.Scold("proxy written", fmt.Sprintf("%s.%s", b.comp.name, field),
			"a system writes a replicated field of a proxy, which the next update overwrites: ask tendon.IsAuthority, or call an RPC")
	}
}

// checkOwnItem finds what other machines are not told, or told otherwise.
func (ck *checker) checkOwnItem(n *node, b *binding) {
	explicit := b.comp.item.Explicit
	if explicit {
		ck.checkBumped(b)
	}
	if !n.data.Transient && (!explicit || b.seen == ck.tick) {
		ck.checkClamped(b)
	}
}

// checkStrays finds entities to which a client has given RplNode by itself. They are no
// nodes: no other machine has them, and they stand beside the authority's nodes.
func (ck *checker) checkStrays() {
	for e := range donburix.With(ck.world, components.RplNode) {
		if ck.nodes.of(e.Entity()) == nil && !e.HasComponent(components.Proxy) {
			ck.scoldOf("node on a client", "a node of", e,
				"an entity was given RplNode here, and only the authority makes nodes: ask rep.IsAuthority, call Named where every machine makes it, or leave RplNode away from what a prefab's function makes besides its node")
		}
	}
}

// checkLeftParts finds parts whose node the game has removed without them. They stay, on
// the authority alone, and a server that spawns such nodes for hours fills up with them.
func (ck *checker) checkLeftParts() {
	for e := range donburix.With(ck.world, partOf) {
		if ck.nodes.of(e.Entity()) == nil && !ck.world.Valid(partOf.Get(e).node) {
			ck.scoldOf("part outlives its node", "a part of", e,
				"its node was removed, and it stays here, though on no other machine: remove the parts together with their node, or give them to another by Part")
		}
	}
}

// noteBeside notes, in debug mode, what a prefab's function makes.
func (bu *building) noteBeside(e donburi.Entity) {
	if bu.config.Debug && bu.running != nil {
		bu.beside = append(bu.beside, e)
	}
}

// checkBeside finds what a prefab's function has made beside its node and the node's
// parts. It is local: it is drawn before the node is due, clients run its rules too, and
// it stays when the node goes.
func (bu *building) checkBeside(f *prefab, node *donburi.Entry) {
	for _, ent := range bu.beside {
		if ent == node.Entity() || !bu.world.Valid(ent) || bu.nodes.whole(bu.world.Entry(ent)).Entity() == node.Entity() {
			continue
		}
		var names []string
		for _, c := range bu.world.Entry(ent).Archetype().ComponentTypes() {
			names = append(names, c.Name())
		}
		slices.Sort(names)
		bu.faults.Scold("made beside its node", "prefab "+f.name+", an entity of "+strings.Join(names, " and "),
			"the prefab's function makes it and it is no part of the node, so it stays when the node goes: call tendon.Part, unless it is meant to be an entity of its own on each machine", "entity", ent)
	}
	bu.beside = bu.beside[:0]
}

// checkForgotten finds replicated components that stand on entities which are no nodes,
// while no node has ever had them. In a session with other players this is likely a
// mistake: they would expect the components there. Entities that are local on purpose
// usually have components that some node has too.
func (ck *checker) checkForgotten() {
	for _, n := range ck.nodes.sorted() {
		for i := range n.items {
			if c := n.items[i].comp; c != nil {
				ck.carried[c] = true
			}
		}
	}
	if ck.seats.seated(func(s *seat) bool { return s.joined }) == 0 {
		return
	}
	for _, a := range ck.world.Archetypes() {
		types := a.ComponentTypes()
		if a.Count() == 0 || slices.Contains(types, donburi.IComponentType(sessionType)) { // the session's entity is left out
			continue
		}
		for _, t := range types {
			if c := ck.kinds.of(t); c != nil && !ck.carried[c] {
				ck.faults.Scold("component on no node", c.name, "it is replicated and stands only on entities that are no nodes, which nobody else has: make them by Spawn of a prefab, or by Adopt where a pool hands them out, give them components.RplNode, call Named where every machine makes them, or Part where they belong to a node")
			}
		}
	}
}

// checkTags finds components that have rpl tags but are not registered. Those of a type
// that travels as arguments have their tags for that: a game keeps a player's newest input
// on its node.
func (ck *checker) checkTags(n *node) {
	if !ck.world.Valid(n.entity) {
		return
	}
	for _, c := range ck.world.Entry(n.entity).Archetype().Layout().Components() {
		if ck.looked[c] || ck.kinds.of(c) != nil {
			continue
		}
		if ck.looked[c] = true; !ck.protocol.arguments[c.Typ()] && isTagged(c.Typ()) {
			ck.faults.Scold("component not replicated", c.Name(), "its fields have rpl tags and it is not in the protocol: register it with tendon.Replicate, or take the tags away")
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

// checkBumped finds an `explicit` component that has changed without a Bump.
func (ck *checker) checkBumped(b *binding) {
	if slices.ContainsFunc(ck.extract.bumped, func(due bump) bool { return due.entity == b.entity && due.comp == b.comp }) {
		return // a callback has bumped it since it was extracted
	}
	if b.seen != ck.tick && b.memory != nil {
		if field := ck.changedField(b); field != "" {
			ck.faults.Scold("missed bump", fmt.Sprintf("%s.%s", b.comp.name, field),
				"an explicit component has changed and nobody is told: call tendon.Bump after each change")
		}
		return
	}
	ck.remember(b)
}

// wasted reports a Bump of a component that has not changed.
func (ck *checker) wasted(b *binding) {
	if ck.config.Debug {
		ck.faults.Scold("wasted bump", b.comp.name, "tendon.Bump was called and no replicated field has changed: bump after changes only")
	}
}

// checkClamped finds values that other machines get changed, because their tags clamp or
// cut them.
func (ck *checker) checkClamped(b *binding) {
	e, p := ck.component(b)
	if p == nil {
		return
	}
	b.comp.item.Clamped(ck.tagged(b.comp, e, p), func(field string, err error) {
		ck.faults.Scold("value clamped", b.comp.name+"."+field,
			fmt.Sprintf("%v: others get what its tag allows; widen min=, max= or each= there, or keep the value in them", err))
	})
}

// checkShown restores Owner and Parent if the game has written them.
func (ck *checker) checkShown(n *node) {
	if !ck.world.Valid(n.entity) {
		return
	}
	e := ck.world.Entry(n.entity)
	if e.HasComponent(components.Owner) && components.Owner.Get(e).Peer != n.owner {
		ck.scoldOf("owner written", "a node of", e, "components.Owner was written by hand and says again what is so: call tendon.Give")
		ck.nodes.setOwner(n, n.owner)
	}
	parent := donburi.Null
	if n.parent != nil {
		parent = n.parent.entity
	}
	if e.HasComponent(components.Parent) && components.Parent.Get(e).Entity != parent {
		ck.scoldOf("parent written", "a node of", e, "components.Parent was written by hand and says again what is so: call tendon.Attach")
		ck.nodes.showParent(n)
	}
}

// remember stores an item's present fields.
func (ck *checker) remember(b *binding) {
	e, p := ck.component(b)
	if p == nil {
		b.memory = nil
		return
	}
	t := b.comp.item
	if b.memory == nil {
		b.memory = &memory{make([]int32, len(t.Words)), make([]any, len(t.Vars))}
	}
	t.Extract(ck.tagged(b.comp, e, p), b.memory.words, b.memory.vars, ck.nodes)
}

// changedField returns the name of the first field that differs from what is remembered,
// "" if there is none, and remembers the present values.
func (ck *checker) changedField(b *binding) string {
	e, p := ck.component(b)
	if p == nil {
		return ""
	}
	t, old := b.comp.item, b.memory
	words, vars := make([]int32, len(t.Words)), slices.Clone(old.vars)
	t.Extract(ck.tagged(b.comp, e, p), words, vars, ck.nodes)
	b.memory = &memory{words, vars}
	for i := range t.Props {
		prop := &t.Props[i]
		for k := prop.Words[0]; k < prop.Words[1]; k++ {
			if words[k] != old.words[k] {
				return prop.Name
			}
		}
		for k := prop.Vars[0]; k < prop.Vars[1]; k++ {
			if !t.Vars[k].Type.Equal(vars[k], old.vars[k]) {
				return prop.Name
			}
		}
	}
	return ""
}
