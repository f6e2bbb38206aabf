package prefix

// A Sym is a run of coded bits, up to MaxRun of them: the bits from bit 0 on,
// first bit lowest, and their number from bit 56 on.
type Sym uint64

const (
	// MaxRun is the most bits in a Sym: their number takes the other eight of its 64.
	MaxRun = 56

	runBits = 1<<MaxRun - 1
)

// Raw is a run of the low n bits of v as they are; n is 0 to 32.
func Raw(v uint32, n int) Sym { return Sym(n)<<MaxRun | Sym(v)&(1<<n-1) }

// Bits is how many bits the run has.
func (s Sym) Bits() int { return int(s >> MaxRun) }

// Bits is how many bits runs have together.
func Bits(syms []Sym) int {
	n := 0
	for _, s := range syms {
		n += s.Bits()
	}
	return n
}

// With is the run with another behind it; they must fit.
func (s Sym) With(t Sym) Sym {
	return (s + t&^runBits) | t&runBits<<(s>>MaxRun&63)
}

// From is the run without its first n bits; it must have that many.
func (s Sym) From(n int) Sym { return (s>>MaxRun-Sym(n))<<MaxRun | s&runBits>>(n&63) }

// Run is s as a Run, which can grow.
func (s Sym) Run() Run { return Run{uint64(s & runBits), uint(s >> MaxRun)} }

// A Run is a Sym in the making. Its bits and their number are kept apart, so that
// appending takes a third of the work.
type Run struct {
	bits uint64
	n    uint
}

// Sym is the finished run.
func (r Run) Sym() Sym { return Sym(r.n)<<MaxRun | Sym(r.bits) }

// Fits is whether two runs can be one.
func (r Run) Fits(s Run) bool { return r.n+s.n <= MaxRun }

// With is the run with another behind it; they must fit.
func (r Run) With(s Run) Run { return Run{r.bits | s.bits<<(r.n&63), r.n + s.n} }

// Code is the run with a symbol's code behind it, which must fit.
func (r Run) Code(c Code) Run { return r.With(Run{uint64(c & codeBits), uint(c >> codeLen)}) }

// Raw is the run with the low n bits of v behind it, which must fit; above them v
// is zero.
func (r Run) Raw(v uint32, n uint) Run { return r.With(Run{uint64(v), n}) }

// A Table is one prefix code, for both directions. It is immutable.
//
// A look-up takes the first bits of the input; the few codes that are longer need a
// second look-up for the rest. How many bits the first one takes is bounded by the
// caches: a reader has hundreds of tables. A symbol without a code of its own is coded
// as an escape followed by its code in another table.
type Table struct {
	mask        uint64
	slots       []uint16 // symbol<<5 | length; or flags
	first, rest uint8    // how many bits each look-up takes
	escape      *Table
	code        []Code
}

// A Code is the code of one symbol: length<<24 | bits; 0 if the symbol has no code, or is
// the only one.
type Code uint32

const (
	codeLen  = 24
	codeBits = 1<<codeLen - 1
)

// Sym is the code as a run.
func (c Code) Sym() Sym { return Sym(c>>codeLen)<<MaxRun | Sym(c&codeBits) }

// Cost is the code's length in bits.
func (c Code) Cost() int { return int(c >> codeLen) }

const (
	// maxFirst is the most bits of a first look-up. Where fewer suffice, at most
	// 1/2^rareLong of the look-ups may need a second one.
	maxFirst = 8
	rareLong = 4

	flagEscape = 1 << 13 // | length
	flagLong   = 1 << 14 // | number of the second table
	lenBits    = 5
	lenMask    = 1<<lenBits - 1

	// MaxCode is the most bits of an escape and a code.
	MaxCode = 2 * MaxLen
)

// Fit makes the table for some weights; a symbol of weight 0 has no code. It panics if
// there are more than MaxSymbols weights, or none.
func Fit(weights []uint64) *Table {
	t, err := New(Lengths(weights), nil)
	if err != nil {
		panic(err) // the caller's alphabet is wrong
	}
	return t
}

