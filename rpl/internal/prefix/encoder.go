package prefix

import (
	"encoding/binary"
	"slices"
)

// maxDropped is how many zero bytes an Encoder leaves out at the end of a
// message at most, and so how many a Decoder makes up.
const maxDropped = 8

// An Encoder appends runs of bits to a byte slice. The zero Encoder is not
// ready: Reset it.
type Encoder struct {
	acc  uint64
	n    int // bits in acc, below 8
	buf  []byte
	from int
}

// Reset starts a message at the end of buf, whose capacity is used.
func (e *Encoder) Reset(buf []byte) { *e = Encoder{buf: buf, from: len(buf)} }

// Len is the bytes of the message if it were finished now, at most.
func (e *Encoder) Len() int { return len(e.buf) - e.from + 1 }

// Put appends runs.
func (e *Encoder) Put(syms ...Sym) {
	acc, n, buf := e.acc, e.n, e.buf
	for _, s := range syms {
		acc |= uint64(s&runBits) << n
		n += int(s >> MaxRun)
		at := len(buf)
		if cap(buf)-at < 8 {
			buf = slices.Grow(buf, 64)
		}
		binary.LittleEndian.PutUint64(buf[at:at+8], acc)
		buf = buf[:at+n>>3]
		acc >>= n &^ 7
		n &= 7
	}
	e.acc, e.n, e.buf = acc, n, buf
}

// PutBits appends the low n bits of v; n is 0 to 32.
func (e *Encoder) PutBits(v uint32, n int) { e.Put(Raw(v, n)) }

// Finish ends the message, without the zeros at its end, and returns the slice
// given to Reset with the message appended.
func (e *Encoder) Finish() []byte {
	if e.n > 0 {
		e.buf = append(e.buf, byte(e.acc))
	}
	for i := 0; i < maxDropped && len(e.buf) > e.from && e.buf[len(e.buf)-1] == 0; i++ {
		e.buf = e.buf[:len(e.buf)-1]
	}
	return e.buf
}
