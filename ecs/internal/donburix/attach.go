package donburix

import (
	"unsafe"

	"github.com/yohamta/donburi"
)

// attach: a value that belongs to a world.

// An Attachment attaches at most one *T to each world. It is a component type that stands
// on no entity. Its storage, of which each world has its own, keeps the value where the
// first entity of archetype 0 would have the component. So Of needs only a few loads,
// whatever is in the world; donburi offers no other place to attach something to a world.
type Attachment[T any] struct{ c *donburi.ComponentType[*T] }

// NewAttachment makes one, for a package variable.
func NewAttachment[T any](name string) Attachment[T] {
	return Attachment[T]{donburi.NewComponentType[*T]().SetName(name)}
}

// Of returns what is attached to a world, nil if nothing is.
func (a Attachment[T]) Of(w donburi.World) *T {
	s := w.StorageAccessor().Components.Storage(a.c)
	if !s.Contains(0, 0) {
		return nil
	}
	return *(**T)(s.Component(0, 0))
}

// Set attaches v to a world; nil detaches what is there.
func (a Attachment[T]) Set(w donburi.World, v *T) {
	s := w.StorageAccessor().Components.Storage(a.c)
	if s.Contains(0, 0) {
		s.SwapRemove(0, 0)
	}
	if v != nil {
		s.PushComponent(a.c, 0)
		s.SetComponent(0, 0, unsafe.Pointer(&v))
	}
}
