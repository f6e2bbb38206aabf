package mtu

import "errors"

// A packet that is longer than its path carries goes in parts, each of them sealed and
// numbered as a packet of its own.
//
//	0   u16   the low 16 bits of the packet's number, which is the first part's own
//	2   u8    low four bits: which part; high four: how many
//	3   u8    the packet's kind
//	4         the packet's payload, or as much of it as this part has
const (
	PartHeader = 4
	MaxParts   = 15
)

var errPart = errors.New("mtu: a part contradicts itself")

// A Part is a parsed part.
type Part struct {
	Of    uint16
	Index int
	Count int
	Kind  uint8
	Data  []byte
}

// Append writes a part behind b.
func (p Part) Append(b []byte) []byte {
	b = append(b, byte(p.Of), byte(p.Of>>8), byte(p.Index|p.Count<<4), p.Kind)
	return append(b, p.Data...)
}

// ParsePart reads a part. Data points into b.
func ParsePart(b []byte) (p Part, err error) {
	if len(b) <= PartHeader {
		return p, errPart
	}
	p = Part{uint16(b[0]) | uint16(b[1])<<8, int(b[2] & 15), int(b[2] >> 4), b[3], b[PartHeader:]}
	if p.Count < 2 || p.Index >= p.Count {
		return p, errPart
	}
	return p, nil
}

// Cut returns how many parts a payload takes of which each may have room bytes, and how long
// each is but the last; 0: it does not fit.
func Cut(payload, room int) (count, each int) {
	room -= PartHeader
	if room <= 0 {
		return 0, 0
	}
	if count = (payload + room - 1) / room; count > MaxParts {
		return 0, 0
	}
	return count, (payload + count - 1) / count
}

// groups is how many packets may be incomplete at once: as many as two sends of large
// state make.
const groups = 8

// A Joiner puts parts together again. The zero value has none.
type Joiner struct {
	of   []group // groups of them once a part has come
	next int
}

type group struct {
	seq   uint64 // of the packet
	count int
	kind  uint8
	have  uint16 // bit i: part i is there
	size  int
	parts [MaxParts][]byte
	data  []byte // of all parts, in the order in which they came
}

// Add takes a part that came in a packet with the number seq. It returns the packet's kind,
// number and payload once it is whole. The payload is valid until the next Add.
func (j *Joiner) Add(seq uint64, p Part) (kind uint8, whole uint64, payload []byte, ok bool) {
	whole = seq - uint64(uint16(seq)-p.Of) // the newest with these bits that is not newer
	if p.Index == 0 && whole != seq || whole > seq {
		return 0, 0, nil, false
	}
	g := j.group(whole, p)
	if g == nil || g.have>>p.Index&1 != 0 || g.size+len(p.Data) > Max {
		return 0, 0, nil, false
	}
	at := len(g.data)
	g.data = append(g.data, p.Data...)
	g.parts[p.Index] = g.data[at:len(g.data):len(g.data)]
	g.have |= 1 << p.Index
	g.size += len(p.Data)
	if g.have != 1<<p.Count-1 {
		return 0, 0, nil, false
	}
	out := g.data[:len(g.data):cap(g.data)]
	for _, b := range g.parts[:p.Count] { // behind what has come, then to the front
		out = append(out, b...)
	}
	payload = out[g.size:]
	g.data = out[:0]
	g.count = 0
	return g.kind, whole, payload, true
}

// group returns the group of a packet, a new one in place of the oldest if need be.
func (j *Joiner) group(whole uint64, p Part) *group {
	if j.of == nil {
		j.of = make([]group, groups)
	}
	for i := range j.of {
		if g := &j.of[i]; g.count > 0 && g.seq == whole {
			if g.count != p.Count || g.kind != p.Kind {
				return nil
			}
			return g
		}
	}
	g := &j.of[j.next]
	j.next = (j.next + 1) % groups
	data := g.data[:0]
	if cap(data) < 2*Max {
		data = make([]byte, 0, 2*Max)
	}
	*g = group{seq: whole, count: p.Count, kind: p.Kind, data: data}
	return g
}
