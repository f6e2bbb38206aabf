package bits

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Writer appends bits to a byte slice. The zero Writer is ready and starts
// an empty slice of its own.
type Writer struct {
	buf []byte // whole bytes
	acc uint64 // bits not yet in buf, from bit 0
	n   uint   // how many of acc are used, at most 7 between calls
}

// NewWriter makes a writer that appends to b, at a byte's border. What lies
// between the length and the capacity of b may be overwritten.
func NewWriter(b []byte) Writer { return Writer{buf: b} }

// Reset starts over, appending to b.
func (w *Writer) Reset(b []byte) { *w = Writer{buf: b} }

// Len is the bits written so far, those of the slice given at the start
// included.
func (w *Writer) Len() int { return len(w.buf)*8 + int(w.n) }

// Bytes pads the last byte with zero bits and returns the slice. What is
// written afterwards starts at a byte's border.
func (w *Writer) Bytes() []byte {
	w.Align()
	return w.buf
}

// Align pads with zero bits to the next byte's border.
func (w *Writer) Align() {
	if w.n > 0 {
		w.buf = append(w.buf, byte(w.acc))
		w.acc, w.n = 0, 0
	}
}

// Truncate takes back everything after the first n bits; n is what Len was at
// some moment before. A larger n changes nothing.
func (w *Writer) Truncate(n int) {
	if n >= w.Len() || n < 0 {
		return
	}
	whole, rest := n/8, uint(n%8)
	var last byte
	switch {
	case rest == 0:
	case whole < len(w.buf):
		last = w.buf[whole]
	default:
		last = byte(w.acc)
	}
	w.buf = w.buf[:whole]
	w.acc, w.n = uint64(last)&(1<<rest-1), rest
}

// Write appends the n low bits of v; bits above n are ignored. n is 0 to 64: Write panics
// for more.
func (w *Writer) Write(v uint64, n uint) {
	if n > 56 {
		if n > 64 {
			panic("bits: Write of more than 64 bits: write at most 64 at a time")
		}
		w.Write(v&0xffffffff, 32)
		w.Write(v>>32, n-32)
		return
	}
	w.acc |= v & (1<<n - 1) << w.n
	w.n += n
	if w.n >= 8 {
		w.flush()
	}
}

// flush moves the whole bytes of acc to buf.
func (w *Writer) flush() {
	whole := w.n >> 3
	if cap(w.buf)-len(w.buf) >= 8 {
		end := len(w.buf)
		binary.LittleEndian.PutUint64(w.buf[end:end+8], w.acc)
		w.buf = w.buf[:end+int(whole)]
	} else {
		for i := uint(0); i < whole; i++ {
			w.buf = append(w.buf, byte(w.acc>>(8*i)))
		}
	}
	w.acc >>= 8 * whole
	w.n &= 7
}

// Bool appends one bit.
func (w *Writer) Bool(v bool) {
	var b uint64
	if v {
		b = 1
	}
	w.Write(b, 1)
}

// Uvarint appends v in groups of seven bits, each with a bit that says whether
// another follows: 8 bits below 128, 80 at most.
func (w *Writer) Uvarint(v uint64) {
	for v >= 0x80 {
		w.Write(v|0x80, 8)
		v >>= 7
	}
	w.Write(v, 8)
}

// Varint appends a signed number: small ones of either sign are short.
func (w *Writer) Varint(v int64) { w.Uvarint(Zigzag(v)) }

// Float32 appends all 32 bits of v.
func (w *Writer) Float32(v float32) { w.Write(uint64(math.Float32bits(v)), 32) }

// Float64 appends all 64 bits of v.
func (w *Writer) Float64(v float64) { w.Write(math.Float64bits(v), 64) }

// String appends the length of s and its bytes.
func (w *Writer) String(s string) {
	w.Uvarint(uint64(len(s)))
	if w.n == 0 {
		w.buf = append(w.buf, s...)
		return
	}
	for i := 0; i < len(s); i++ {
		w.Write(uint64(s[i]), 8)
	}
}

// Raw appends the first n bits of b, as another Writer left them, so that bits
// written once can go to several receivers. n is 0 to 8·len(b): Raw panics for others.
func (w *Writer) Raw(b []byte, n int) {
	if n < 0 || n > 8*len(b) {
		panic(fmt.Sprintf("bits: Raw of %d bits of %d: give it Writer.Len, and the bytes that are behind it", n, 8*len(b)))
	}
	whole := n / 8
	if w.n == 0 {
		w.buf = append(w.buf, b[:whole]...)
	} else {
		i := 0
		for ; i+7 <= whole && i+8 <= len(b); i += 7 {
			w.Write(binary.LittleEndian.Uint64(b[i:]), 56)
		}
		for ; i < whole; i++ {
			w.Write(uint64(b[i]), 8)
		}
	}
	if rest := uint(n % 8); rest > 0 {
		w.Write(uint64(b[whole]), rest)
	}
}
