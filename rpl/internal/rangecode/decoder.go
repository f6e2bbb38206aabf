package rangecode

import "errors"

// ErrEnd is a message that ended before its symbols did.
var ErrEnd = errors.New("rangecode: message is truncated or damaged")

// overrun is how many zeros a decoder may read past the end of a sound
// message: the encoder leaves out at most the four bytes of its last state.
const overrun = 4

// A Decoder reads the symbols of one message. It never panics: past the end,
// or on damaged input, it returns some symbols of the table and remembers the
// error.
type Decoder struct {
	code uint32
	rng  uint32
	buf  []byte
	pos  int
}

// Reset starts to read a message.
func (d *Decoder) Reset(b []byte) {
	d.buf, d.pos, d.rng, d.code = b, 0, 1<<32-1, 0
	for i := 0; i < 4; i++ {
		d.code = d.code<<8 | uint32(d.next())
	}
}

func (d *Decoder) next() byte {
	if d.pos < len(d.buf) {
		b := d.buf[d.pos]
		d.pos++
		return b
	}
	d.pos++
	return 0
}

// Err is ErrEnd once more was read than was written.
func (d *Decoder) Err() error {
	if d.pos > len(d.buf)+overrun {
		return ErrEnd
	}
	return nil
}

// Symbol reads one symbol of a table.
func (d *Decoder) Symbol(t *Table) int {
	r := d.rng >> ProbBits
	v := d.code / r
	if v >= total {
		v = total - 1 // the last symbol's rest, or damage
	}
	s := int(t.lut[v>>(ProbBits-lutBits)])
	for uint32(t.cum[s+1]) <= v {
		s++
	}
	start, end := uint32(t.cum[s]), uint32(t.cum[s+1])
	d.code -= r * start
	if end == total {
		d.rng -= r * start
	} else {
		d.rng = r * (end - start)
	}
	for d.rng < 1<<24 {
		d.code = d.code<<8 | uint32(d.next())
		d.rng <<= 8
	}
	return s
}

// Bits reads n raw bits; n is 0 to 32.
func (d *Decoder) Bits(n int) uint32 {
	if n > 16 {
		hi := d.raw(n - 16)
		return hi<<16 | d.raw(16)
	}
	if n == 0 {
		return 0
	}
	return d.raw(n)
}

func (d *Decoder) raw(n int) uint32 {
	d.rng >>= n
	v := d.code / d.rng
	if max := uint32(1)<<n - 1; v > max {
		v = max
	}
	d.code -= d.rng * v
	for d.rng < 1<<24 {
		d.code = d.code<<8 | uint32(d.next())
		d.rng <<= 8
	}
	return v
}
