package kcp

// What a listener sends. A write to the socket takes some microseconds of the system's, of
// which a step that speaks to a hundred peers would spend a fifth. So the packets of a step are
// collected, and a goroutine writes them, many at once where the system can (writer_*.go).

import (
	"sync"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// An outbox holds packets until they are written to a socket. put and flush may be called from
// any goroutine.
type outbox struct {
	write func(b *batch) (lost int) // writes all packets; lost are those that the socket did not take
	lose  func(n int)               // counts packets that are lost

	mu      sync.Mutex
	filling *batch // what put adds to; the writer has another
	closed  bool
	writing bool       // the writer has packets that are not written yet
	written *sync.Cond // of mu: the writer has written what there was

	wake chan struct{}
	over chan struct{} // closed when the writer has ended
}

// A batch is packets that leave together.
type batch struct {
	bytes   []byte
	packets []outgoing
}

// An outgoing is one packet of a batch.
type outgoing struct {
	path     endpoint.Path
	from, to int // in the batch's bytes
}

func (b *batch) packet(i int) []byte { return b.bytes[b.packets[i].from:b.packets[i].to] }

// empty makes a batch empty again, and gives back the room that an unusual one has left: what is
// used in each step is kept, so that a step allocates nothing.
func (b *batch) empty() {
	if cap(b.bytes) > batchKept && len(b.bytes) < cap(b.bytes)/8 {
		*b = batch{}
	}
	b.bytes, b.packets = b.bytes[:0], b.packets[:0]
}

func newOutbox(write func(*batch) int, lose func(int)) *outbox {
	o := &outbox{write: write, lose: lose, filling: &batch{}, wake: make(chan struct{}, 1), over: make(chan struct{})}
	o.written = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// put adds a packet, which is copied. It leaves at the next flush, or once a batch of them
// waits. What is more than outboxMost is lost.
func (o *outbox) put(path endpoint.Path, packet []byte) {
	o.mu.Lock()
	b := o.filling
	if o.closed || len(b.bytes)+len(packet) > outboxMost {
		o.mu.Unlock()
		o.lose(1)
		return
	}
	from := len(b.bytes)
	b.bytes = append(b.bytes, packet...)
	b.packets = append(b.packets, outgoing{path, from, len(b.bytes)})
	full := len(b.packets)%writeBatch == 0
	o.mu.Unlock()
	if full {
		o.rouse()
	}
}

// flush has what waits written now.
func (o *outbox) flush() {
	o.mu.Lock()
	some := len(o.filling.packets) > 0
	o.mu.Unlock()
	if some {
		o.rouse()
	}
}

func (o *outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default: // it will look once more anyway
	}
}

// drain returns once what was put has been written. It waits no longer than writing takes, which
// does not wait for room for long.
func (o *outbox) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && (o.writing || len(o.filling.packets) > 0) {
		o.rouse()
		o.written.Wait()
	}
}

// close writes what waits, and ends the writer. A packet that is put later is lost.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.rouse()
	<-o.over
}

// run is the writer.
func (o *outbox) run() {
	defer close(o.over)
	spare := &batch{}
	for closed := false; !closed; {
		<-o.wake
		for {
			o.mu.Lock()
			closed, o.writing = o.closed, len(o.filling.packets) > 0
			if !o.writing {
				o.written.Broadcast()
				o.mu.Unlock()
				break
			}
			full := o.filling
			o.filling, spare = spare, full
			o.mu.Unlock()
			if lost := o.write(full); lost > 0 {
				o.lose(lost)
			}
			full.empty()
		}
	}
}
