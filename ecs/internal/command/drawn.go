package command

import (
	"encoding/binary"
	"math"
)

// drawn: what a client drew as it made its commands, by which a server that rewinds judges them.

// DrawnUnit is the fraction of a tick in which drawn time travels: far less than anybody sees.
const DrawnUnit = 256

// Drawn is what a client drew in a tick: between the states of two packets, or beyond the
// second.
type Drawn struct {
	To   uint32  // tick of the packet after
	Span uint32  // ticks from the packet before
	At   float64 // drawn time
}

// Share is how far drawn time was from the packet before to the packet after.
func (d *Drawn) Share() float64 {
	if d.Span == 0 {
		return 1
	}
	return (d.At - float64(d.To-d.Span)) / float64(d.Span)
}

// How a tick was drawn, by how the tick after it was: mostly a tick earlier, and from the same packets,
// or those before.
const (
	samePackets   = iota
	tickBefore    // a packet a tick before, as where each step sends
	packetsBefore // the packet after is what was the packet before
	anyPackets    // said in full
)

// maxOff is by how much more or less than a tick drawn time may have moved, in DrawnUnits: more than is
// kept of the past.
const maxOff = 256 * DrawnUnit

// A sight is a Drawn as it travels.
type sight struct {
	to, span uint32
	at       int64 // in DrawnUnits
}

// sightOf returns the sight of a command's tick that is nearest to d.
func sightOf(d Drawn, tick uint32) sight {
	to := max(min(d.To, tick), tick-min(255, tick))
	at := int64(math.Round(d.At * DrawnUnit))
	now := int64(to) * DrawnUnit
	return sight{to, min(d.Span, 255, to), min(max(at, now-math.MaxInt16), now-math.MinInt16)}
}

// older is what the tick before is like, if it was drawn a tick earlier, from packets of that way.
func (s sight) older(way uint64) sight {
	switch s.at -= DrawnUnit; way {
	case tickBefore:
		s.to -= min(1, s.to)
	case packetsBefore:
		s.to -= s.span
	}
	s.span = min(s.span, s.to)
	return s
}

// append writes the sight of a tick; after is that of the tick after.
func (s sight) append(b []byte, tick uint32, after sight) []byte {
	for way := uint64(samePackets); way < anyPackets; way++ {
		is := after.older(way)
		if off := s.at - is.at; s.to == is.to && s.span == is.span && max(off, -off) <= maxOff {
			return binary.AppendUvarint(b, uint64(off<<1^off>>63)<<2|way) // zigzag
		}
	}
	b = append(b, anyPackets, uint8(tick-s.to), uint8(s.span))
	return binary.BigEndian.AppendUint16(b, uint16(int16(int64(s.to)*DrawnUnit-s.at)))
}

// parse reads the sight of a tick into s, which is that of the tick after. It returns the rest of b, and
// false for what no client writes.
func (s *sight) parse(b []byte, tick uint32) ([]byte, bool) {
	says, k := binary.Uvarint(b)
	if k <= 0 {
		return nil, false
	}
	b = b[k:]
	if way := says & 3; way != anyPackets {
		off := int64(says>>3) ^ -int64(says>>2&1)
		*s = s.older(way)
		s.at += off
		return b, max(off, -off) <= maxOff
	}
	if says != anyPackets || len(b) < 4 {
		return nil, false
	}
	s.to = tick - min(uint32(b[0]), tick)
	s.span = min(uint32(b[1]), s.to)
	s.at = int64(s.to)*DrawnUnit - int64(int16(binary.BigEndian.Uint16(b[2:])))
	return b[4:], true
}

// drawn returns what it says. Nothing is drawn before the packet before.
func (s sight) drawn() Drawn {
	return Drawn{To: s.to, Span: s.span, At: max(float64(s.at)/DrawnUnit, float64(s.to-s.span))}
}
