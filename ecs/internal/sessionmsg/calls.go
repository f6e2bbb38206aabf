package sessionmsg

// calls: who calls, in a call Everywhere; and asking to be let into a group.

import (
	"encoding/binary"

	"github.com/tendonengine/tendon/rpl"
)

// maxCaller is the most bytes that the caller's number takes.
const maxCaller = binary.MaxVarintLen32

// AppendCaller puts the caller's number in front of the arguments. The authority does so in
// every call Everywhere that it sends.
func AppendCaller(from rpl.Peer, args []byte) []byte {
	return append(binary.AppendUvarint(make([]byte, 0, maxCaller+len(args)), uint64(from)), args...)
}

// MaxArgs is the most bytes of a call's own arguments.
func MaxArgs(t *rpl.RPCType) int {
	limit := rpl.MaxReliableArgs
	if t.Lane == rpl.Unreliable {
		limit = rpl.MaxUnreliableArgs
	}
	if t.To == rpl.Everywhere {
		limit -= maxCaller
	}
	return limit
}

// ParseCaller returns the caller and the arguments; ok is false if they cannot be read.
func ParseCaller(b []byte) (from rpl.Peer, args []byte, ok bool) {
	p, size := binary.Uvarint(b)
	if size <= 0 || p > uint64(^rpl.Peer(0)) {
		return 0, nil, false
	}
	return rpl.Peer(p), b[size:], true
}

// Ask asks to be let into a group, or out of it.
//
//	type 1 = 0x84, group 1 (in the order of names), in 1
type Ask struct {
	Group int
	In    bool
}

// AppendAsk and ParseAsk write and read an Ask.
func AppendAsk(b []byte, m Ask) []byte {
	in := byte(0)
	if m.In {
		in = 1
	}
	return append(b, TypeAsk, byte(m.Group), in)
}

func ParseAsk(b []byte) (m Ask, err error) {
	if len(b) != 3 || b[0] != TypeAsk || b[2] > 1 {
		return m, ErrMessage
	}
	return Ask{Group: int(b[1]), In: b[2] == 1}, nil
}
