// Package link connects a server and its clients in virtual time. The network simulator
// stands in for the socket and its seal, and package lane's reliable lane, which is
// told the time, for KCP. The ends count every byte that would be inside the seal.
//
// An End separates the core's work from the network's, so that a stopwatch can run for
// the core alone: Collect and Flush do the network's work, while the methods that the
// core calls (Next, Datagram, Reliable) only copy bytes.
package link

import (
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Conditions say how the network between two ends behaves. Each direction draws its own
// random values.
type Conditions struct {
	RTT    time.Duration // half of it in each direction
	Jitter time.Duration // each packet is delayed by a further 0…Jitter, in each direction
	Loss   float64       // share of packets lost, 0…1, in each direction
}

// Pair makes both ends of a connection. Equal seeds give equal networks.
func Pair(seed uint64, c Conditions) (server, client *End) {
	p := netsim.NewPair(seed, netsim.Conditions{
		Loss: c.Loss, Delay: c.RTT / 2, Jitter: c.Jitter,
		MaxSize: headerSize + transport.MaxPayload,
	})
	return newEnd(p.Down, p.Up), newEnd(p.Up, p.Down)
}

// Counters count what an end has sent.
type Counters struct {
	Packets  int // with or without a datagram
	Payload  int // bytes inside the seal, both lanes
	Reliable int // of Payload, the bytes that are segments of the reliable lane
	Messages int // messages queued on the reliable lane, each counted once
	Beside   int // bytes of UDP payload that are not datagrams, as transport.Conn.LaneBytes counts them
}

// Wire returns the bytes of UDP payload that a server has sent: with the seal, without the
// UDP header.
func (c Counters) Wire() int { return c.Payload + c.Packets*overhead }

// overhead is what a packet of a server's has outside of its payload. A client's has two
// bytes more, and nobody asks for them.
const overhead = transport.OverheadDown
