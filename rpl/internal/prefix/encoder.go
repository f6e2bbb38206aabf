package prefix

import (
	"encoding/binary"
	"slices"
)

// maxDropped is the most zero bytes that an Encoder leaves out at the end of a
// message, and so the most that a Decoder makes up.
const maxDropped = 8

// An Encoder appends runs of bits to a byte slice. The zero Encoder is not
// ready: Reset it.
type Encoder struct {
	acc  uint64 // bits that are not in buf yet
	n    uint   // how many, below 64
	buf  []byte
	from int
}

// Reset starts a message at the end of buf, whose capacity is used.
func (e *Encoder) Reset(buf []byte) { *e = Encoder{buf: buf, from: len(buf)} }

// Touch reads the memory of a short message. The result is of no use.
func (e *Encoder) Touch() uint32 {
	if buf := e.buf[:cap(e.buf)]; len(buf) > 64 {
		return uint32(buf[0]) + uint32(buf[64])
	}
	return 0
}

// Again starts a message in place of the one that was finished: the slice that Finish
// returned is overwritten.
func (e *Encoder) Again() {
	e.buf = e.buf[:e.from]
	e.acc, e.n = 0, 0
}

// Len is the most bytes that the message has if it is finished now.
func (e *Encoder) Len() int { return len(e.buf) - e.from + int(e.n+7)>>3 }

// Put appends runs. Each is written at once, with up to seven bits before it: whether a word is
// full by then could not be predicted.
func (e *Encoder) Put(syms ...Sym) {
	at, n := len(e.buf), e.n
	if cap(e.buf)-at < 8*len(syms)+8 {
		e.reserve(syms)
	}
	buf := e.buf[:cap(e.buf)]
	binary.LittleEndian.PutUint64(buf[at:], e.acc)
	at += int(n >> 3)
	acc := e.acc >> (n & 56)
	for _, s := range syms {
		n = n&7 + uint(s>>MaxRun) // below 64
		acc |= uint64(s&runBits) << ((n - uint(s>>MaxRun)) & 63)
		binary.LittleEndian.PutUint64(buf[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
	}
	e.buf = e.buf[:at]
	e.acc, e.n = acc, n&7
}

// reserve makes room for runs, and for a word behind them.
func (e *Encoder) reserve(syms []Sym) {
	bits := e.n
	for _, s := range syms {
		bits += uint(s >> MaxRun)
	}
	if room := int(bits>>3) + 8; cap(e.buf)-len(e.buf) < room {
		e.buf = slices.Grow(e.buf, room)
	}
}

// PutOne appends one run.
func (e *Encoder) PutOne(s Sym) {
	e.acc |= uint64(s&runBits) << (e.n & 63)
	e.n += uint(s >> MaxRun)
	if e.n >= 64 {
		e.carry(s)
	}
}

// carry writes the word that a run has filled, and keeps the rest of the run.
func (e *Encoder) carry(s Sym) {
	e.word(e.acc)
	e.n -= 64
	e.acc = uint64(s&runBits) >> ((uint(s>>MaxRun) - e.n) & 63)
}

// Bits returns how many bits were put since the message began.
func (e *Encoder) Bits() int { return (len(e.buf)-e.from)*8 + int(e.n) }

// PutPart appends the first n bits of what another Encoder, whose Finish was called, has made
// of runs.
func (e *Encoder) PutPart(part []byte, n int) {
	for ; n >= 64 && len(part) >= 8; n -= 64 {
		w := binary.LittleEndian.Uint64(part)
		e.word(e.acc | w<<e.n)
		e.acc = w >> (64 - e.n)
		part = part[8:]
	}
	for ; n > 0; n -= 8 {
		b := uint64(0)
		if len(part) > 0 {
			b, part = uint64(part[0]), part[1:]
		}
		e.PutOne(Sym(min(n, 8))<<MaxRun | Sym(b))
	}
}

// word appends 64 bits. The slice mostly has room, and then its pointer is not written:
// that would be slow while the garbage collector is at work (write barrier).
func (e *Encoder) word(w uint64) {
	at := len(e.buf)
	if cap(e.buf)-at < 8 {
		e.buf = slices.Grow(e.buf, 8)
	}
	e.buf = e.buf[:at+8]
	binary.LittleEndian.PutUint64(e.buf[at:], w)
}

// PutBits appends the low n bits of v; n is 0 to 32.
func (e *Encoder) PutBits(v uint32, n int) { e.PutOne(Raw(v, n)) }

// Finish ends the message, without the zero bytes at its end, and returns the slice
// given to Reset with the message appended.
func (e *Encoder) Finish() []byte {
	end := len(e.buf) + int(e.n+7)>>3
	e.word(e.acc)
	for i := 0; i < maxDropped && end > e.from && e.buf[end-1] == 0; i++ {
		end--
	}
	e.buf, e.acc, e.n = e.buf[:end], 0, 0
	return e.buf
}
