package rpl

// An Opt is a value that may be absent, in a replicated component: one bit
// more than the value. Its zero value is absent.
//
//	Shield rpl.Opt[float64] `rpl:"min=0,max=1,bits=8"`
type Opt[T any] struct {
	value T
	ok    bool
}

// Some is an Opt that has a value.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, ok: true} }

// Get is the value and whether there is one; without one it is zero.
func (o Opt[T]) Get() (v T, ok bool) {
	if !o.ok {
		return v, false
	}
	return o.value, true
}

// Has reports whether there is a value.
func (o Opt[T]) Has() bool { return o.ok }

// Set gives it a value.
func (o *Opt[T]) Set(v T) { o.value, o.ok = v, true }

// Clear takes the value away.
func (o *Opt[T]) Clear() { *o = Opt[T]{} }

// isOpt marks the type for the schema.
func (Opt[T]) isOpt() {}

type optional interface{ isOpt() }
