package transport

// A LossAware is a Conn whose reliable lane adapts to packet loss. Its user, which
// learns the loss from the acks of its datagrams, tells it by SetLoss. From 0.5 %
// loss on, the lane repeats each message of up to a segment (1,126 bytes) once, and
// of longer ones the end of the last, about one send later: at 5 % loss and a delay
// of 50 ms the slowest percent of short messages takes 100 ms instead of 233, for
// less than twice their bytes, which are few. From 4 % on, it also repeats each
// retransmission: at 20 % loss the slowest of some 100,000 messages takes one second
// instead of three. The first few short segments of a connection are repeated twice in any
// case: what is lost is not known yet.
type LossAware interface {
	// SetLoss sets the share of packets, 0…1, that are lost on the way to the peer.
	// It is called like the methods of Conn; before the first call the share is 0.
	SetLoss(share float64)
}
