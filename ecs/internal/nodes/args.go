package nodes

// args: references in the arguments of calls.

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// Late is what a reference in a call is to hold that runs some ticks after it has come: what has gone
// meanwhile, so that it is not even drawn, is null or its next entity here, and what has come is told.
func (ns *Table) Late(sent rpl.Node, entity uint64) uint64 {
	if entity != 0 && ns.World.Valid(donburi.Entity(entity)) {
		return entity
	}
	return ns.EntityOf(sent)
}

// CheckRefs refuses a reference tagged `has=component` if its node is not here, lacks the
// component, or is not held by the peer that sent it. An absent rpl.Opt holds no reference.
func (ns *Table) CheckRefs(sh *Base, refs []rpl.ArgRef, from rpl.Peer, args unsafe.Pointer) error {
	for _, ref := range refs {
		if ref.Has == "" || ref.Absent(args) {
			continue
		}
		ent := *(*donburi.Entity)(unsafe.Add(args, ref.Offset))
		n := ns.Of(ent)
		if n == nil || !sh.World.Valid(ent) {
			return fmt.Errorf("arguments: field %s refers to nothing that is here", ref.Field)
		}
		c := sh.Kinds.Named(ref.Has)
		if c == nil || !sh.World.Entry(ent).HasComponent(c.Type) {
			return fmt.Errorf("arguments: field %s refers to a node without component %s", ref.Field, ref.Has)
		}
		if sh.Auth != nil && from != sh.Me && !slices.Contains(sh.Auth.Holders(n.ID, nil), from) {
			return fmt.Errorf("arguments: field %s refers to a node that peer %d does not hold", ref.Field, from)
		}
	}
	return nil
}
