package endpoint

// Who may take the time of a handshake: no address may take so much that others cannot
// join.

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// A gate counts, for each address, the clients that have not joined yet, and limits how
// fast an address may begin handshakes. An address is one IPv4 address or a network of 64
// bits of IPv6, of which everybody has all. Only clients that have proved their address
// are counted, so nobody is counted in another's name. Its methods may be called from any
// goroutine.
type gate struct {
	limits  transport.Limits
	mu      sync.Mutex
	waiting map[netip.Prefix]int
	seed    maphash.Seed
	buckets [shares][places]bucket // addresses share them by hash, so that they need no cleaning …
	debts   [shares][places]debt   // … and the least of an address's own counts
	lack    shortage
}

// An address shares each of its counts with others, by chance. It takes as many addresses as there
// are places to make it likely that an address finds nowhere a count of its own (count-min: Cormode and
// Muthukrishnan, 2005); of two hundred of them one address in 11,000 does.
const (
	shares    = 4
	placeBits = 11
	places    = 1 << placeBits
)

// at returns where the counts of an address are.
func (g *gate) at(p netip.Prefix) (place [shares]int) {
	h := maphash.Comparable(g.seed, p)
	for i := range place {
		place[i] = int(h >> (i * placeBits) & (places - 1))
	}
	return place
}

// A debt is how many clients of an address were let in of late and have not joined. So who
// comes again and again, from however many addresses, does not take the places of those who
// come once. It grows smaller by one in transport.DebtTime.
type debt struct {
	n  float32
	at uint32 // ms of the endpoint's awake time
}

// A bucket holds the handshakes that an address may begin at once.
type bucket struct {
	used float32
	at   uint32 // ms of the endpoint's awake time
}

// millis is a time in ms, modulo 2³².
func millis(t time.Duration) uint32 { return uint32(t / time.Millisecond) }

// behind is how far another goroutine's clock, or the birth of a client, may lie before a count was
// last looked at: more than a handshake takes. What seems to be older still is from so long ago that
// the ms have begun anew.
const behind = 60_000

// pass brings when a count was last looked at up to now, and returns the ms since then: 0 by an
// older clock.
func pass(at *uint32, now uint32) float32 {
	ms := now - *at
	if -ms <= behind {
		return 0
	}
	*at = now
	return float32(ms)
}

func newGate(l transport.Limits) *gate {
	return &gate{limits: l, waiting: map[netip.Prefix]int{}, seed: maphash.MakeSeed()}
}

func prefixOf(a netip.AddrPort) netip.Prefix {
	ip, bits := a.Addr().Unmap().WithZone(""), 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits)
	return p
}

// enter counts one more client that is about to join, unless its address has too many or
// begins them too fast.
func (g *gate) enter(p netip.Prefix, now time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting[p] >= g.limits.Unjoined {
		return false
	}
	ms, most := millis(now), float32(g.limits.Handshakes)
	place, least := g.at(p), most
	for i := range place {
		b := &g.buckets[i][place[i]]
		b.used = max(0, b.used-pass(&b.at, ms)*most/1000)
		least = min(least, b.used)
	}
	if least+1 > most {
		return false
	}
	for i := range place {
		b := &g.buckets[i][place[i]]
		b.used = min(b.used+1, most)
	}
	g.waiting[p]++
	return true
}

// leave takes back what enter has counted: the client has joined, or never will.
func (g *gate) leave(p netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting[p]--; g.waiting[p] <= 0 {
		delete(g.waiting, p)
	}
}

// owed returns an address's debt at now, after adding to it. g.mu is held.
func (g *gate) owed(p netip.Prefix, now time.Duration, more float32) float32 {
	ms, least := millis(now), float32(transport.MaxDebt)
	place := g.at(p)
	for i := range place {
		d := &g.debts[i][place[i]]
		paid := pass(&d.at, ms) / float32(transport.DebtTime.Milliseconds())
		d.n = min(max(0, d.n-paid)+more, transport.MaxDebt)
		least = min(least, d.n)
	}
	return least
}

// owes adds a client that is let in to its address's debt, and reports whether there was room for it.
func (g *gate) owes(p netip.Prefix, now time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owed(p, now, 0)+1 > transport.MaxDebt {
		return false
	}
	g.owed(p, now, 1)
	return true
}

// joined takes a client from its address's debt, if it is in there: one that was not does not pay for
// others. Somebody has joined: who is let in next has a short moment again.
func (g *gate) joined(p netip.Prefix, now time.Duration, owes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if owes {
		g.owed(p, now, -1)
	}
	g.lack.since = now
}

// debt is an address's debt, and whether it has so many clients on their way in that none
// of them has time of its own.
func (g *gate) debt(p netip.Prefix, now time.Duration) (n float32, crowds bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, g.owed(p, now, 0)), g.waiting[p] > g.limits.Unjoined/2
}

// A shortage is a time in which there were fewer places than clients, and nobody has joined.
type shortage struct {
	since time.Duration
	seen  time.Duration // when there was no place, the last time; zero: never
}

// short notes that there is no place for a client. A shortage goes on over a pause of the time in
// which a client joins: those who had to give way come again.
func (g *gate) short(now, join time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.lack.lasts(now, join) {
		g.lack.since = now
	}
	g.lack.seen = now
}

func (s *shortage) lasts(now, join time.Duration) bool { return s.seen > 0 && now-s.seen <= join }

// moment is how long a client that is let in now keeps its place against others.
func (g *gate) moment(now, join time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.lack.lasts(now, join) {
		return transport.MomentToJoin
	}
	return max(transport.MomentToJoin, min(join, (now-g.lack.since)/transport.ShareOfShortage))
}
