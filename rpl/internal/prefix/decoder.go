package prefix

import (
	"encoding/binary"
	"errors"
)

// ErrEnd is a message that ended before its symbols did.
var ErrEnd = errors.New("prefix: message is truncated or damaged")

// A Decoder reads the symbols of one message. It never panics: past the end it
// reads zeros, on damaged input some symbols of the table, and remembers the
// error.
type Decoder struct {
	acc uint64 // what comes next, lowest bit first
	n   int    // bits of it that are counted in pos
	buf []byte
	pos int // beyond len(buf): zeros that were made up
}

// Reset starts to read a message.
func (d *Decoder) Reset(b []byte) { *d = Decoder{buf: b} }

// fill has at least 56 bits ready. What calls it is small enough to be inlined
// if this is not.
//
//go:noinline
func (d *Decoder) fill() {
	if d.pos+8 <= len(d.buf) {
		d.acc |= binary.LittleEndian.Uint64(d.buf[d.pos:]) << d.n
		k := (63 - d.n) >> 3
		d.pos += k
		d.n += 8 * k
		return
	}
	for ; d.n < 56; d.n += 8 {
		if d.pos < len(d.buf) {
			d.acc |= uint64(d.buf[d.pos]) << d.n
		}
		d.pos++
	}
}

// Err is ErrEnd once more was read than was written.
func (d *Decoder) Err() error {
	if 8*d.pos-d.n > 8*(len(d.buf)+maxDropped) {
		return ErrEnd
	}
	return nil
}

// Peek is at least the next 56 bits, lowest first; Skip goes past as many of
// them as were used.
func (d *Decoder) Peek() uint64 {
	if d.n < 56 {
		d.fill()
	}
	return d.acc
}

// Skip goes past n bits that Peek has shown.
func (d *Decoder) Skip(n int) {
	d.acc >>= uint(n) & 63 // tells the compiler that it is in range
	d.n -= n
}

// Ready, Refill and Return are for who reads many symbols in a row and keeps what
// is ready in variables of its own: some bits, lowest first, and how many they are.
func (d *Decoder) Ready() (acc uint64, have int) { return d.acc, d.n }

// Refill has at least 56 bits ready, the same in front.
//
//go:noinline
func (d *Decoder) Refill(acc uint64, have int) (uint64, int) {
	d.acc, d.n = acc, have
	d.fill()
	return d.acc, d.n
}

// Return gives back what Ready and Refill have handed out.
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
	if d.n < 32 {
		d.fill()
	}
	v := uint32(d.acc & (1<<(uint(n)&63) - 1))
	d.Skip(n)
	return v
}
