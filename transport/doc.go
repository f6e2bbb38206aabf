// Package transport moves bytes between a session and its peers. It defines the
// interfaces; packages kcp (UDP) and mem (in memory) implement them. Each end has
// a Link, the Link has one Conn for each peer, and each Conn has two lanes.
//
// A Link is polled: it calls the Handler only inside Poll, on the caller's
// goroutine. The reliable lane delivers each message whole, in order and once.
// Datagrams may be lost or reordered, but are never duplicated; each carries the
// sequence number of its packet.
package transport

// For readers of the code: what is where, from the session down to the socket.
//
//	link.go               the interfaces; session.go: who hosts and joins; loss.go: lanes that adapt to loss; identity.go, keyring.go: who a client is
//	limits.go, errors.go  what both ends must agree on, and why something did not work
//	token/                connect tokens, which a matchmaker signs
//	kcp/, mem/            a link over UDP, and one in memory; both are thin:
//	internal/endpoint/    the handshake, connections, their two lanes and timeouts, without I/O
//	internal/wire/        the packets' layouts
//	internal/seal/        the cryptography; internal/replay/: which sequence numbers are new;
//	                      internal/mtu/: how long packets may be, and whether they still pass
//	lane/                 the reliable lane, which speaks KCP
//	netsim/               a simulated network
//	internal/linktest/    the tests that every link must pass; internal/hostile/: sessions among foes; internal/raw/: ends of which a test decides every packet
