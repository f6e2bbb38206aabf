package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// This file codes integers of unknown size: a symbol for the neighbourhood of the
// magnitude, then raw bits for the place in it. The magnitudes 0 to 7 have symbols of
// their own; above, each octave has two neighbourhoods.

const (
	unsignedSyms = 1 + 7 + 2*29   // 0, 1…7, octaves of 8 to 2³²-1
	signedSyms   = 1 + 2*(7+2*29) // 0, ± the same
)

// neighbourhood returns the index of the neighbourhood of m ≥ 1, and the n raw bits,
// extra, for the place in it.
func neighbourhood(m uint32) (idx uint, extra uint32, n uint) {
	if m < 8 {
		return uint(m) - 1, 0, 0
	}
	n = uint(bits.Len32(m)) - 2
	top := m >> (n & 31) // 2 or 3
	return 7 + (n-2)*2 + uint(top&1), m - top<<(n&31), n
}

// AtNeighbourhood is the inverse: the smallest m of a neighbourhood, and its raw bits.
func AtNeighbourhood(idx int) (m uint32, n int) {
	if idx < 7 {
		return uint32(idx) + 1, 0
	}
	k := (idx-7)/2 + 4
	n = k - 2
	return uint32(2|(idx-7)&1) << n, n
}

// The signed symbol of a value other than 0 is 1 + 2·neighbourhood of the magnitude,
// plus 1 if the value is negative. For all magnitudes of as many binary digits it is
// from + 2·(m >> n), with n raw bits.
type signedSym struct {
	from int32
	n    uint32
}

// signedSymOf is indexed by the binary digits of the magnitude, at least 1.
var signedSymOf = func() (s [33]signedSym) {
	for digits := 1; digits < len(s); digits++ {
		m := uint32(1) << (digits - 1)
		idx, _, n := neighbourhood(m)
		s[digits] = signedSym{int32(1 + 2*idx - 2*uint(m>>n)), uint32(n)}
	}
	return s
}()

// signedSymbol returns the symbol of a value other than 0, and the n raw bits behind
// it.
func signedSymbol(v int32) (sym uint, rest uint32, n uint) {
	m := rowtype.Magnitude(v)
	s := &signedSymOf[bits.Len32(m)]
	return uint(s.from + int32(m>>(s.n&31))<<1 - v>>31), m & (1<<(s.n&31) - 1), uint(s.n)
}

// A residualAt is what a signed symbol says: the least magnitude, the sign, and how
// many raw bits are added to the magnitude.
type residualAt struct {
	least, sign int32 // sign is 0 or -1
	n           uint8
}

var signedPlaces = func() (p [256]residualAt) { // by symbol; as many as a byte distinguishes
	for sym := 1; sym < signedSyms; sym++ {
		m, n := AtNeighbourhood((sym - 1) >> 1)
		p[sym] = residualAt{int32(m), -int32((sym - 1) & 1), uint8(n)}
	}
	return p
}()

// residual is the value whose raw bits are the first of next.
func (p *residualAt) residual(next uint64) int32 {
	m := p.least + int32(next&(1<<(p.n&31)-1))
	return (m ^ p.sign) - p.sign
}

// Signed codes v by a table of signed symbols.
func Signed(t *Table, v int32) prefix.Sym {
	if v == 0 {
		return t.Sym(0)
	}
	sym, rest, n := signedSymbol(v)
	return t.Run(sym).Raw(rest, n).Sym()
}

// ReadSigned reads what Signed has coded, and ReadUnsigned what Unsigned has. Symbol 0 of a table
// of residuals has a meaning of its own.
func ReadSigned(d *prefix.Decoder, t *Table) int32 {
	next := d.Peek()
	f := t.T.Find(next)
	p := &signedPlaces[uint8(f.Symbol())]
	d.Skip(f.Bits() + int(p.n))
	return p.residual(next >> (uint(f.Bits()) & 63))
}

// Unsigned codes v by a table of unsigned symbols.
func Unsigned(t *Table, v uint32) prefix.Sym {
	if v == 0 {
		return t.Sym(0)
	}
	idx, extra, n := neighbourhood(v)
	return t.Run(1+idx).Raw(extra, n).Sym()
}

func ReadUnsigned(d *prefix.Decoder, t *Table) uint32 {
	next := d.Peek()
	f := t.T.Find(next)
	sym := f.Symbol()
	if sym < 8 { // it is the value
		d.Skip(f.Bits())
		return uint32(sym)
	}
	m, n := AtNeighbourhood(sym - 1)
	d.Skip(f.Bits() + n)
	return m + uint32(next>>(uint(f.Bits())&63)&(1<<(uint(n)&31)-1))
}
