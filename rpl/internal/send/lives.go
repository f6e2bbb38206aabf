package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// lifecycle is what is unusual of how the node of a handle comes to a peer, is there and leaves it:
// another owner, parent or set of items, the messages that wait for arrival or removal, what goes with
// that. Most nodes have none at any time.
type lifecycle struct {
	handle        uint32
	laid          ids.Tick // acks of packets before this tick are of another set of items
	ownershipTick ids.Tick // tick of the newest packet that carried owner and parent; 0 once that is acked
	until         uint64   // it lasts until the number of the next packet is this
	block         uint64   // number of the reliable message with the arrival, 0 for none
	fence         uint64   // number of the last reliable message that names the handle
	repeat        ids.Tick // owner and parent go with each update until an ack of this tick or a later one shows that the peer knows them; 0: it does
	lastSent      ids.Tick // of the newest update sent, of a node with a rate of its own
	calls         uint16   // reliable calls that the peer may be holding until the arrival

	newParent bool             // of what repeats, the parent is new, or the node has leapt
	again     bool             // owner and parent were sent: send them again, with the next row that is sent
	waits     bool             // further calls wait at the authority for a place among calls
	relayout  bool             // the set of items must be sent
	reason    uint8            // of the game, for the removal; 0: none
	rows      uint8            // how many the node had in the end …
	last      []*store.LastRow // … and which of them the removal carries
	since     [2]ids.Tick      // … of the items of then, and of the parent, from when; 0: the peer has these
	from      []ids.Tick       // by row, 0 or none for most: acks of packets before that say nothing of the row
}

// outlast keeps a lifecycle until no packet that was sent up to now can be acked any more.
func (v *lifecycle) outlast(l *link.Link) { v.until = l.Next + wire.RecordLen }

// lives are the lifecycles of a peer, by number. Number 0 is that of a handle which has none.
type lives struct {
	chunks []*lifeChunk
	room   int          // no chunk before this one has room
	spare  []*lifeChunk // empty ones
	least  int          // how many were spare since the last trim, at least
	next   uint32       // the number from which endSome goes on
	rests  uint32       // how many sends it pauses yet
	freed  bool         // it has freed some since the first
}

// chunkLen is how many lifecycles stand side by side.
const chunkLen = 4

type lifeChunk struct {
	used uint8 // bit i: all[i] is
	all  [chunkLen]lifecycle
}

// noLives is the first chunk of all peers, of which the first lifecycle says nothing. Nobody writes it.
var noLives = lifeChunk{used: 1<<chunkLen - 1}

// prepare takes the first chunk.
func (s *lives) prepare() { s.chunks = append(s.chunks, &noLives) }

func (s *lives) at(number uint32) *lifecycle {
	return &s.chunks[number/chunkLen].all[number%chunkLen]
}

// take returns the number of a new lifecycle.
func (s *lives) take() uint32 {
	for ; s.room < len(s.chunks) && s.chunks[s.room] != nil && s.chunks[s.room].used == 1<<chunkLen-1; s.room++ {
	}
	if s.room == len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	c := s.chunks[s.room]
	if c == nil {
		if n := len(s.spare); n > 0 {
			c, s.spare, s.least = s.spare[n-1], s.spare[:n-1], min(s.least, n-1)
		} else {
			c = new(lifeChunk)
		}
		s.chunks[s.room] = c
	}
	i := bits.TrailingZeros8(^c.used)
	c.used |= 1 << i
	s.rests = 0
	return uint32(s.room*chunkLen + i)
}

// free lets another handle have a lifecycle.
func (s *lives) free(number uint32) {
	k := int(number / chunkLen)
	c, v := s.chunks[k], s.at(number)
	clear(v.last)
	*v = lifecycle{last: v.last[:0], from: v.from[:0]}
	s.room = min(s.room, k)
	if c.used &^= 1 << (number % chunkLen); c.used == 0 {
		s.chunks[k], s.spare = nil, append(s.spare, c)
		for s.chunks[len(s.chunks)-1] == nil {
			s.chunks = s.chunks[:len(s.chunks)-1]
		}
	}
}

// life returns a handle's lifecycle, and makes one if there is none.
func (p *Peer) life(h uint32) *lifecycle {
	e := &p.States[h]
	if e.life == 0 {
		e.life = p.lives.take()
		p.lives.at(e.life).handle = h
		p.kept.lives++
	}
	return p.lives.at(e.life)
}

// lifeOf returns an entry's lifecycle. If it has none, that is the one that says nothing, to be read
// only.
func (p *Peer) lifeOf(e *handleState) *lifecycle { return p.lives.at(e.life) }

// lifeAt is lifeOf of a handle.
func (p *Peer) lifeAt(h uint32) *lifecycle { return p.lifeOf(&p.States[h]) }

// setRelayout notes whether the set of items of a lifecycle's node must be sent.
func (p *Peer) setRelayout(v *lifecycle, must bool) {
	if v.relayout != must {
		v.relayout = must
		p.anew += int32(2*flag(must) - 1)
	}
}

// mayBeSpeculative reports whether an update may build on an arrival that is not acked: a
// datagram carried the arrival, and neither the set of items nor owner and parent have changed since.
func (p *Peer) mayBeSpeculative(e *handleState) bool {
	v := p.lifeOf(e)
	return p.maybeArrived(e) && !v.relayout && v.repeat == 0
}

// maybeArrived reports whether a datagram carried the arrival.
func (p *Peer) maybeArrived(e *handleState) bool { return e.copies > 0 && p.lifeOf(e).block == 0 }

// endIfOver ends the lifecycle of a handle, if it has one that says nothing any more.
func (p *Peer) endIfOver(h uint32, now ids.Tick, hz int) {
	e := &p.States[h]
	if e.life != 0 && e.State == HandleIn && p.lifeOf(e).isOver(p, now, hz) {
		p.endLife(e)
	}
}

func (p *Peer) endLife(e *handleState) {
	p.lives.free(e.life)
	e.life = 0
	p.kept.lives--
}

// isOver reports whether a lifecycle of a node that is there says nothing any more.
func (v *lifecycle) isOver(p *Peer, now ids.Tick, hz int) bool {
	return v.ownershipTick == 0 && v.repeat == 0 && v.calls == 0 && !v.again && !v.waits && !v.relayout &&
		v.fence <= p.Link.Arrived && p.Link.Next >= v.until && (v.lastSent == 0 || now-v.lastSent > ids.Tick(hz))
}

// endPause is how many sends endSome pauses once it has found nothing to end.
const endPause = 64

// endSome ends some of the lifecycles that say nothing any more: one chunk of them in each
// send, while there are any.
func (p *Peer) endSome(now ids.Tick, hz int) {
	s := &p.lives
	if s.rests > 0 {
		s.rests--
		return
	}
	k := s.next
	if s.next++; int(k) >= len(s.chunks) {
		if s.next = 0; !s.freed {
			s.rests = endPause
		}
		s.freed = false
		return
	}
	c := s.chunks[k]
	if c == nil || k == 0 {
		return
	}
	for used := c.used; used != 0; used &= used - 1 {
		v := &c.all[bits.TrailingZeros8(used)%chunkLen]
		if p.Link.Next < v.until || !v.isOver(p, now, hz) {
			continue // it is read alone: the state is elsewhere in memory
		}
		if e := &p.States[v.handle]; e.State == HandleIn {
			p.endLife(e)
			s.freed = true
		}
	}
}
