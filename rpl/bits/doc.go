// Package bits packs numbers of any width into bytes, least significant bit
// first, and reads them back.
//
// A Writer appends to a buffer that the caller owns and never allocates while
// the buffer has room. A Reader is for bytes from the network: it never
// panics, and its first error sticks, so a parser checks once, at its end.
//
//	writer.go  numbers into bytes
//	reader.go  and back
//	zigzag.go  small numbers of either sign
package bits
