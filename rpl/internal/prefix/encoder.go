package prefix

import "encoding/binary"

// maxDropped is how many zero bytes an Encoder leaves out at the end of a
// message at most, and so how many a Decoder makes up.
const maxDropped = 8

// An Encoder appends runs of bits to a byte slice. The zero Encoder is not
// ready: Reset it.
type Encoder struct {
	acc  uint64 // bits that are not in buf yet
	n    int    // how many, below 64
	buf  []byte
	from int
}

// Reset starts a message at the end of buf, whose capacity is used.
func (e *Encoder) Reset(buf []byte) { *e = Encoder{buf: buf, from: len(buf)} }

// Len is the bytes of the message if it were finished now, at most.
func (e *Encoder) Len() int { return len(e.buf) - e.from + (e.n+7)>>3 }

// Put appends runs.
func (e *Encoder) Put(syms ...Sym) {
	acc, n := e.acc, e.n
	for _, s := range syms {
		bits := uint64(s & runBits)
		acc |= bits << (uint(n) & 63)
		if n += int(s >> MaxRun); n >= 64 {
			e.buf = binary.LittleEndian.AppendUint64(e.buf, acc)
			n -= 64
			acc = bits >> (uint(s.Bits()-n) & 63)
		}
	}
	e.acc, e.n = acc, n
}

// PutBits appends the low n bits of v; n is 0 to 32.
func (e *Encoder) PutBits(v uint32, n int) { e.Put(Raw(v, n)) }

// Finish ends the message, without the zeros at its end, and returns the slice
// given to Reset with the message appended.
func (e *Encoder) Finish() []byte {
	for ; e.n > 0; e.n -= 8 {
		e.buf = append(e.buf, byte(e.acc))
		e.acc >>= 8
	}
	for i := 0; i < maxDropped && len(e.buf) > e.from && e.buf[len(e.buf)-1] == 0; i++ {
		e.buf = e.buf[:len(e.buf)-1]
	}
	return e.buf
}
