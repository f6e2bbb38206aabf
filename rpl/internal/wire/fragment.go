package wire

// Fragments cuts a reliable message that is longer than MaxPart into parts. The parts come in
// order, with nothing between them, and count as one message.
//
//	each part but the last: type 5, then bytes of the message, from behind its type on
//	the last part: the message's type, then the rest of its bytes
//
// A part of type 5 without bytes makes the parts before it void.
type Fragments struct {
	Given   int // bytes of the message that the lane has already, without its type; below 0 those parts are void
	scratch []byte
}

// Part returns the next part of m, and whether it is the last; Gave must follow when the
// lane has taken it. If Given is negative, it is the part that makes those before void.
// The bytes are valid until the next call.
func (f *Fragments) Part(m []byte) (b []byte, last bool) {
	switch {
	case f.Given < 0:
		f.scratch = append(f.scratch[:0], MsgPart)
		return f.scratch, false
	case f.Given == 0 && len(m) <= MaxPart:
		return m, true
	}
	kind, rest := m[0], m[1+f.Given:]
	if last = len(rest) < MaxPart; !last {
		kind, rest = MsgPart, rest[:MaxPart-1]
	}
	f.scratch = append(append(f.scratch[:0], kind), rest...)
	return f.scratch, last
}

// Gave notes that the lane has taken the part b.
func (f *Fragments) Gave(b []byte, last bool) {
	switch {
	case last, f.Given < 0:
		f.Given = 0
	default:
		f.Given += len(b) - 1
	}
}
