package bits

import (
	"encoding/binary"
	"errors"
	"math"
)

var (
	// ErrShort: the bytes ended before the value did.
	ErrShort = errors.New("bits: out of bytes")
	// ErrVarint: a varint is longer than 64 bits.
	ErrVarint = errors.New("bits: varint of more than 64 bits")
	// ErrLong: a string is longer than the caller allows.
	ErrLong = errors.New("bits: string longer than allowed")
	// ErrWide: Reader.Read was asked for more than 64 bits.
	ErrWide = errors.New("bits: more than 64 bits at a time")
	// ErrTrailing: bytes, or padding that is not zero, follow the last value.
	ErrTrailing = errors.New("bits: bytes after the end")
)

// A Reader takes bits from a byte slice. After an error every read gives zero
// and the error stays. The slice is never written.
type Reader struct {
	b   []byte
	pos int // in bits
	err error
}

// NewReader reads b from its first bit.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Reset starts over with b and without an error.
func (r *Reader) Reset(b []byte) { *r = Reader{b: b} }

// Err is the first error, nil while all went well.
func (r *Reader) Err() error { return r.err }

// Fail makes err the reader's error, unless it has one: for parsers whose
// values are out of bounds.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
		r.pos = len(r.b) * 8
	}
}

// Pos is the bits read so far.
func (r *Reader) Pos() int { return r.pos }

// Left is the bits not yet read.
func (r *Reader) Left() int { return len(r.b)*8 - r.pos }

// Read takes n bits, 0 to 64; for more it fails with ErrWide.
func (r *Reader) Read(n uint) uint64 {
	if n > 56 {
		if n > 64 { // a width that came from the network
			r.Fail(ErrWide)
			return 0
		}
		lo := r.Read(32)
		return lo | r.Read(n-32)<<32
	}
	if int(n) > r.Left() {
		r.Fail(ErrShort)
		return 0
	}
	v := r.window() & (1<<n - 1)
	r.pos += int(n)
	return v
}

// window is at least the next 57 bits, with zeros past the end.
func (r *Reader) window() uint64 {
	i := r.pos >> 3
	if i+8 <= len(r.b) {
		return binary.LittleEndian.Uint64(r.b[i:]) >> (r.pos & 7)
	}
	var v uint64
	for k := len(r.b) - 1; k >= i; k-- {
		v = v<<8 | uint64(r.b[k])
	}
	return v >> (r.pos & 7)
}

// Peek is the next n bits, 0 to 56, without taking them; past the end they are
// zero. It is for code tables: Skip then takes the bits that the code has.
func (r *Reader) Peek(n uint) uint64 {
	return r.window() & (1<<n - 1)
}

// Skip takes n bits and drops them.
func (r *Reader) Skip(n int) {
	if n < 0 || n > r.Left() {
		r.Fail(ErrShort)
		return
	}
	r.pos += n
}

// Align skips to the next byte's border.
func (r *Reader) Align() { r.pos = (r.pos + 7) &^ 7 }

// Bool takes one bit.
func (r *Reader) Bool() bool { return r.Read(1) != 0 }

// Uvarint takes what Writer.Uvarint wrote.
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		g := r.Read(8)
		if shift == 63 && g > 1 {
			break
		}
		v |= g & 0x7f << shift
		if g < 0x80 {
			return v
		}
	}
	r.Fail(ErrVarint)
	return 0
}

// Varint takes what Writer.Varint wrote.
func (r *Reader) Varint() int64 { return Unzigzag(r.Uvarint()) }

// Float32 takes 32 bits.
func (r *Reader) Float32() float32 { return math.Float32frombits(uint32(r.Read(32))) }

// Float64 takes 64 bits.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Read(64)) }

// String takes what Writer.String wrote, of at most limit bytes. It allocates
// nothing before the bytes are known to be there.
func (r *Reader) String(limit int) string {
	n := r.Uvarint()
	switch {
	case r.err != nil:
		return ""
	case n > uint64(max(limit, 0)):
		r.Fail(ErrLong)
		return ""
	case n > uint64(r.Left()/8):
		r.Fail(ErrShort)
		return ""
	}
	if r.pos&7 == 0 {
		i := r.pos >> 3
		r.pos += int(n) * 8
		return string(r.b[i : i+int(n)])
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Read(8))
	}
	return string(b)
}

// End fails unless nothing but the zero padding of the last byte is left, and
// returns the reader's error.
func (r *Reader) End() error {
	if left := r.Left(); left >= 8 || r.Peek(uint(left)) != 0 {
		r.Fail(ErrTrailing)
	}
	return r.err
}
