package extract

// authority: how nodes begin and end on the authority. An entity that is to be a node and
// cannot be, because its RplNode is invalid or there are too many nodes, stays a local entity
// until the step in which it can become one.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

var errTwice = errors.New("tendon: the entity is a node already: adopt or name it once")

// MakeNode makes an entity a node of the authority. An entity that cannot be made a node
// stays local; that is reported, and tried again in later steps.
func (ex *Reader) MakeNode(e *donburi.Entry, o nodes.Origin) *nodes.Node {
	ent := e.Entity()
	if n := ex.Nodes.Of(ent); n != nil && !ex.endLeft(n, e) {
		ex.Faults.Refuse("node made twice", errTwice)
		return nil
	}
	if o.Prefab == nil && o.Name == "" {
		o = ex.unmade[ent].origin // the entity was found by its RplNode, and could not be made a node before
	}
	donburix.Add(e, components.RplNode, components.Owner, components.Parent)
	if data := components.RplNode.Get(e); o.Prefab != nil && *data == (components.NodeData{}) {
		*data = o.Prefab.Node
	}
	n := ex.Nodes.New(ent, *components.RplNode.Get(e))
	n.Name = o.Name
	s := rpl.Spawn{
		Args: o.Args, Name: o.Name, Transient: n.Data.Transient, Streaming: nodes.Streaming(&n.Data),
	}
	if o.Prefab != nil {
		s.Prefab = o.Prefab.Wire
	}
	n.SetBuilt(ex.LoadTime.BuiltWith(n))
	n.Items = n.ByOrdinal(ex.Nodes.Bindings(n))
	for _, b := range n.Items {
		var t *rpl.ItemType
		if b.Comp != nil {
			t = b.Comp.Item
		}
		s.Items = append(s.Items, t)
	}
	id, err := ex.Auth.Spawn(s)
	if err != nil {
		ex.notMade(e, o, n.Data, err)
		return nil
	}
	delete(ex.unmade, ent)
	delete(ex.Nodes.Parts, ent)
	n.ID, n.From = id, ex.Tick
	for i := range n.Items {
		n.Items[i].Item, _ = ex.Auth.Item(id, i)
		ex.Notify.StartComparing(&n.Items[i], o.Prefab == nil && o.Name == "", nil)
	}
	ex.Nodes.Add(n)
	ex.Nodes.SetOwner(n, 0) // the entity may have been another node before
	ex.Nodes.ShowParent(n)
	ex.fresh, ex.made = append(ex.fresh, n), append(ex.made, n)
	return n
}

// An unmade is such an entity: how it is to become a node, and its RplNode when the
// failure was last reported.
type unmade struct {
	origin nodes.Origin
	data   components.NodeData
}

// notMade keeps an entity for the next steps. It reports the failure once, and again only
// when the entity's RplNode has changed and is still wrong.
func (ex *Reader) notMade(e *donburi.Entry, o nodes.Origin, data components.NodeData, why error) {
	was, known := ex.unmade[e.Entity()]
	if ex.unmade == nil {
		ex.unmade = map[donburi.Entity]unmade{}
	}
	ex.unmade[e.Entity()] = unmade{origin: o, data: data}
	if known && donburix.NodeDataDiffers(unsafe.Pointer(&data), &was.data) == 0 {
		return
	}
	ex.Faults.Refuse("node not made", fmt.Errorf("%s%s: %w; it is an entity of this machine alone until that is right", o, ex.ItemsOf(e), why))
}

// makeUnmade tries again to make these entities nodes, once a step.
func (ex *Reader) makeUnmade() {
	if len(ex.unmade) == 0 {
		return
	}
	made := false
	for _, ent := range slices.Sorted(maps.Keys(ex.unmade)) {
		if !ex.World.Valid(ent) || !ex.World.Entry(ent).HasComponent(components.RplNode) {
			ex.ForgetUnmade(ent)
		} else {
			made = ex.MakeNode(ex.World.Entry(ent), ex.unmade[ent].origin) != nil || made
		}
	}
	for i := range ex.plans {
		if p := &ex.plans[i]; made && p.strange { // their rows have nodes now
			p.regrouped = true
		}
	}
}

// ForgetUnmade is called for an entity that has gone, or is no longer to be a node.
func (ex *Reader) ForgetUnmade(ent donburi.Entity) {
	u, ok := ex.unmade[ent]
	if !ok {
		return
	}
	delete(ex.unmade, ent)
	if named, _ := ex.LoadTime.Entity(u.origin.Name); named == ent {
		ex.LoadTime.Unname(u.origin.Name)
	}
}

