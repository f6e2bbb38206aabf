package predict

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/tendonengine/tendon/rpl"
)

// A Name names what one run of a command makes: the same on its owner's machine and on the
// authority, in the first run and in each replay.
type Name struct {
	Node    rpl.Node // that the command moves; of one that a command has spawned Spawned of its name
	Tick    rpl.Tick // in which it was given; 0: no name
	Command int      // its number in the protocol
	Key     int      // the game's own, for several by one command
}

// MaxName is the most bytes that a name takes.
const MaxName = 4*binary.MaxVarintLen32 + binary.MaxVarintLen64

// Append appends the name as it travels.
func (n Name) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(n.Node)&(1<<32-1)) // the slot and the tenant, both of which are small
	b = binary.AppendUvarint(b, uint64(n.Node)>>32)
	b = binary.AppendUvarint(b, uint64(n.Tick))
	b = binary.AppendUvarint(b, uint64(n.Command))
	return binary.AppendVarint(b, int64(n.Key))
}

// Spawned stands for the node that was spawned under the name where it moves on by commands of its
// own: its owner's machine runs those before the authority has given it an id, and again after.
func (n Name) Spawned() rpl.Node {
	h := fnv.New32a()
	h.Write(n.Append(make([]byte, 0, MaxName)))
	return rpl.Node(h.Sum32() | 1) // an id has a tenant
}

// ParseName reads what Append has written; it is false for anything else.
func ParseName(b []byte) (n Name, ok bool) {
	var v [4]uint64
	for i := range v {
		u, k := binary.Uvarint(b)
		if k <= 0 || u > 1<<32-1 {
			return Name{}, false
		}
		v[i], b = u, b[k:]
	}
	key, k := binary.Varint(b)
	if k <= 0 || k != len(b) {
		return Name{}, false
	}
	return Name{Node: rpl.Node(v[1]<<32 | v[0]), Tick: rpl.Tick(v[2]), Command: int(v[3]), Key: int(key)}, v[2] > 0
}

// Once remembers what has been shown of the last ticks, so that nothing is shown twice. The
// zero Once is ready.
type Once struct {
	shown map[Name]struct{}
	swept rpl.Tick
}

// First reports whether a name comes for the first time; now is the newest tick. Names that
// are older than any replay goes back are forgotten.
func (o *Once) First(n Name, now rpl.Tick) bool {
	if o.shown == nil {
		o.shown = map[Name]struct{}{}
	}
	if _, known := o.shown[n]; known {
		return false
	}
	o.shown[n] = struct{}{}
	if now > o.swept+Ticks {
		o.swept = now
		for k := range o.shown {
			if k.Tick+2*Ticks < now {
				delete(o.shown, k)
			}
		}
	}
	return true
}
