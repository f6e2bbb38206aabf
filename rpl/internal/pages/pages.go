package pages

import "unsafe"

// Long is how many bytes an array must have to count as long: about what a huge page
// holds.
const Long = 1 << 20

// Append is append for an array that stays and may be long.
func Append[T any](s []T, more ...T) []T { return append(Grow(s, len(more)), more...) }

// Extend is s with n more elements, which are zero unless something was written there.
func Extend[T any](s []T, n int) []T {
	s = Grow(s, n)
	return s[:len(s)+n]
}

// Grow is slices.Grow for an array that stays and may be long. Elements beyond its length
// are zero unless something was written there.
func Grow[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	size := unsafe.Sizeof(*new(T))
	more := cap(s) / 2
	switch bytes := uintptr(cap(s)) * size; {
	case bytes >= Long:
		more = cap(s) / 8 // room that a world never needs is more than the copying is worth
	case bytes >= Long/4:
		more = cap(s) / 4
	}
	grown := make([]T, len(s), max(len(s)+n, cap(s)+more))
	if bytes := uintptr(cap(grown)) * size; bytes >= Long {
		advise(unsafe.Pointer(unsafe.SliceData(grown)), bytes)
	}
	copy(grown, s)
	return grown
}

// Trim is s with less room, if it has much more than most, the elements of which it needed
// room lately, and more than least. It is a copy then.
func Trim[T any](s []T, most, least int) []T {
	most = max(most, len(s), least)
	if cap(s) <= 4*most {
		return s
	}
	return append(make([]T, 0, most), s...)
}
