package lane

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// A Machine numbers, repeats and acknowledges chunks. It emits runs of whole
// segments, each run at most MTU bytes, from any of its methods but Recv and
// Waiting, through the function it was made with.
type Machine interface {
	// Send takes one chunk of 1…MaxChunk bytes. It is copied.
	Send(chunk []byte)
	// Input takes segments that passed Check.
	Input(now time.Duration, segments []byte)
	// Recv moves the next chunk in order into b, which has room for MaxChunk
	// bytes, and returns its length; negative when there is none, and there will
	// be none before the next Input.
	Recv(b []byte) int
	// Update emits what is due: acknowledgements, new chunks, repeats.
	Update(now time.Duration)
	// Waiting is how many chunks were sent and are not acknowledged: more only
	// after Send.
	Waiting() int
}

// linger is how long an idle machine is updated after it was last given
// something: acknowledgements leave at an update one interval later. Who asks
// less often has it updated once more.
const linger = 50 * time.Millisecond

// A Lane is one end of the reliable lane. It is not safe for concurrent use.
//
// Lanes are idle most of the time, and a server asks all of its peers' several
// times a tick: what an idle one looks at stands first, in one line of a cache.
type Lane struct {
	busy    bool          // something is queued, unacknowledged or to be repeated, or may be
	heard   bool          // the machine may have a chunk that was not received
	owes    bool          // the machine may have a receipt to say: it was not updated at awake yet
	awake   time.Duration // the machine is updated until then, and once from then on
	pending fifo          // segments that await a packet

	m       Machine
	queue   fifo  // framed messages, not yet given to the machine
	ends    []int // where each of them ends, in bytes since the lane began
	fed     int   // bytes given to the machine since the lane began
	queued  int   // bytes queued since the lane began
	in      fifo  // the stream received, not yet handed out
	out     uint64
	now     time.Duration // of the last call that spoke to the machine
	again   repeats
	sizes   []uint16 // of the chunks last given to the machine, those that wait at least
	given   uint32   // chunks given to the machine since the lane began
	scratch []byte   // a chunk, apart, so that lanes lie side by side
}

// New makes a lane over the machine that make returns; the machine emits its
// segments through out.
func New(make func(out func(segments []byte)) Machine) *Lane {
	l := &Lane{}
	l.m = make(l.emit)
	return l
}

// emit keeps what the machine says until a packet has room for it.
func (l *Lane) emit(segments []byte) {
	if l.pending.len()+len(segments) > MaxPending {
		return
	}
	l.pending.add(segments)
	l.again.keep(l.now, segments)
}

// SetLoss tells the lane the share of packets, 0…1, that are lost on the way to
// the other end: from RepeatAbove on, new segments are repeated once, and from
// RepeatAllAbove on each repeat as well.
func (l *Lane) SetLoss(share float64) {
	l.again.on, l.again.all = share >= RepeatAbove, share >= RepeatAllAbove
}

// Queue puts a message at the end of the lane. b is copied. ErrTooLong above
// transport.MaxMessage, ErrBacklog when the queue is full: neither queues.
func (l *Lane) Queue(b []byte) error {
	if len(b) > transport.MaxMessage {
		return fmt.Errorf("%w: %d bytes, at most %d; send it in parts", transport.ErrTooLong, len(b), transport.MaxMessage)
	}
	var length [binary.MaxVarintLen32]byte
	n := binary.PutUvarint(length[:], uint64(len(b)))
	if l.queue.len()+n+len(b) > transport.MaxQueued || len(l.ends) >= transport.MaxQueuedMessages {
		return fmt.Errorf("%w: %d messages, %d bytes wait; send less, or again when Stats.ReliableQueued has fallen", transport.ErrBacklog, len(l.ends), l.queue.len())
	}
	l.queue.add(length[:n])
	l.queue.add(b)
	l.queued += n + len(b)
	l.ends = append(l.ends, l.queued)
	l.busy = true
	return nil
}

