package lane

// The limits of the lane, and the reasons for their values. The timing of ARQ, which is
// KCP's, is in arq.go.

import "time"

const (
	// MTU is the longest run of segments that a machine emits at once. It leaves 21
	// bytes of a packet's payload.
	MTU = 1150
	// MaxChunk is the data of one segment.
	MaxChunk = MTU - HeaderSize
	// MaxWaiting is how many unacknowledged segments the machine may hold while nothing better
	// is known. It repeats them outside of any budget, so they are few.
	MaxWaiting = 8
	// MaxFlight is how many it may hold of what is long, where the path carries them and
	// hardly any is sent again: what a path of 250 KB a second and 200 ms there and back
	// has under way. As many fit into MaxPending.
	MaxFlight = 48
	// MaxBehind is how many it may hold behind a segment that it had to repeat, if all
	// their data is no longer than MaxWaiting full segments. The messages behind the
	// lost segment are then already there when it arrives, instead of leaving a round
	// trip later.
	MaxBehind = 32
	// Window is how far ahead of the first missing segment a receiver accepts segments.
	Window = 256
	// MaxPending is the bytes of segments that may await a packet. Further segments
	// are dropped as if lost, and the machine repeats them.
	MaxPending = 64 << 10
	// RepeatAbove is the share of lost packets from which on each new segment that is
	// waited for (Lane.isWaitedFor) is repeated once, RepeatAfter later: in the next send
	// or the one after it, so that a short burst of losses does not take both copies.
	RepeatAbove = 0.005
	RepeatAfter = 15 * time.Millisecond
	// FirstRepeated is how many segments a lane repeats twice after RepeatFirst if they are waited
	// for and short, 3 KB at the most and mostly a few hundred bytes: what is lost on the way
	// is not known yet, the machine waits three round trips before it repeats what it sends after
	// it has measured one, and until these come nothing else does.
	FirstRepeated = 8
	FirstSize     = 200
	// AlongWithin is how long these copies wait for a datagram, to go along with it.
	AlongWithin = 300 * time.Millisecond
	// RepeatAllAbove is the share from which on each segment that the machine repeats
	// is repeated once more, because the machine waits half a round trip longer each
	// time that the same segment is lost. With fewer losses, most segments that the
	// machine repeats were only late.
	RepeatAllAbove = 0.04
	// linger is how long the lane updates an idle machine after it last gave the machine
	// something or a chunk was unacknowledged: acknowledgements leave at an update one
	// interval later. If Lane.Update is not called in this time, its next call makes up
	// for it.
	linger = 50 * time.Millisecond
	// keptRoom is the largest buffer that an empty fifo keeps for its next bytes; a larger
	// one, grown in a burst, goes back to the heap.
	keptRoom = 4 << 10
)
