package transport

// A LossAware is a Conn whose reliable lane adapts to packet loss. Its user, which
// learns the loss from the acks of its datagrams, tells it by SetLoss. From 0.5 %
// loss on, the lane repeats each new segment once, about one send later: at 5 %
// loss and a delay of 50 ms the slowest percent of messages takes 100 ms instead
// of 233, for less than twice the lane's bytes, which are few. From 4 % on, it
// also repeats each retransmission: at 20 % loss the slowest of some 100,000
// messages takes one second instead of three.
type LossAware interface {
	// SetLoss sets the share of packets, 0…1, that are lost on the way to the peer.
	// It is called like the methods of Conn; before the first call the share is 0.
	SetLoss(share float64)
}
