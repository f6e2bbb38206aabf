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

// fill has at least 56 bits ready.
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

// Symbol reads one symbol of a table.
func (d *Decoder) Symbol(t *Table) int {
	if d.n < maxCode {
		d.fill()
	}
	e := t.Find(d.acc)
	d.acc >>= e & lenMask
	d.n -= int(e & lenMask)
	return int(e >> lenBits)
}

// Bits reads n raw bits; n is 0 to 32.
func (d *Decoder) Bits(n int) uint32 {
	if d.n < 32 {
		d.fill()
	}
	v := uint32(d.acc & (1<<n - 1))
	d.acc >>= n
	d.n -= n
	return v
}
