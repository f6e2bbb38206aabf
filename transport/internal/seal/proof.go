package seal

// Proofs that a listener can check without having kept anything: cookies, which prove a
// client's address, and reset tokens, which prove to a client that its listener has lost
// the connection.

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"net/netip"
	"sync"
	"time"
)

const (
	CookieSize = 4 + 16
	ResetSize  = 12
	// CookieLife is how long a cookie is good: some repeats of a client's INIT on a bad
	// line. The client asks for a fresh one long before.
	CookieLife = 10 * time.Second
)

// A Prover makes and checks proofs. Any goroutine may call it.
type Prover struct {
	mu  sync.Mutex
	mac hash.Hash
	in  [64]byte
	sum [sha256.Size]byte
}

// NewProver makes a prover with a key that nobody else has.
func NewProver(k Key) *Prover { return &Prover{mac: hmac.New(sha256.New, k[:])} }

// prove returns the MAC of an address and two numbers.
func (p *Prover) prove(addr netip.AddrPort, a uint32, b uint64) [16]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	ip := addr.Addr().As16()
	in := append(p.in[:0], ip[:]...)
	in = binary.LittleEndian.AppendUint16(in, addr.Port())
	in = binary.LittleEndian.AppendUint32(in, a)
	in = binary.LittleEndian.AppendUint64(in, b)
	p.mac.Reset()
	p.mac.Write(in)
	return [16]byte(p.mac.Sum(p.sum[:0]))
}

// Cookie is the proof that the sender of an attempt gets packets at its address. now is
// the time since the prover's listener began.
func (p *Prover) Cookie(now time.Duration, addr netip.AddrPort, attempt uint64) (c [CookieSize]byte) {
	at := uint32(now / time.Second)
	binary.LittleEndian.PutUint32(c[:], at)
	m := p.prove(addr, at, attempt)
	copy(c[4:], m[:])
	return c
}

// CookieHolds checks a cookie.
func (p *Prover) CookieHolds(c [CookieSize]byte, now time.Duration, addr netip.AddrPort, attempt uint64) bool {
	at := binary.LittleEndian.Uint32(c[:])
	age := now/time.Second - time.Duration(at)
	if age < 0 || age > CookieLife/time.Second {
		return false
	}
	m := p.prove(addr, at, attempt)
	return subtle.ConstantTimeCompare(m[:], c[4:]) == 1
}

// Reset is the token by which a client believes that the listener on this port does not know
// its connection any more, wherever the client is by now. Ids are used again, so a connection
// has a number at random besides: nobody gets the token of one that there is.
func (p *Prover) Reset(port, id uint16, number uint64) [ResetSize]byte {
	m := p.prove(netip.AddrPortFrom(netip.IPv6Unspecified(), port), 1<<31|uint32(id), number)
	return [ResetSize]byte(m[:])
}
