// Package pages allocates long arrays that are read all over in every tick. A
// processor's TLB holds some thousand pages of 4 KiB; beyond that it walks the page
// tables for nearly every cache line of such an array, in a virtual machine twice.
// So the system is asked to keep long arrays in huge pages.
//
//	pages.go        how an array grows
//	pages_linux.go  how the system is asked; pages_other.go: where it cannot be
package pages
