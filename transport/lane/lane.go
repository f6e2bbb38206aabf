package lane

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// A Machine numbers, repeats and acknowledges chunks. Any of its methods except
// Recv and Waiting may emit runs of whole segments, each run at most MTU bytes,
// through the function that the machine was made with.
type Machine interface {
	// Send takes one chunk of 1…MaxChunk bytes. It is copied.
	Send(chunk []byte)
	// Input takes segments that passed Check.
	Input(now time.Duration, segments []byte)
	// Recv copies the next chunk in order into b, which has room for MaxChunk
	// bytes, and returns its length. A negative result means that there is no chunk
	// and that none will come before the next Input.
	Recv(b []byte) int
	// Update emits what is due: acknowledgements, new chunks, repeats.
	Update(now time.Duration)
	// Waiting is how many chunks were sent and are not yet acknowledged. Only Send
	// raises it.
	Waiting() int
	// Bound limits the bytes that it keeps of what was received out of order; 0: no limit but
	// the window. More is dropped as if lost.
	Bound(bytes int)
	// Carries says how many bytes a second the path carried when the connection began.
	Carries(rate int)
	// Most is how many chunks of MaxChunk bytes may be unacknowledged, at most MaxFlight.
	Most(now time.Duration) int
}

// A Lane is one end of the reliable lane. It is not safe for concurrent use.
//
// Lanes are idle most of the time, and a server asks the lanes of all its peers
// several times a tick: the fields that an idle lane needs come first, in one cache
// line.
type Lane struct {
	busy    bool          // Update may have work: data is queued, unacknowledged or to be repeated
	heard   bool          // the machine may have a chunk to receive
	owes    bool          // the machine may have acks to emit: it was not updated since awake
	bound   uint32        // see Bound; here it takes no room
	awake   time.Duration // the machine is updated until then, and once more after it
	pending fifo          // segments that await a packet

	m       Machine
	queue   fifo  // framed messages, not yet given to the machine
	ends    []int // where each of them ends, in bytes since the lane began
	fed     int   // bytes given to the machine since the lane began …
	queued  int   // … and bytes queued; where an int has 32 bits these wrap after 2 GiB
	in      fifo  // the received stream, not yet returned as messages
	out     uint64
	now     time.Duration // of the last Update or Input that did anything
	again   repeats
	sizes   []uint16 // of the newest chunks given to the machine, at least of the unacknowledged
	given   uint32   // chunks given to the machine since the lane began
	last    uint32   // where the message before ends ended, in bytes modulo 2³²
	scratch []byte   // room for a chunk; a slice, so that Lanes stay small in memory
}

// Bound limits the bytes that the lane keeps of the other end's: of messages of which
// something is missing, and of a message that is announced as longer it is an error. 0 means
// the limits that hold for everybody.
func (l *Lane) Bound(bytes int) {
	l.bound = uint32(bytes)
	l.m.Bound(bytes)
}

// Carries says how many bytes a second the path to the other end carried when the connection
// began. From then on no more is under way than a short queue holds besides.
func (l *Lane) Carries(rate int) { l.m.Carries(rate) }

// New makes a lane over the machine that make returns. The machine must emit its
// segments through out.
func New(make func(out func(segments []byte)) Machine) *Lane {
	l := &Lane{}
	l.m = make(l.emit)
	return l
}

// emit keeps the machine's segments until a packet has room for them. It drops them
// when more than MaxPending bytes would wait.
func (l *Lane) emit(segments []byte) {
	if l.pending.len()+len(segments) > MaxPending {
		return
	}
	l.pending.add(segments)
	l.again.keep(l.now, segments, l.given)
}

// SetLoss sets the share of packets, 0…1, that are lost on the way to the other
// end. From RepeatAbove on, the lane repeats once each new segment that has to do with
// a short message or has nothing behind it; from RepeatAllAbove on, it also repeats each
// of the machine's retransmissions once.
func (l *Lane) SetLoss(share float64) {
	l.again.on, l.again.all = share >= RepeatAbove, share >= RepeatAllAbove
}

// RepeatFirst has the lane repeat its first segments, whatever is lost, if they are short: those by
// which a connection begins.
func (l *Lane) RepeatFirst() { l.again.first = true }

// Queue puts a message at the end of the lane. b is copied. On an error nothing is
// queued: ErrTooLong above transport.MaxMessage, ErrBacklog when the queue is full.
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

// Update gives the machine the chunks that it may send now and lets it emit what is
// due. Call it before each packet; an idle lane returns at once.
func (l *Lane) Update(now time.Duration) {
	if !l.busy {
		return
	}
	l.now = now
	for l.queue.len() > 0 && l.feeds() {
		chunk := l.queue.peek(MaxChunk)
		l.m.Send(chunk)
		l.note(len(chunk), l.isWaitedFor(len(chunk)))
		l.fed += len(chunk)
		l.queue.drop(len(chunk))
		l.forget()
		l.awake = now + linger
	}
	if l.m.Waiting() > 0 {
		l.awake = now + linger
	}
	if now < l.awake || l.owes {
		l.m.Update(now)
		l.owes = now < l.awake
	}
	l.copies(now, false)
	l.busy = l.m.Waiting() > 0 || len(l.again.waits) > 0 || l.owes // while data is queued, Waiting is above 0
}

