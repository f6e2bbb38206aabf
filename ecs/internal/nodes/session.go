package nodes

// session: what the session's own node carries, in this machine's session and in another's.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// A SavedState is the replicated components of the session's entity that are put away while this
// machine is in another's session. The zero value is none.
type SavedState []savedComponent

type savedComponent struct {
	comp *Component
	at   unsafe.Pointer
}

// PutAway removes the components from the entity of the session's node and saves them: in
// another's session it carries what comes from there.
func (s *SavedState) PutAway(e *donburi.Entry, session *Node, cs []*Component) {
	for _, c := range cs {
		if e.HasComponent(c.Type) {
			*s = append(*s, savedComponent{c, e.Component(c.Type)})
		}
	}
	Strip(e, session, cs)
}

// TakeOut gives the entity the saved components back.
func (s *SavedState) TakeOut(e *donburi.Entry) {
	for _, c := range *s {
		donburix.Add(e, c.comp.Type)
		e.SetComponent(c.comp.Type, c.at)
	}
	*s = nil
}

// Strip removes all replicated components from the entity of the session's node.
func Strip(e *donburi.Entry, session *Node, cs []*Component) {
	for _, c := range cs {
		donburix.Drop(e, c.Type)
	}
	session.Items = nil
}
