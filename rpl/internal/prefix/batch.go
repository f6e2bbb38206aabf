package prefix

// A Batch collects symbols to write several at once to an encoder.
type Batch struct {
	E   *Encoder
	n   int
	few [32]Sym
}

// Add adds a symbol.
func (s *Batch) Add(sym Sym) {
	if s.n == len(s.few) {
		s.Put()
	}
	s.few[s.n%len(s.few)] = sym
	s.n++
}

// Put writes what was added. It is called seldom, and kept out of line so that Add can be
// inlined.
//
//go:noinline
func (s *Batch) Put() {
	s.E.Put(s.few[:s.n]...)
	s.n = 0
}