// Along has what is to go along with a datagram that leaves now be pending, too.
func (l *Lane) Along(now time.Duration) {
	if l.busy {
		l.copies(now, true)
	}
}

func (l *Lane) copies(now time.Duration, along bool) {
	for b := l.again.due(now, along); b != nil; b = l.again.due(now, along) {
		if l.pending.len()+len(b) <= MaxPending {
			l.pending.add(b)
		}
	}
}

// feeds reports whether the machine may get one more chunk. Behind a segment that it
// had to repeat, it may get more than MaxWaiting, as long as they are short; of what is long it may
// where the path carries that (flight.go).
func (l *Lane) feeds() bool {
	n := l.m.Waiting()
	if n == 0 {
		return true
	}
	limit, most := MaxWaiting, l.m.Most(l.now)
	if oldest := l.given - uint32(n); after(l.again.behind, oldest) > 0 {
		limit = MaxBehind
	}
	if l.queue.len() >= MaxChunk {
		limit = max(limit, most)
	}
	if n >= limit {
		return false
	}
	bytes := min(l.queue.len(), MaxChunk)
	for _, size := range l.sizes[len(l.sizes)-n:] {
		bytes += int(size)
	}
	return bytes <= most*MaxChunk
}

// isWaitedFor reports whether a copy of the next chunk, of so many bytes, is worth its bytes: if
// it has to do with a message that is no longer than a chunk, or if nothing follows it. In the
// midst of long messages, the chunks that follow say soon enough that one is lost, and more
// data is better use of the line than copies.
func (l *Lane) isWaitedFor(size int) bool {
	if size == l.queue.len() {
		return true
	}
	for begun, i := l.fed-int(uint32(l.fed)-l.last), 0; i < len(l.ends) && begun-l.fed < size; i++ {
		if l.ends[i]-begun <= MaxChunk {
			return true
		}
		begun = l.ends[i]
	}
	return false
}

// forget drops the ends of messages that were given to the machine to their last byte.
func (l *Lane) forget() {
	sent := 0
	for sent < len(l.ends) && l.ends[sent]-l.fed <= 0 {
		sent++
	}
	if sent > 0 {
		l.last = uint32(l.ends[sent-1])
		l.ends = l.ends[:copy(l.ends, l.ends[sent:])]
	}
}

// note records the size of a chunk given to the machine, and whether a copy of it is worth
// its bytes. When the list is full, it forgets the sizes of acknowledged chunks.
func (l *Lane) note(size int, waitedFor bool) {
	l.given++
	l.again.given(waitedFor)
	if len(l.sizes) == MaxFlight {
		l.sizes = l.sizes[:copy(l.sizes, l.sizes[MaxFlight+1-l.m.Waiting():])]
	}
	l.sizes = append(l.sizes, uint16(size))
}

// Pending is the bytes of segments that await a packet.
func (l *Lane) Pending() int { return l.pending.len() }

// Fit is the bytes of pending segments that Take would move into room bytes.
func (l *Lane) Fit(room int) int {
	b, n := l.pending.bytes(), 0
	for n < len(b) && n+size(b[n:]) <= room {
		n += size(b[n:])
	}
	return n
}

// Take moves pending segments to the end of dst: as many whole ones as fit in room
// bytes.
func (l *Lane) Take(dst []byte, room int) []byte {
	n := l.Fit(room)
	dst = append(dst, l.pending.peek(n)...)
	l.pending.drop(n)
	l.out += uint64(n)
	return dst
}

// Input processes the segments of one packet from the network. If one of them fails
// Check, it returns the error and processes none.
func (l *Lane) Input(now time.Duration, segments []byte) error {
	if err := Check(segments); err != nil || len(segments) == 0 {
		return err
	}
	l.now, l.awake = now, now+linger
	l.busy, l.heard, l.owes = true, true, true
	l.m.Input(now, segments)
	return nil
}

// Receive returns the next complete message, or nil if there is none. b is valid
// until the next call. An error means that the other end broke the framing and that
// the lane cannot continue.
func (l *Lane) Receive() (b []byte, err error) {
	for l.heard {
		length, n := binary.Uvarint(l.in.peek(binary.MaxVarintLen32))
		switch {
		case length > transport.MaxMessage, l.bound > 0 && length > uint64(l.bound):
			return nil, fmt.Errorf("%w: the peer announces one of %d bytes", transport.ErrTooLong, length)
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

// Queued is how many messages are not yet wholly given to the machine.
func (l *Lane) Queued() int { return len(l.ends) }

// Unacknowledged is the bytes of messages that are queued, or were given to the machine and are not acknowledged.
func (l *Lane) Unacknowledged() int {
	bytes := l.queue.len()
	for _, size := range l.sizes[len(l.sizes)-min(l.m.Waiting(), len(l.sizes)):] {
		bytes += int(size)
	}
	return bytes
}

// Held is the bytes that will still leave even if nothing more is lost: queued data
// that the machine never emitted, segments that await a packet, and copies of
// segments that wait to be repeated.
func (l *Lane) Held() int { return l.queued - l.again.said + l.pending.len() + l.again.copies.len() }

// Waiting is how many chunks were given to the machine and are not acknowledged.
func (l *Lane) Waiting() int { return l.m.Waiting() }

// Out is the bytes of segments that Take has moved since the lane began, headers,
// repeats and acknowledgements included.
func (l *Lane) Out() uint64 { return l.out }
