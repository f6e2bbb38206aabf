package wire

// lineWords is how many words a cache line holds.
const lineWords = 16

// InLines rounds a size in words up so that an array of elements of that size crosses
// as few cache lines as possible: to a power of two, or to whole lines.
func InLines(words int) int {
	if words > lineWords {
		return (words + lineWords - 1) &^ (lineWords - 1)
	}
	n := 0
	for n < words {
		n = max(1, 2*n)
	}
	return n
}
