package wire

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Checksums (protocol rule 30) prove, at a few bytes a second, that both ends have the
// same state. A row's checksum is of a version that the peer has acked, never of a
// tick: the proxy hashes what it stored as that version. If the proxy no longer has the
// version it says nothing; if the checksum differs it refuses the row and is sent a
// keyframe. Rows that the peer may not see are not hashed. After a node's rows the node
// itself is checked as row 255: its Node, layout, owner, parent, name and arguments, if
// the peer is known to have the newest of them.
//
//	in a packet's header: check? [handle, row, age of the version in ticks, hash 16] …
//
// `once` props are left out, because deltas do not contain them.

// Check is one checksum as it is sent.
type Check struct {
	Handle uint32
	Row    uint32
	Age    uint32
	Hash   uint16
	Gen    uint8 // of the handle; not sent
	Asked  bool  // by Check or CheckAll, so it is repeated if it is lost; not sent
}

const (
	// CheckEvery is how often one row or one node of a peer is checked by default.
	CheckEvery = 500 * time.Millisecond

	// MaxChecks is the checksums of one send, some 80 bytes; checkBits is the bits of
	// budget that each takes.
	MaxChecks = 8
	CheckBits = 80

	// MendEvery is the shortest time between two repairs of a node for checksums that
	// differ, so that a recurring fault does not fill the link.
	MendEvery = 3 * time.Second
)

// RowChecksum is the checksum of one version, without `once` props.
func RowChecksum(t *rowtype.Type, words []int32, vars []any) uint16 {
	sum := emptySum
	for i, w := range words {
		if i < len(t.Once) && t.Once[i] { // fractions stand behind the words
			continue
		}
		sum.word(uint32(w))
	}
	if len(vars) > 0 {
		of := emptySum
		for i, v := range vars {
			if t.OnceV == nil || !t.OnceV[i] {
				of.bytes(t.Vars[i].Type.Append(nil, v))
			}
		}
		sum = (sum ^ of) * sumPrime
	}
	return sum.fold()
}

// Checksum is the checksum of a node itself as it was last sent.
func (l *NodeLayout) Checksum(id ids.Node, owner ids.Peer, parent uint32, name string, args []byte) uint16 {
	sum := emptySum
	for _, w := range [...]uint32{id.Slot(), id.Tenant(), uint32(owner), parent + 1, uint32(l.Prefab), uint32(len(l.Items))} {
		sum.word(w)
	}
	for _, i := range l.Items {
		sum.word(uint32(i + 1))
	}
	sum.word(uint32(len(name)))
	sum.bytes([]byte(name))
	sum.bytes(args)
	return sum.fold()
}

// An fnv1a is a 32-bit sum (G. Fowler, L. C. Noll, K.-P. Vo, FNV-1a).
type fnv1a uint32

const (
	emptySum fnv1a = 2166136261
	sumPrime fnv1a = 16777619
)

// word adds four bytes, the lowest first.
func (s *fnv1a) word(w uint32) {
	for k := 0; k < 32; k += 8 {
		*s = (*s ^ fnv1a(w>>k&0xff)) * sumPrime
	}
}

func (s *fnv1a) bytes(b []byte) {
	for _, c := range b {
		*s = (*s ^ fnv1a(c)) * sumPrime
	}
}

func (s fnv1a) fold() uint16 { return uint16(s ^ s>>16) }