// EndNode ends a node of the authority; its entities stay, or are just being removed.
// Calls on it that wait for this step's Send run first, as they would on other machines.
func (ex *Reader) EndNode(n *nodes.Node) {
	if n.Ending {
		panic(removedAgain)
	}
	n.Ending = true
	defer func() { n.Ending = false }() // a callback may panic: the node can be removed again then
	if n.Here {                         // else nobody was told of the node, and its calls are dropped
		ex.LastCalls(n)
		ex.lastChanges(n)
		ex.Notify.StreamedOut(n, n.Why.Destroyed())
		ex.Faults.Count("stream out")
	}
	if n.Name != "" { // callbacks may have changed the groups
		ex.LoadTime.NoteGroups(n)
	}
	ex.readLast(n)
	ex.Auth.RemoveFor(n.ID, uint8(n.Why))
	ex.Nodes.Forget(n, ex.Notify.ParentChanged)
}

// removedAgain is what EndNode panics with.
const removedAgain = "tendon: a node is removed inside its own OnStreamOut, last OnChange or last call: it is going already, and donburi would take another entity away with it; tendon.Remove does nothing there"

// lastChanges tells the game of what has changed in the node's last step, as other machines are
// told of it by what comes with the removal.
func (ex *Reader) lastChanges(n *nodes.Node) {
	for i := range n.Items {
		if b := &n.Items[i]; b.Comp != nil && (!b.Comp.Item.Explicit || ex.IsDirty(b)) {
			ex.lastChange(n, b)
		}
	}
}

// lastChange is that of one item. An OnChange that removes what has no health left is a game's
// common rule, and it is about to go: that ends the callback, and is no reason to end the program.
func (ex *Reader) lastChange(n *nodes.Node, b *nodes.Binding) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case removedAgain:
			ex.Faults.Scold("removed again", "a node with "+b.Comp.Name, "its last OnChange has removed it by World.Remove while it was going already, which ended the callback there: use tendon.Remove, which does nothing then")
		default:
			panic(p)
		}
	}()
	ex.Notify.ChangedLast(n, b)
}

// readLast hands the core what a node is in the end: its removal carries it.
func (ex *Reader) readLast(n *nodes.Node) {
	if !ex.Auth.Held(n.ID) {
		return
	}
	ex.NoticeTop(n) // who may see the tree no more is not told
	for i := range n.Items {
		b := &n.Items[i]
		if b.Comp == nil || b.Comp.Item.Explicit && !ex.IsDirty(b) {
			continue
		}
		if e, at := ex.Component(b); at != nil {
			ex.Auth.Set(b.Item, ex.Tagged(b.Comp, e, at))
		}
	}
}

// endStripped ends a node that has lost RplNode: its entity is local from now on, even if
// it was a load-time node.
func (ex *Reader) endStripped(n *nodes.Node) {
	ex.LoadTime.Unname(n.Name)
	ex.EndNode(n)
}

// endLeft ends a node whose entity has lost RplNode in this step and is to be another
// node at once, as what a game's pool hands out again. It reports whether it has.
func (ex *Reader) endLeft(n *nodes.Node, e *donburi.Entry) bool {
	if n == ex.Nodes.Session || n.Ending || n.Entity != e.Entity() || e.HasComponent(components.RplNode) {
		return false
	}
	for i := range ex.plans { // the entity may be in its old row again by the time of the next look
		p := &ex.plans[i]
		if row := slices.Index(p.rows, n); p.nodes && row >= 0 {
			ex.noticeNode(n, p.data.Last(row))
			p.entities[row], p.rows[row] = donburi.Null, nil
		}
	}
	ex.During(func() { ex.endStripped(n) })
	return true
}

// Orphaned removes the nodes that a departed peer owned, or passes them to nobody. The
// nodes below them are judged by themselves: riders in a car keep their own nodes.
func (ex *Reader) Orphaned(p rpl.Peer) {
	for _, n := range ex.Nodes.OwnedBy(p) {
		if ex.Nodes.Of(n.Entity) != n || n.Owner != p {
			continue // a callback has removed the node or given it away
		}
		ex.notice(n) // OnLeave may have set Keep
		if !n.Data.Keep {
			n.Why = nodes.OwnerLeft
			ex.RemoveEntities(n)
			continue
		}
		ex.Auth.HandOver(n.ID, 0)
		ex.Nodes.SetOwner(n, 0)
		ex.Notify.OwnerChanged(n)
	}
}
