package lane

// A fifo is a queue of bytes in one slice.
type fifo struct {
	b    []byte
	head int
}

func (f *fifo) len() int      { return len(f.b) - f.head }
func (f *fifo) bytes() []byte { return f.b[f.head:] }

// peek returns the first n bytes, or all if there are fewer; valid until the next add.
func (f *fifo) peek(n int) []byte { return f.b[f.head:min(f.head+n, len(f.b))] }

// drop removes the first n bytes; what peek returned stays valid until the next add.
func (f *fifo) drop(n int) { f.head += n }

func (f *fifo) add(b []byte) {
	switch {
	case f.head == len(f.b):
		if f.head = 0; cap(f.b) > keptRoom && len(b) <= keptRoom {
			f.b = nil
		}
		f.b = f.b[:0]
	case f.head > len(f.b)/2 && len(f.b)+len(b) > cap(f.b):
		f.b, f.head = f.b[:copy(f.b, f.b[f.head:])], 0
	}
	f.b = append(f.b, b...)
}
