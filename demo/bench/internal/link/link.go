// Package link joins a server and its clients in virtual time: what a socket,
// its seal and KCP do in a game, done by the simulator and the reliable lane
// that is told the time. Its ends count every byte inside the seal.
//
// An End separates the core's work from the network's, so that a stopwatch can
// lie between them: Collect and Flush are the network's, everything that the
// core calls (Next, Datagram, Reliable) only copies bytes.
package link

import (
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Conditions are how the network between two ends behaves, each direction
// drawing values of its own.
type Conditions struct {
	RTT    time.Duration // half of it each way
	Jitter time.Duration // 0…Jitter on top, per packet and direction
	Loss   float64       // 0…1, per direction
}

// Pair makes both ends of a connection; equal seeds behave equally.
func Pair(seed uint64, c Conditions) (server, client *End) {
	p := netsim.NewPair(seed, netsim.Conditions{
		Loss: c.Loss, Delay: c.RTT / 2, Jitter: c.Jitter,
		MaxSize: headerSize + transport.MaxPayload,
	})
	return newEnd(p.Down, p.Up), newEnd(p.Up, p.Down)
}

// Counters are what an end has sent.
type Counters struct {
	Packets  int // with or without a datagram
	Payload  int // bytes inside the seal, both lanes
	Reliable int // of these, segments of the reliable lane
	Messages int // of the reliable lane, once each
	Longest  int // bytes inside the seal of the longest packet
	Beside   int // bytes of UDP payload beside datagrams, as transport.Conn.LaneBytes counts
}

// Wire is the bytes of UDP payload: the seal included, UDP's own header not.
func (c Counters) Wire() int { return c.Payload + c.Packets*transport.Overhead }
