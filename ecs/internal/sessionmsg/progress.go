package sessionmsg

// progress: how much a client is to have before it has all that it should have at first.

import "encoding/binary"

// Progress is told while a client is being given what it should have at first, as that changes.
// A client that does not know the message leaves it out.
//
//	type 1 = 0x85, want 4, done 1
type Progress struct {
	Want uint32 // nodes that the client is to have, without the session's
	Done bool   // it has been given all; the last of a level
}

// AppendProgress and ParseProgress write and read a Progress.
func AppendProgress(b []byte, m Progress) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, TypeProgress), m.Want)
	if m.Done {
		return append(b, 1)
	}
	return append(b, 0)
}

func ParseProgress(b []byte) (m Progress, err error) {
	if len(b) != 6 || b[0] != TypeProgress || b[5] > 1 {
		return m, ErrMessage
	}
	return Progress{Want: binary.LittleEndian.Uint32(b[1:]), Done: b[5] == 1}, nil
}
