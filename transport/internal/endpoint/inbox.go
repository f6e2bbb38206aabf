package endpoint

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// An inbox holds packets between the reader, which may be another goroutine,
// and the game's next Poll. Two slabs take turns: one is filled while the
// other is read, so nothing is allocated a packet.
type inbox struct {
	share   int // of one connection, in bytes
	mu      sync.Mutex
	fill    slab
	spare   slab
	takes   uint64
	dropped uint64
}

type slab struct {
	records []record
	bytes   []byte
	hellos  int
}

type record struct {
	at   time.Duration
	from netip.AddrPort
	end  int // of its bytes; they begin where the one before ends
}

// recordSize is what a packet takes beside its bytes.
const recordSize = 48

// A waits is what one connection has in the inbox. The inbox's lock guards it.
type waits struct {
	bytes int
	takes uint64 // the inbox's when bytes was counted
}

// A slab that a flood has grown beyond roomy goes back to the heap once it is
// used for less than an eighth.
const roomy = 256 << 10

// put keeps a packet of a connection, or a HELLO, whose connection is nil.
func (x *inbox) put(at time.Duration, from netip.AddrPort, b []byte, c *Conn) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, size := &x.fill, len(b)+recordSize
	if len(s.bytes)+len(s.records)*recordSize+size > transport.MaxInbox || !x.may(c, size, s.hellos) {
		x.dropped++
		return
	}
	if c == nil {
		s.hellos++
	} else {
		c.waits.bytes += size
	}
	s.bytes = append(s.bytes, b...)
	s.records = append(s.records, record{at, from, len(s.bytes)})
}

// may is whether a connection, or one more HELLO, has room of its own left.
func (x *inbox) may(c *Conn, size, hellos int) bool {
	if c == nil {
		return hellos < transport.MaxHelloInbox
	}
	if c.waits.takes != x.takes {
		c.waits = waits{takes: x.takes}
	}
	return c.waits.bytes+size <= x.share
}

// take returns what has come; give it back when it is read.
func (x *inbox) take() slab {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.takes++
	full := x.fill
	x.fill, x.spare = x.spare, slab{}
	return full
}

func (x *inbox) give(s slab) {
	if cap(s.bytes) > roomy && len(s.bytes) < cap(s.bytes)/8 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spare = slab{records: s.records[:0], bytes: s.bytes[:0]}
}
