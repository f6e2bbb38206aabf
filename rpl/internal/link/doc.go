// Package link keeps the state of the datagrams to one peer: which packets were sent, which
// have arrived, which are judged lost, how long a round trip takes and how many packets may
// be under way. It keeps for each packet the entries that its sender gave it, and hands them
// back when the packet is acked or lost; what they mean it does not know.
//
// The files in the order of the data:
//
//	link.go     the state of a Link; which packets are lost, and how much is lost
//	records.go  what each packet carried, until it is acked or too old
//	parts.go    how complete the packets of a send are, for what their peer predicts
//	acks.go     acks are noted as they come, and taken one by one
//	flow.go     how many packets may leave
//	path.go     what outlives a Link, because it is of the way and not of what was sent
//	sends.go    which of the newest sends the peer has in full
package link
