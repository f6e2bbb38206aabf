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

// pair is words i and i+1, in one load where the machine has its low words first.
func (w rowWords) pair(i int) uint64 {
	p := unsafe.Add(w.p, i*4)
	return uint64(*(*uint32)(p)) | uint64(*(*uint32)(unsafe.Add(p, 4)))<<32
}

// four are words i to i+3.
func (w rowWords) four(i int) *[4]int32 { return (*[4]int32)(unsafe.Add(w.p, i*4)) }

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

// changed is the low bit, as a pattern has it, of each of n words from one on that
// are not what they were. It does not branch: which will be is hardly to be foreseen.
func (w rowWords) changed(is rowWords, from, n int) uint32 {
	const most, low = 0x7fffffff_7fffffff, 0x00000001_00000001
	differ := uint64(0) // of two words each, and the second's 32 bits above the first's
	if n&1 != 0 {
		differ = uint64(flag(*w.word(from + n - 1) != *is.word(from + n - 1)))
	}
	for i := from + n&^1 - 2; i >= from; i -= 2 {
		x := w.pair(i) ^ is.pair(i)
		differ = differ<<4 | (x&most+most|x)>>31&low
	}
	return uint32(differ) | uint32(differ>>30)
}
