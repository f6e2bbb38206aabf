package endpoint

import (
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// An inbox holds the opened payloads of packets from their arrival, on the reader's
// goroutine, until the game's next Poll. One slab is filled while the other is read, so a
// packet needs no allocation.
type inbox struct {
	share   int // bytes that one connection may fill
	mu      sync.Mutex
	fill    slab
	spare   slab
	takes   uint64 // calls of take
	dropped uint64
}

type slab struct {
	records []record
	bytes   []byte
}

type record struct {
	at   time.Duration
	c    *Conn
	seq  uint64
	kind wire.Kind
	end  int // where its bytes end in the slab; they begin at the end of the record before
}

// recordSize is the bytes that a packet takes besides its own.
const recordSize = 48

// waits counts what one connection has in the inbox. The inbox's lock guards it.
type waits struct {
	bytes int
	takes uint64 // inbox.takes when bytes was counted: another value means that bytes is stale
}

// roomy is the size above which a slab that a flood has grown goes back to the heap,
// once less than an eighth of it is used.
const roomy = 256 << 10

// put keeps the payload of a packet. It drops it, and returns false, when there is no room, or
// its connection has so many bytes as its share is.
func (x *inbox) put(at time.Duration, c *Conn, share int, k wire.Kind, seq uint64, payload []byte) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, size := &x.fill, len(payload)+recordSize
	if c.waits.takes != x.takes {
		c.waits = waits{takes: x.takes}
	}
	if len(s.bytes)+len(s.records)*recordSize+size > transport.MaxInbox || c.waits.bytes+size > share {
		x.dropped++
		return false
	}
	c.waits.bytes += size
	s.bytes = append(s.bytes, payload...)
	s.records = append(s.records, record{at, c, seq, k, len(s.bytes)})
	return true
}

// take returns the packets that have arrived. Call give with the slab after reading it.
func (x *inbox) take() slab {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.takes++
	full := x.fill
	x.fill, x.spare = x.spare, slab{}
	return full
}

func (x *inbox) give(s slab) {
	clear(s.records) // they hold connections
	if cap(s.bytes) > roomy && len(s.bytes) < cap(s.bytes)/8 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spare = slab{records: s.records[:0], bytes: s.bytes[:0]}
}
