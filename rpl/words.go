package rpl

import "unsafe"

// A rowWords is the words of a row, without how many they are: what goes over many
// of them by indices that the schema decided would compare each with that.
type rowWords struct{ p unsafe.Pointer }

// at has seen that the words are as many as the row has, its hidden ones, too: an
// index of rowType is one of them.
func (t *rowType) at(words []int32) rowWords { return wordsOf(words, t.width) }

func wordsOf(words []int32, n int) rowWords {
	if len(words) < n {
		panic("rpl: a row without all its words")
	}
	return rowWords{unsafe.Pointer(unsafe.SliceData(words))}
}

// all are the first n of the words.
func (w rowWords) all(n int) []int32 { return unsafe.Slice((*int32)(w.p), n) }

// word is word i, which the row type knows of.
func (w rowWords) word(i int) *int32 { return (*int32)(unsafe.Add(w.p, i*4)) }

// at is the word that begins at a byte.
func (w rowWords) at(byte uintptr) *int32 { return (*int32)(unsafe.Add(w.p, byte)) }

// four are words i to i+3.
func (w rowWords) four(i int) *[4]int32 { return (*[4]int32)(unsafe.Add(w.p, i*4)) }

// swap exchanges the first n words with others that lie elsewhere.
func (w rowWords) swap(with rowWords, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		p, q := w.four(i), with.four(i)
		*p, *q = *q, *p
	}
	for ; i < n; i++ {
		p, q := w.word(i), with.word(i)
		*p, *q = *q, *p
	}
}

// copyTo copies the first n words to others that lie elsewhere, four at a time: it
// is done before copy has found out how to.
func (w rowWords) copyTo(to rowWords, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		*to.four(i) = *w.four(i)
	}
	for ; i < n; i++ {
		*to.word(i) = *w.word(i)
	}
}
