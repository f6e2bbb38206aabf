// Package lane is the reliable lane of a connection: messages arrive whole, in
// order and once. It does no I/O: bytes and the time come in, bytes go out.
//
// A Lane frames messages into a stream (each is its length as a varint, then
// its bytes), cuts the stream into chunks of at most MaxChunk bytes and gives
// them to a Machine, which numbers, repeats and acknowledges them as segments.
// So short messages share a segment, and a long message cannot wedge the window.
// The machine never holds more than MaxWaiting unacknowledged segments, or MaxBehind
// short ones behind a lost one. On a slow path it holds fewer, no more than that carries and a
// short queue holds, and of what is long up to MaxFlight on a wide one (flight.go).
//
// The machine is ARQ. It uses KCP's segments, with their header of 24 bytes, and speaks
// with stock KCP; a test compares their output byte for byte.
//
// The machine emits segments while packets are received as well as while they are
// sent. Every segment that it emits stays pending until Take moves it into a packet.
package lane
