// Package kcp is the transport of real games: UDP, with KCP for the reliable lane.
//
//	kcp.Start(session, host, join)       // host, join or neither, as flags say
//	l, err := kcp.Listen(":7777")        // an address to host on
//	fmt.Println(l.JoinString())          // what players paste to join: address and key
//	d := kcp.Dialer(joinString)          // the server that it names, and no other
//
// Each endpoint has one socket and two goroutines, a listener four, however many peers it
// has. The reader takes packets, several at once where the system can, opens them, stamps
// them with their arrival time, and survives every socket error except the socket's
// closing. The timer keeps connections alive while the game stalls. A listener's worker
// shakes hands, and its writer gives the socket what a step sends, many packets at once where
// the system can. Everything else happens inside the game's own calls. An endpoint that is
// closed keeps its socket and its goroutines until its goodbyes are said, a second at most.
//
// The reliable lane speaks KCP: what it says and takes is what the state machine of kcp-go
// does, with which tests compare it. kcp-go itself is not used: its sessions and listeners
// start a session for any stray packet, have no notion of its end, and cost goroutines and
// 262 KiB each; its state machine keeps 14 KiB for a peer of whom nothing is under way.
// Packets are sealed; docs/security.md says what that promises against whom.
//
// WithConditions puts a simulated network between socket and endpoint, to play
// with loss and delay.
package kcp

// For readers of the code:
//
//	dial.go, listen.go      two ways to a link; start.go: either, as flags say; options.go
//	key.go, identity.go     keys in files, and which a client shows; lock_*.go: one program at a time
//	join.go                 join strings
//	link.go, limits.go      an endpoint on a socket, and its goroutines
//	games.go                a list of games on the local network
//	home.go, home_*.go      the address from which a listener answers
//	intake_*.go             reading from a socket, several packets at once
//	sender_*.go             writing to a socket without waiting for long
//	outbox.go, writer_*.go  what a listener sends, several packets at once
//	simulation.go           a simulated network between socket and endpoint
