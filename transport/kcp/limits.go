package kcp

// The limits of a socket, with their reasons. Those of the reliable lane's machine are in
// machine.go, all others in packages transport and lane.

import "time"

const (
	// tickEvery is how often the timer looks for HELLOs to repeat and keepalives to
	// send: a fifth of transport.Keepalive.
	tickEvery = 50 * time.Millisecond
	// readBuffer is the receive buffer requested from the system: it holds a second
	// of a hundred players' packets while the reader does not run.
	readBuffer = 1 << 20
	// readSize is the room for a packet: a longer one is cut, and what is left is still too
	// long. readBatch is how many packets a listener takes at once where the system can, which
	// takes 64 KiB, and readBatchClient how many a client does.
	readSize        = 2 << 10
	readBatch       = 32
	readBatchClient = 4
	// writeBatch is how many packets a listener writes at once where the system can.
	writeBatch = 64
	// outboxMost is the most bytes of packets that wait to be written: a packet of 1 KiB to each
	// of 1,024 peers. batchKept is the room above which a batch gives back what a burst has left:
	// some steps of a hundred players.
	outboxMost = 1 << 20
	batchKept  = 256 << 10
	// fullBatches is after how many full ones in a row a listener takes it that more comes than
	// it can read: a burst of a hundred players is less.
	fullBatches = 8
	// longestPause is the longest pause between reads while the socket returns errors.
	longestPause = 100 * time.Millisecond
	// longestWait is the longest wait for room in the socket's buffer: a fast card needs
	// less to send what hundreds of peers are told in one step.
	longestWait = 5 * time.Millisecond
	// shareOfWaits is the part of the time that may be spent with it: a quarter. A card that
	// needs more is too slow for what is sent.
	shareOfWaits = 4
	// pollGoodbye is how often a closed link looks whether all peers know.
	pollGoodbye = 2 * time.Millisecond

	// portWait is for how long Listen tries again to get a port that is taken: a session that was closed has
	// it until its goodbyes are said, which takes a second at most, and a moment more on a busy machine.
	portWait = 1500 * time.Millisecond
	// pollPort is how often it does.
	pollPort = 10 * time.Millisecond
	// mostAddresses is how many addresses of one name a client asks at once.
	mostAddresses = 4
	// longestLookup is the longest lookup of a host name: less than half of the time for which a
	// client asks, so that some is left to ask at the address. lookAgain is the pause before the
	// next, if it has failed at once.
	longestLookup = 2 * time.Second
	lookAgain     = 500 * time.Millisecond
)