// New makes the table for some code lengths, or returns ErrLengths. If escape is given,
// the alphabet is that table's, and lens has one more: the escape's own length.
func New(lens []uint8, escape *Table) (*Table, error) {
	var room [MaxSymbols]uint16
	codes, err := codes(lens, &room)
	if err != nil || escape == nil && len(lens) == MaxSymbols || escape != nil && (len(lens) != len(escape.code)+1 || lens[len(lens)-1] == 0) {
		return nil, ErrLengths
	}
	t := &Table{escape: escape}
	t.first, t.rest = split(lens)
	t.mask = 1<<t.first - 1
	t.slots = make([]uint16, 1<<t.first)
	t.code = make([]Code, 0, len(lens))
	for i, n := range lens {
		e := uint16(i)<<lenBits | uint16(n)
		if escape != nil && i == len(lens)-1 {
			e = flagEscape | uint16(n)
		} else {
			t.code = append(t.code, Code(n)<<codeLen|Code(codes[i]))
		}
		t.place(e, int(codes[i]), int(n))
	}
	if escape != nil {
		n, c := lens[len(lens)-1], Code(codes[len(lens)-1])
		for i := range t.code {
			if lens[i] == 0 {
				def := escape.code[i]
				t.code[i] = (def>>codeLen+Code(n))<<codeLen | def&codeBits<<n | c
			}
		}
	}
	return t, nil
}

// split returns how many bits of the longest code are looked up first, and how many
// after that.
func split(lens []uint8) (first, rest uint8) {
	var share [MaxLen + 1]int // of all input, by code length, in 1/2^MaxLen
	longest := uint8(0)
	for _, n := range lens {
		if n > 0 {
			share[n] += 1 << (MaxLen - n)
		}
		longest = max(longest, n)
	}
	first = longest
	for long := 0; first > 1; first-- {
		if long += share[first]; first <= maxFirst && long > 1<<(MaxLen-rareLong) {
			break
		}
	}
	return first, longest - first
}

// place enters a code of n bits wherever a look-up can meet it.
func (t *Table) place(e uint16, code, n int) {
	if n == 0 {
		return
	}
	if n <= int(t.first) {
		for i := code; i <= int(t.mask); i += 1 << n {
			t.slots[i] = e
		}
		return
	}
	at := code & int(t.mask)
	if t.slots[at] == 0 {
		t.slots[at] = flagLong | uint16((len(t.slots)-1<<t.first)>>t.rest)
		t.slots = append(t.slots, make([]uint16, 1<<t.rest)...)
	}
	sub := 1<<t.first + int(t.slots[at]&^flagLong)<<t.rest
	for i := code >> t.first; i < 1<<t.rest; i += 1 << (n - int(t.first)) {
		t.slots[sub+i] = e
	}
}

// A Found is a symbol that was found, and how many bits it took: symbol<<5 | length.
type Found uint32

// Symbol is the symbol found.
func (f Found) Symbol() int { return int(f >> lenBits) }

// Bits is how many bits it took, at most MaxCode.
func (f Found) Bits() int { return int(f & lenMask) }

// Find returns the symbol that the bits of acc begin with, lowest bit first.
func (t *Table) Find(acc uint64) Found {
	e := t.slots[acc&t.mask]
	if e >= flagEscape {
		return t.findLong(acc, e)
	}
	return Found(e)
}

func (t *Table) findLong(acc uint64, e uint16) Found {
	if e&flagLong != 0 {
		e = t.slots[1<<t.first+int(e&^flagLong)<<t.rest+int(acc>>t.first&(1<<t.rest-1))]
	}
	if e&flagEscape == 0 {
		return Found(e)
	}
	n := Found(e & lenMask)
	return t.escape.Find(acc>>n) + n
}

// Len is the size of the alphabet.
func (t *Table) Len() int { return len(t.code) }

// Sym is symbol i of the alphabet.
func (t *Table) Sym(i int) Sym { return t.code[i].Sym() }

// Codes returns the codes of all symbols, for callers that code many. They must not be
// changed.
func (t *Table) Codes() []Code { return t.code }

// Cost is the bits of symbol i; 0 where it has no code, or is the only one.
func (t *Table) Cost(i int) int { return t.code[i].Cost() }