// Update gives the machine what it may send now and lets it say what is due.
// Call it before each packet: an idle lane returns at once.
func (l *Lane) Update(now time.Duration) {
	if !l.busy {
		return
	}
	l.now = now
	for l.queue.len() > 0 && l.feeds() {
		chunk := l.queue.peek(MaxChunk)
		l.m.Send(chunk)
		l.note(len(chunk))
		l.fed += len(chunk)
		l.queue.drop(len(chunk))
		l.awake = now + linger
	}
	sent := 0
	for sent < len(l.ends) && l.ends[sent] <= l.fed {
		sent++
	}
	if sent > 0 {
		l.ends = l.ends[:copy(l.ends, l.ends[sent:])]
	}
	if l.m.Waiting() > 0 {
		l.awake = now + linger
	}
	if now < l.awake || l.owes {
		l.m.Update(now)
		l.owes = now < l.awake
	}
	for b := l.again.due(now); b != nil; b = l.again.due(now) {
		if l.pending.len()+len(b) <= MaxPending {
			l.pending.add(b)
		}
	}
	l.busy = l.m.Waiting() > 0 || len(l.again.waits) > 0 || l.owes // while something is queued the machine is full
}

// feeds is whether the machine may have one more chunk. Behind one that it had to
// repeat it may have more than otherwise, as long as they are short.
func (l *Lane) feeds() bool {
	n := l.m.Waiting()
	oldest := l.given - uint32(n)
	if n < MaxWaiting || n >= MaxBehind || after(l.again.behind, oldest) <= 0 {
		return n < MaxWaiting
	}
	bytes := min(l.queue.len(), MaxChunk)
	for _, size := range l.sizes[len(l.sizes)-n:] {
		bytes += int(size)
	}
	return bytes <= MaxWaiting*MaxChunk
}

// note keeps the size of a chunk that the machine was given, and forgets those of
// what is acknowledged.
func (l *Lane) note(size int) {
	l.given++
	if len(l.sizes) == MaxBehind {
		l.sizes = l.sizes[:copy(l.sizes, l.sizes[MaxBehind+1-l.m.Waiting():])]
	}
	l.sizes = append(l.sizes, uint16(size))
}

// Pending is the bytes of segments that await a packet.
func (l *Lane) Pending() int { return l.pending.len() }

// Fit is the bytes of pending segments that the next Take moves into room.
func (l *Lane) Fit(room int) int {
	b, n := l.pending.bytes(), 0
	for n < len(b) && n+size(b[n:]) <= room {
		n += size(b[n:])
	}
	return n
}

// Take appends pending segments to dst, whole ones and as many as fit in room
// bytes, and forgets them.
func (l *Lane) Take(dst []byte, room int) []byte {
	n := l.Fit(room)
	dst = append(dst, l.pending.peek(n)...)
	l.pending.drop(n)
	l.out += uint64(n)
	return dst
}

// Input takes the segments of one packet from the network; an error means that
// none of them was taken.
func (l *Lane) Input(now time.Duration, segments []byte) error {
	if err := Check(segments); err != nil || len(segments) == 0 {
		return err
	}
	l.now, l.awake = now, now+linger
	l.busy, l.heard, l.owes = true, true, true
	l.m.Input(now, segments)
	return nil
}

// Receive returns the next message that is complete; b is nil when there is
// none, and valid until the next call. An error means that the other end
// breaks the framing: the lane cannot go on.
func (l *Lane) Receive() (b []byte, err error) {
	for l.heard {
		length, n := binary.Uvarint(l.in.peek(binary.MaxVarintLen32))
		switch {
		case length > transport.MaxMessage:
			return nil, fmt.Errorf("%w: the peer announces one of more than %d bytes", transport.ErrTooLong, transport.MaxMessage)
		case n == 0 && l.in.len() >= binary.MaxVarintLen32:
			return nil, fmt.Errorf("%w: the peer announces one of no length", transport.ErrTooLong)
		case n > 0 && l.in.len() >= n+int(length):
			whole := l.in.peek(n + int(length))
			l.in.drop(len(whole))
			return whole[n:], nil
		}
		if l.scratch == nil {
			l.scratch = make([]byte, MaxChunk)
		}
		if got := l.m.Recv(l.scratch); got < 0 {
			l.heard = false
		} else {
			l.in.add(l.scratch[:got])
		}
	}
	return nil, nil
}

// Queued is how many messages wait that the machine was not given whole.
func (l *Lane) Queued() int { return len(l.ends) }

// Held is the bytes that are to leave yet, whatever the other end says: what was
// queued and never said, segments that await a packet, and copies of segments.
func (l *Lane) Held() int { return l.queued - l.again.said + l.pending.len() + l.again.copies.len() }

// Waiting is how many segments are on their way and not acknowledged.
func (l *Lane) Waiting() int { return l.m.Waiting() }

// Out is the bytes of segments taken since the lane began: headers, repeats
// and acknowledgements included.
func (l *Lane) Out() uint64 { return l.out }
