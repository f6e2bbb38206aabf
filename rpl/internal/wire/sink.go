package wire

// A Sink takes what one end sends to the other; transport.Conn is one. Datagram and Reliable
// copy what they are given.
type Sink interface {
	// Next opens a packet: its sequence number on the wire, from 1 on and ascending, and
	// the bytes of datagram that fit it. A packet that is given no datagram is not sent,
	// and its number is not used again.
	Next() (seq uint64, room int)
	// Datagram sends b as the datagram of the packet that was opened last.
	Datagram(b []byte)
	// Reliable gives a message to the reliable lane. An error says that the lane has no
	// room: the message is given again later, or counted as dropped by Flush.
	Reliable(b []byte) error
}
