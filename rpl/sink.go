package rpl

// A Sink takes what one end sends to the other; transport.Conn is one. A
// packet that was opened and given no datagram is not sent, and its number is
// not used again. Datagram and Reliable copy what they are given.
type Sink interface {
	// Next opens a packet: its sequence number on the wire, from 1 on and
	// ascending, and the bytes of datagram that fit it.
	Next() (seq uint64, room int)
	Datagram(b []byte)
	Reliable(b []byte) error
}
