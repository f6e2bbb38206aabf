package kcp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Simulation holds simulated network conditions, which may change while sessions
// run. They apply to each direction separately: a Delay of 40 ms makes a round trip
// of 80 ms.
type Simulation struct {
	mu         sync.Mutex
	conditions netsim.Conditions
	seed       uint64
	airs       []*air
}

// NewSimulation makes a simulation. It panics if the conditions are out of range;
// check those that a user gives with netsim.Conditions.Check.
func NewSimulation(seed uint64, c netsim.Conditions) *Simulation {
	s := &Simulation{seed: seed}
	s.SetConditions(c)
	return s
}

// SetConditions changes the conditions, from any goroutine. Like NewSimulation, it
// panics if they are out of range.
func (s *Simulation) SetConditions(c netsim.Conditions) {
	if err := c.Check(); err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conditions = c
	for _, a := range s.airs {
		a.set(c)
	}
}

// Conditions returns the conditions in force.
func (s *Simulation) Conditions() netsim.Conditions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conditions
}

func (s *Simulation) attach(l *link) *air {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed++
	a := &air{s: s, l: l, paths: netsim.NewPair(s.seed, netsim.Conditions{}), wake: make(chan struct{}, 1), zones: []string{""}}
	a.set(s.conditions)
	s.airs = append(s.airs, a)
	return a
}

func (s *Simulation) detach(a *air) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.airs, a); i >= 0 {
		s.airs = slices.Delete(s.airs, i, i+1)
	}
}

// addressSize is the length of what each simulated packet carries before its bytes: the
// other end's address, its port, and the number of its IPv6 zone, then this end's address.
const addressSize = 16 + 2 + 2 + 16

// An air is the simulated network of one link, in real time. Its Up path leads to
// the socket, its Down path from it.
type air struct {
	s    *Simulation
	l    *link
	wake chan struct{} // a packet was put on a path: run must look at the times again

	mu     sync.Mutex
	paths  netsim.Pair
	buf    []byte
	zones  []string // of the addresses so far, by number: the machine's interfaces, and "" first
	closed bool
}

func (a *air) set(c netsim.Conditions) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.MaxSize > 0 {
		c.MaxSize += addressSize
	}
	a.paths.SetConditions(c)
}

// send takes a packet from the endpoint.
func (a *air) send(to endpoint.Path, b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		a.l.write(to, b)
		return
	}
	a.put(a.paths.Up, a.l.Now(), to, b)
}

// receive takes a packet from the socket.
func (a *air) receive(at time.Duration, from endpoint.Path, b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.put(a.paths.Down, at, from, b)
	}
}

func (a *air) put(p *netsim.Path, now time.Duration, at endpoint.Path, b []byte) {
	addr := at.Remote
	ip := addr.Addr().As16()
	a.buf = append(a.buf[:0], ip[:]...)
	a.buf = binary.LittleEndian.AppendUint16(a.buf, addr.Port())
	a.buf = binary.LittleEndian.AppendUint16(a.buf, a.zone(addr.Addr().Zone()))
	var local [16]byte // zero: the transport does not know it
	if at.Local.IsValid() {
		local = at.Local.As16()
	}
	a.buf = append(append(a.buf, local[:]...), b...)
	p.Send(now, a.buf)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// run delivers what is due until the link is closed.
func (a *air) run() {
	for {
		var due <-chan time.Time
		if wait, ok := a.deliver(a.l.Now()); ok {
			due = time.After(wait)
		}
		a.l.flush()
		select {
		case <-a.l.done:
			return
		case <-a.wake:
		case <-due:
		}
	}
}

// deliver delivers the packets that are due by now, and returns how long to wait
// for the next one; false when no packet is under way.
func (a *air) deliver(now time.Duration) (wait time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush(now)
	for b, at, ok := a.paths.Down.Receive(now); ok; b, at, ok = a.paths.Down.Receive(now) {
		addr, body := a.split(b)
		a.mu.Unlock() // the endpoint may answer at once
		a.l.e.Arrive(at, addr, body)
		a.mu.Lock()
	}
	next, ok := a.paths.Up.Next()
	if down, too := a.paths.Down.Next(); too && (!ok || down < next) {
		next, ok = down, true
	}
	return max(0, next-a.l.Now()), ok
}

func (a *air) flush(now time.Duration) {
	for b, _, ok := a.paths.Up.Receive(now); ok; b, _, ok = a.paths.Up.Receive(now) {
		addr, body := a.split(b)
		a.l.write(addr, body)
	}
}

// zone returns the number of a zone, a new one for one that has not been seen.
func (a *air) zone(name string) uint16 {
	i := slices.Index(a.zones, name)
	if i < 0 {
		i, a.zones = len(a.zones), append(a.zones, name)
	}
	return uint16(i)
}

func (a *air) split(b []byte) (endpoint.Path, []byte) {
	ip, _ := netip.AddrFromSlice(b[:16])
	zone := a.zones[binary.LittleEndian.Uint16(b[18:])]
	at := endpoint.Path{Remote: netip.AddrPortFrom(ip.Unmap().WithZone(zone), binary.LittleEndian.Uint16(b[16:]))}
	if local, _ := netip.AddrFromSlice(b[20:addressSize]); !local.IsUnspecified() {
		at.Local = local
	}
	return at, b[addressSize:]
}

// close writes every packet still under way to the socket at once: the Close packets
// are among them, and run will not write them any more.
func (a *air) close() {
	a.s.detach(a)
	a.mu.Lock()
	defer a.mu.Unlock()
	const ever = time.Duration(1<<63 - 1)
	a.flush(ever)
	a.closed = true
}
