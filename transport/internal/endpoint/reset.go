package endpoint

// A listener that does not know the connection of a packet says so: it was started anew, or
// has ended the connection and its goodbyes were lost.

import (
	"crypto/subtle"
	"hash/maphash"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// resets limits the RESETs of a listener. Only the reader uses it.
type resets struct {
	seed maphash.Seed
	owed [256]owed // by the hash of who has sent such packets
	used float64   // of transport.ResetRate
	at   time.Duration
}

// An owed is what an address has sent that was not answered.
type owed struct {
	to    uint64
	bytes int
}

type sender struct {
	from netip.AddrPort
	id   uint16
}

// unknown answers packets of no connection, with one byte for transport.ResetShare of theirs,
// and only so often. It never answers an address with a connection, whose packet may just have been spoiled.
func (e *Endpoint) unknown(now time.Duration, from Path, id uint16, size int) {
	r := &e.resets
	if r.seed == (maphash.Seed{}) {
		r.seed = maphash.MakeSeed()
	}
	h := maphash.Comparable(r.seed, sender{from.Remote, id})
	o := &r.owed[h%uint64(len(r.owed))]
	if o.to != h {
		*o = owed{to: h}
	}
	if o.bytes += size; o.bytes < transport.ResetShare*wire.ResetSize {
		return
	}
	r.used = max(0, r.used-(now-r.at).Seconds()*transport.ResetRate)
	r.at = now
	if r.used+1 > transport.ResetRate || e.isOver() {
		return
	}
	for _, c := range e.snapshot() {
		if c.at(from.Remote) {
			return
		}
	}
	r.used++
	o.bytes = 0
	e.cfg.Send(from, wire.ResetMessage{Token: e.tokens.Reset(from.Remote, id)}.Append(nil))
}

// isReset reports whether a RESET is meant for this client's connection.
func (c *Conn) isReset(m wire.ResetMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tx.Ready() {
		return false
	}
	is := 0
	for _, t := range c.resets {
		if t != ([16]byte{}) {
			is |= subtle.ConstantTimeCompare(t[:], m.Token[:])
		}
	}
	return is == 1
}
