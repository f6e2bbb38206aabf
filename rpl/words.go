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

// word is word i, which the row type knows of.
func (w rowWords) word(i int) *int32 { return (*int32)(unsafe.Add(w.p, i*4)) }
