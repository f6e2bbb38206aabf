// Package rangecode is the entropy coder of the state stream: a byte-wise
// range coder over frozen frequency tables. Every packet is coded on its own,
// so that any packet can be decoded without the others.
//
// What is coded is a sequence of Syms. They can be kept and coded again for
// another receiver: that is how bits are shared between peers.
//
// The coder is the carry-propagating range coder of G. N. N. Martin, "Range
// encoding: an algorithm for removing redundancy from a digitised message"
// (1979), with a 32-bit range.
package rangecode

import (
	"errors"
	"math/bits"
)

const (
	// ProbBits is the resolution of a table: frequencies sum to 1<<ProbBits.
	// 14 leaves the 32-bit range at least 10 bits of precision, so rounding
	// costs under 0.002 bits a symbol, and the rarest symbol costs 14 bits.
	ProbBits = 14
	total    = 1 << ProbBits

	// MaxSymbols bounds a table's alphabet.
	MaxSymbols = 256

	lutBits = 7 // of a cumulative frequency, to find the symbol's neighbourhood
)

// A Sym is one coded symbol: either an interval of a table or a few raw bits.
// Bit 31 set: raw, n in bits 16–20, value in bits 0–15. Otherwise the interval
// starts at bits 16–30 and is bits 0–15 wide.
type Sym uint32

const rawFlag = 1 << 31

// Raw is the low n bits of v as they are; n is 1 to 16.
func Raw(v uint32, n int) Sym { return rawFlag | Sym(n)<<16 | Sym(v&(1<<n-1)) }

// Bits is an upper bound of what the symbol costs, in bits.
func (s Sym) Bits() int {
	if s&rawFlag != 0 {
		return int(s >> 16 & 31)
	}
	return ProbBits + 1 - bits.Len32(uint32(s&0xffff))
}

// A Table gives every symbol of an alphabet an interval of [0, 1<<ProbBits)
// proportional to its frequency. It is immutable.
type Table struct {
	cum []uint16 // len = symbols + 1
	lut [1 << lutBits]uint8
}

// ErrTable is a table whose frequencies cannot be.
var ErrTable = errors.New("rangecode: frequencies must be 1 to 256 symbols, none zero, that sum to 1<<14")

// NewTable makes a table of exact frequencies, as they travel.
func NewTable(freqs []uint16) (*Table, error) {
	if len(freqs) == 0 || len(freqs) > MaxSymbols {
		return nil, ErrTable
	}
	t := &Table{cum: make([]uint16, len(freqs)+1)}
	sum := 0
	for i, f := range freqs {
		sum += int(f)
		if f == 0 || sum > total {
			return nil, ErrTable
		}
		t.cum[i+1] = uint16(sum)
	}
	if sum != total {
		return nil, ErrTable
	}
	s := 0
	for i := range t.lut {
		for int(t.cum[s+1]) <= i<<(ProbBits-lutBits) {
			s++
		}
		t.lut[i] = uint8(s)
	}
	return t, nil
}

// Fit makes a table of any weights: every symbol gets at least one unit, so
// that what was never seen can still be coded.
func Fit(weights []float64) *Table {
	freqs := Normalise(weights)
	t, err := NewTable(freqs)
	if err != nil {
		panic("rangecode: " + err.Error()) // the caller's alphabet is wrong
	}
	return t
}

// Normalise scales weights to frequencies that NewTable accepts. Only +, ×, /
// on non-negative numbers are used and results are floored, so it is the same
// everywhere; tables travel as integers anyway.
func Normalise(weights []float64) []uint16 {
	n := len(weights)
	freqs := make([]uint16, n)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum <= 0 {
		sum = 1
	}
	room := float64(total - n)
	left, best := total, 0
	for i, w := range weights {
		f := 1 + int(w/sum*room)
		freqs[i] = uint16(f)
		left -= f
		if w > weights[best] {
			best = i
		}
	}
	freqs[best] += uint16(left)
	return freqs
}

// Len is the size of the alphabet.
func (t *Table) Len() int { return len(t.cum) - 1 }

// Sym is symbol i of the alphabet.
func (t *Table) Sym(i int) Sym {
	return Sym(t.cum[i])<<16 | Sym(t.cum[i+1]-t.cum[i])
}

// Freq is how often symbol i is expected, of 1<<ProbBits.
func (t *Table) Freq(i int) uint16 { return t.cum[i+1] - t.cum[i] }

// FitInts is Fit in integers, for tables that both ends make of what travelled.
func FitInts(weights []uint64) *Table {
	n := uint64(len(weights))
	sum := uint64(1)
	for _, w := range weights {
		sum += w
	}
	shift := 0
	for sum>>shift >= 1<<48 {
		shift++ // so that a product with the total fits 64 bits
	}
	freqs := make([]uint16, n)
	left, best := uint64(total), 0
	for i, w := range weights {
		f := 1 + (w>>shift)*(total-n)/(sum>>shift)
		freqs[i] = uint16(f)
		left -= f
		if w > weights[best] {
			best = i
		}
	}
	freqs[best] += uint16(left)
	t, err := NewTable(freqs)
	if err != nil {
		panic("rangecode: " + err.Error()) // the caller's alphabet is wrong
	}
	return t
}
