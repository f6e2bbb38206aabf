package coder

import (
	"errors"
)

// The Receive stage of the authority: the datagrams and reliable messages of peers.
// Datagrams are coded with the default tables:
//
//	any? [newest packet's number 16, its age in ms 8, count, runs of acks],
//	reliable messages applied 16, model 2,
//	skipped? [age …], refused? [handle, row …], calls [bytes …]
//
// The runs go down from the packet below the newest. They are in turn runs of packets
// that were received and applied, and of packets that were not.

// ErrPacket says that a packet cannot be read. The packet is dropped and counted.
var ErrPacket = errors.New("packet cannot be read")
