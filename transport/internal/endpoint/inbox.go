package endpoint

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// An inbox holds packets from their arrival, on the reader's goroutine, until the
// game's next Poll. One slab is filled while the other is read, so a packet needs no
// allocation.
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
	hellos  int
}

type record struct {
	at   time.Duration
	from netip.AddrPort
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

// put keeps a packet of connection c, or a HELLO, for which c is nil. It drops the
// packet when there is no room.
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

// may reports whether connection c, or for nil one more HELLO, is within its share.
func (x *inbox) may(c *Conn, size, hellos int) bool {
	if c == nil {
		return hellos < transport.MaxHelloInbox
	}
	if c.waits.takes != x.takes {
		c.waits = waits{takes: x.takes}
	}
	return c.waits.bytes+size <= x.share
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
	if cap(s.bytes) > roomy && len(s.bytes) < cap(s.bytes)/8 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spare = slab{records: s.records[:0], bytes: s.bytes[:0]}
}
