package prefix

import (
	"encoding/binary"
	"errors"
)

// ErrEnd is the error of a message that ended before its symbols did.
var ErrEnd = errors.New("prefix: message is truncated or damaged")

// ErrTrailing is the error of a message of which something was not read.
var ErrTrailing = errors.New("prefix: something follows the end of the message")

// A Decoder reads the symbols of one message. It never panics: past the end it
// reads zeros, which Err reports, and damaged input reads as some symbols or other.
type Decoder struct {
	acc uint64 // what comes next, lowest bit first
	n   int    // how many bits of acc are counted in pos
	buf []byte
	pos int // bytes taken from buf; beyond len(buf) they are zeros that were made up
}

// Reset starts to read a message.
func (d *Decoder) Reset(b []byte) { *d = Decoder{buf: b} }

// fill makes at least 56 bits ready. It is not inlined, so that its callers are small
// enough to be.
//
//go:noinline
func (d *Decoder) fill() {
	var next uint64
	if left := len(d.buf) - d.pos; left >= 8 {
		next = binary.LittleEndian.Uint64(d.buf[d.pos:])
	} else if left > 0 {
		next = lastBytes(d.buf, left)
	}
	n := d.n
	k := (63 - n) >> 3
	d.acc |= next << (uint(n) & 63)
	d.pos, d.n = d.pos+k, n+8*k
}

// lastBytes returns the last n bytes of a message, 1 to 7, lowest first.
func lastBytes(b []byte, n int) (last uint64) {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:]) >> (uint(64-8*n) & 63)
	}
	b = b[len(b)-n:]
	if n >= 4 { // two halves, equal where they overlap
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(uint(8*n-32)&63)
	}
	for i, x := range b {
		last |= uint64(x) << (8 * i)
	}
	return last
}

// At is how many bits were read.
func (d *Decoder) At() int { return 8*d.pos - d.n }

// Err is ErrEnd once more was read than was written.
func (d *Decoder) Err() error {
	if 8*d.pos-d.n > 8*(len(d.buf)+maxDropped) {
		return ErrEnd
	}
	return nil
}

// End returns ErrTrailing if more is unread than the zeros that fill the last byte, else
// what Err returns.
func (d *Decoder) End() error {
	left := 8*(len(d.buf)-d.pos) + d.n
	switch {
	case left >= 8:
		return ErrTrailing
	case left > 0 && d.Peek()&(1<<uint(left)-1) != 0:
		return ErrTrailing
	}
	return d.Err()
}

// Peek is at least the next 56 bits, lowest first; Skip then goes past those that were
// used.
func (d *Decoder) Peek() uint64 {
	if d.n < 56 {
		d.fill()
	}
	return d.acc
}

// Skip goes past n bits that Peek has shown.
func (d *Decoder) Skip(n int) {
	d.acc >>= uint(n) & 63 // the mask tells the compiler that n is in range
	d.n -= n
}

// Ready, Refill and Return are for callers that read many symbols in a row and keep the
// bits that are ready, lowest first, and their number in variables of their own.
func (d *Decoder) Ready() (acc uint64, have int) { return d.acc, d.n }

// Refill makes at least 56 bits ready, beginning with those given.
//
//go:noinline
func (d *Decoder) Refill(acc uint64, have int) (uint64, int) {
	d.acc, d.n = acc, have
	d.fill()
	return d.acc, d.n
}

// Return gives back what is left of what Ready and Refill have handed out.
func (d *Decoder) Return(acc uint64, have int) { d.acc, d.n = acc, have }

// Symbol reads one symbol of a table.
func (d *Decoder) Symbol(t *Table) int {
	if d.n < MaxCode {
		d.fill()
	}
	f := t.Find(d.acc)
	d.Skip(f.Bits())
	return f.Symbol()
}

// Bits reads n raw bits; n is 0 to 32.
func (d *Decoder) Bits(n int) uint32 {
	if d.n < n {
		d.fill()
	}
	v := uint32(d.acc & (1<<(uint(n)&63) - 1))
	d.Skip(n)
	return v
}
