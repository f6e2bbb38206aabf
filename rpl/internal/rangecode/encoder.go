package rangecode

// An Encoder appends symbols to a byte slice. The zero Encoder is not ready:
// Reset it.
type Encoder struct {
	low  uint32
	rng  uint32
	buf  []byte
	from int // carries never reach below
}

// Reset starts a message at the end of buf, whose capacity is used.
func (e *Encoder) Reset(buf []byte) {
	e.low, e.rng, e.buf, e.from = 0, 1<<32-1, buf, len(buf)
}

// Len is the bytes of the message if it were finished now, at most.
func (e *Encoder) Len() int { return len(e.buf) - e.from + 4 }

// Put appends symbols.
func (e *Encoder) Put(syms ...Sym) {
	low, rng := e.low, e.rng
	for _, s := range syms {
		var add uint32
		if s&rawFlag != 0 {
			rng >>= s >> 16 & 31
			add = rng * uint32(s&0xffff)
		} else {
			start, freq := uint32(s>>16), uint32(s&0xffff)
			r := rng >> ProbBits
			add = r * start
			if start+freq == total {
				rng -= add // the last symbol takes the rounding's rest
			} else {
				rng = r * freq
			}
		}
		low += add
		if low < add {
			e.carry()
		}
		for rng < 1<<24 {
			e.buf = append(e.buf, byte(low>>24))
			low <<= 8
			rng <<= 8
		}
	}
	e.low, e.rng = low, rng
}

// PutBits appends the low n bits of v; n is 0 to 32.
func (e *Encoder) PutBits(v uint32, n int) {
	if n > 16 {
		e.Put(Raw(v>>16, n-16))
		n = 16
	}
	if n > 0 {
		e.Put(Raw(v, n))
	}
}

func (e *Encoder) carry() {
	for i := len(e.buf) - 1; i >= e.from; i-- {
		e.buf[i]++
		if e.buf[i] != 0 {
			return
		}
	}
}

// Finish ends the message with as few bytes as tell it from all others (the
// decoder reads zeros past the end) and returns the slice given to Reset with
// the message appended.
func (e *Encoder) Finish() []byte {
	for n := 0; n <= 4; n++ {
		mask := uint32(uint64(1)<<(32-8*n) - 1)
		v := (e.low + mask) &^ mask // the smallest value ≥ low with n bytes
		carry := e.low+mask < e.low
		if off := v - e.low; off < e.rng { // modulo 2³², so right with a carry too
			if carry {
				e.carry()
			}
			for i := 0; i < n; i++ {
				e.buf = append(e.buf, byte(v>>(24-8*i)))
			}
			break
		}
	}
	return e.buf
}
