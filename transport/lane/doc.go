// Package lane is the reliable lane of a connection: messages arrive whole, in
// order, once. It is sans I/O: bytes and the time come in, bytes come out.
//
// A Lane frames messages into a stream (each is its length as a varint, then
// its bytes), cuts the stream into chunks of at most MaxChunk bytes and gives
// them to a Machine, which numbers, repeats and acknowledges them as segments.
// So short messages share a segment, a long one cannot wedge the window, and
// no more than MaxWaiting segments are ever in the machine's hands, MaxBehind
// short ones while one is lost.
//
// There are two machines: the raw KCP state machine (package transport/kcp),
// which reads the clock of its process, and ARQ, which is told the time, for
// simulations. Both speak KCP's segments of 24 bytes: a test holds the two to say
// the same, byte for byte.
//
// What the machine wants to say, whenever it says it, is pending until Take
// moves it into a packet. Nothing else clears it: the machine emits segments
// while packets are received as well as while they are sent.
package lane
