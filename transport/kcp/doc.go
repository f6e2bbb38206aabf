// Package kcp is the transport of real games: UDP, with KCP for what must
// arrive.
//
//	kcp.Start(session, host, join)       // what flags ask for, in one line
//	l, err := kcp.Listen(":7777")        // an address to host on
//	d := kcp.Dialer("example.org:7777")  // an address to join
//
// One socket an endpoint, and two goroutines however many peers it has: a
// reader, which stamps packets with their time and survives every error of the
// socket but its end, and a timer, which keeps peers while the game stalls. All else
// happens inside the game's own calls.
//
// The reliable lane runs on the raw KCP state machine of kcp-go, never on its
// sessions and listeners: those make a session of any stray packet, know no end
// of one, and take goroutines and 262 KiB for each. Packets are not yet
// encrypted and peers not authenticated: docs/spec-transport.md says where both
// go.
//
// WithConditions puts a simulated network between socket and endpoint, to play
// with loss and delay.
package kcp
