package rowtype

import (
	"unsafe"
)

// A Words points to the words of a row, without their number: loops over words by
// indices from the schema then need no bounds checks.
type Words struct{ P unsafe.Pointer }

// At returns words as Words. It checks that they are as many as a row has, the
// hidden ones included, so that every index in Type is valid.
func (t *Type) At(words []int32) Words { return WordsOf(words, t.Width) }

func WordsOf(words []int32, n int) Words {
	if len(words) < n {
		panic("rpl: a row without all its words")
	}
	return Words{unsafe.Pointer(unsafe.SliceData(words))}
}

// All returns the first n words as a slice.
func (w Words) All(n int) []int32 { return unsafe.Slice((*int32)(w.P), n) }

// Word is word i, an index from the row type.
func (w Words) Word(i int) *int32 { return (*int32)(unsafe.Add(w.P, i*4)) }

// At is the word at a byte offset.
func (w Words) At(byte uintptr) *int32 { return (*int32)(unsafe.Add(w.P, byte)) }

// four are the words i to i+3.
func (w Words) four(i int) *[4]int32 { return (*[4]int32)(unsafe.Add(w.P, i*4)) }

// Swap exchanges the first n words with others, which must not overlap.
func (w Words) Swap(with Words, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		p, q := w.four(i), with.four(i)
		*p, *q = *q, *p
	}
	for ; i < n; i++ {
		p, q := w.Word(i), with.Word(i)
		*p, *q = *q, *p
	}
}

// CopyTo copies the first n words to others, which must not overlap, four at a time:
// for so few words it is done before the built-in copy has chosen its way.
func (w Words) CopyTo(to Words, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		*to.four(i) = *w.four(i)
	}
	for ; i < n; i++ {
		*to.Word(i) = *w.Word(i)
	}
}

const WordSize = 4

// Magnitude is the absolute value. It does not branch: the sign cannot be predicted.
func Magnitude(v int32) uint32 {
	sign := v >> 31
	return uint32((v ^ sign) - sign)
}

// Take copies an item's words to its one row, and returns 1 if any of them differed,
// else 0.
func (t *Type) Take(row, item Words) uint64 {
	shown, differ := t.shown, int32(0)
	for k := range shown {
		to, x := row.Word(int(shown[k].from)), *item.Word(int(shown[k].to))
		differ |= *to ^ x
		*to = x
	}
	return uint64(flag(differ != 0))
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
