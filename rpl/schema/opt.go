package schema

// An Opt is a value in a replicated component that may be absent. It takes one bit more
// than the value. The zero Opt is absent.
//
//	Shield rpl.Opt[float64] `rpl:"min=0,max=1,bits=8"`
type Opt[T any] struct {
	value T
	ok    bool
}

// Some is an Opt that has a value.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, ok: true} }

// Get returns the value, zero if it is absent, and whether there is one.
func (o Opt[T]) Get() (v T, ok bool) {
	if !o.ok {
		return v, false
	}
	return o.value, true
}

// Has reports whether there is a value.
func (o Opt[T]) Has() bool { return o.ok }

// Set sets the value.
func (o *Opt[T]) Set(v T) { o.value, o.ok = v, true }

// Clear makes the value absent.
func (o *Opt[T]) Clear() { *o = Opt[T]{} }

// isOpt marks the type for the schema.
func (Opt[T]) isOpt() {}

type optional interface{ isOpt() }
