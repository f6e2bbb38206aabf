// Package prefix is the entropy coder of the state stream: static prefix codes
// of at most 12 bits. Each packet is coded on its own, so that it can be decoded
// without the others.
//
// Bits are packed from the least significant bit of each byte. Symbol 0 of
// every alphabet has a code of zeros alone, and an Encoder leaves out zero bytes
// at the end of a message: so symbols that end lists there cost nothing.
//
// A Sym is a run of up to 56 coded bits. Runs can be kept and put into another
// receiver's message: that is how bits are shared between peers.
//
//	code.go     codes of given lengths, and lengths for given counts
//	table.go    a table of codes, and runs of coded bits
//	encoder.go  a message of them, batch.go: several at once; decoder.go: reading it
package prefix
