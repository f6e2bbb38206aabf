// Package pages allocates long arrays that are read all over in every tick. A
// processor's TLB holds some thousand pages of 4 KiB; beyond that it walks the page
// tables for nearly every cache line of such an array, in a virtual machine twice.
// So the system is asked to keep long arrays in huge pages.
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
	grown := make([]T, len(s), max(len(s)+n, cap(s)+cap(s)/2))
	if bytes := uintptr(cap(grown)) * unsafe.Sizeof(*new(T)); bytes >= Long {
		advise(unsafe.Pointer(unsafe.SliceData(grown)), bytes)
	}
	copy(grown, s)
	return grown
}
