package endpoint

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// An inbox holds packets between the reader, which may be another goroutine,
// and the game's next Poll. Two slabs take turns: one is filled while the
// other is read, so nothing is allocated a packet.
type inbox struct {
	mu      sync.Mutex
	fill    slab
	spare   slab
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

// A slab that a flood has grown beyond roomy goes back to the heap once it is
// used for less than an eighth.
const roomy = 256 << 10

func (x *inbox) put(at time.Duration, from netip.AddrPort, b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &x.fill
	hello := b[0] == byte(wire.Hello)
	if len(s.bytes)+len(b) > transport.MaxInbox || hello && s.hellos >= transport.MaxHelloInbox {
		x.dropped++
		return
	}
	if hello {
		s.hellos++
	}
	s.bytes = append(s.bytes, b...)
	s.records = append(s.records, record{at, from, len(s.bytes)})
}

// take returns what has come; give it back when it is read.
func (x *inbox) take() slab {
	x.mu.Lock()
	defer x.mu.Unlock()
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
