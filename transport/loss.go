package transport

// A LossAware is a Conn that uses what the sender of datagrams learns from
// their acknowledgements: the share of packets, 0…1, that are lost on the way
// to the peer. From half a percent on, each new segment of the reliable lane is
// repeated once, about one send later: at 5 % loss and a delay of 50 ms the
// slowest percent of messages takes 100 ms in place of 233, for less than twice
// the lane's bytes, which are few. From four percent on so is what the lane says
// again: at 20 % the slowest of some 100,000 takes a second in place of three.
type LossAware interface {
	// SetLoss is called like the methods of Conn; until it is, nothing is repeated
	// before it must be.
	SetLoss(share float64)
}
