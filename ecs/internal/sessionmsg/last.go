package sessionmsg

// last: the datagrams of the last step of a level, again. A client leaves the level when the
// reliable lane tells it to, and nobody would send it again what it has lost by then: who was
// killed in that step, above all.

import (
	"encoding/binary"
	"slices"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// MaxLast is how many datagrams of the last step are told again at most: 64 of them are what a
// bucket of a fast line holds.
const MaxLast = 64

// A Last is a datagram of the level that the next Level ends.
//
//	type 1 = 0x86, number 8, the datagram (to the end)
//
// A client that has had the datagram leaves it out.
type Last struct {
	Seq      uint64
	Datagram []byte
}

// AppendLast and ParseLast write and read a Last. What ParseLast returns is within b.
func AppendLast(b []byte, m Last) []byte {
	return append(binary.LittleEndian.AppendUint64(append(b, TypeLast), m.Seq), m.Datagram...)
}

func ParseLast(b []byte) (m Last, err error) {
	if len(b) < 10 || b[0] != TypeLast {
		return m, ErrMessage
	}
	return Last{Seq: binary.LittleEndian.Uint64(b[1:]), Datagram: b[9:]}, nil
}

// A Recorder is a sink that keeps the datagrams which it hands on.
type Recorder struct {
	rpl.Sink
	sent []Last
	seq  uint64
}

// Again sends the datagrams in messages, and forgets them.
func (r *Recorder) Again(c transport.Conn) (err error) {
	for _, m := range r.sent {
		if err == nil {
			err = Send(c, AppendLast(nil, m))
		}
	}
	r.sent = nil
	return err
}

// Next opens a packet.
func (r *Recorder) Next() (seq uint64, room int) {
	r.seq, room = r.Sink.Next()
	return r.seq, room
}

// Datagram sends b, and keeps it.
func (r *Recorder) Datagram(b []byte) {
	if len(r.sent) < MaxLast {
		r.sent = append(r.sent, Last{r.seq, slices.Clone(b)})
	}
	r.Sink.Datagram(b)
}
