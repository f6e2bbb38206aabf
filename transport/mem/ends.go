package mem

import (
	"fmt"
	"net/netip"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Listener is an address on a Network. Nothing answers there before Listen and
// after Close.
type Listener struct {
	n      *Network
	addr   netip.AddrPort
	link   *Link // guarded by n.mu
	closed bool  // by Close; guarded by n.mu
}

var _ transport.Listener = (*Listener)(nil)

// Listener returns a new address to host on.
func (n *Network) Listener() *Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &Listener{n: n, addr: n.address()}
	n.listeners = append(n.listeners, l)
	return l
}

// Addr implements transport.Listener.
func (l *Listener) Addr() string { return l.addr.String() }

// Listen implements transport.Listener.
func (l *Listener) Listen(o transport.Offer) (transport.Link, error) {
	e, err := endpoint.Listen(l.n.config(l.addr, l.send), o)
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	if l.link != nil || l.closed {
		return nil, fmt.Errorf("mem: %s was hosted on before, or is closed; make another Listener", l.addr)
	}
	if err != nil {
		return nil, err
	}
	l.link = &Link{n: l.n, e: e}
	return l.link, nil
}

// Close implements transport.Listener.
func (l *Listener) Close() error {
	l.n.mu.Lock()
	link := l.link
	l.closed = true
	l.n.mu.Unlock()
	if link != nil {
		link.e.Shut("the listener was closed")
		link.free()
	}
	return nil
}

func (l *Listener) send(to endpoint.Path, b []byte) {
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	if w := l.n.byClient[to.Remote]; w != nil {
		w.paths.Down.Send(l.n.Now(), b)
	}
}

// endpoint returns the endpoint that listens here, or nil. n.mu is held.
func (l *Listener) endpoint() *endpoint.Endpoint {
	if l.link == nil || l.link.over() {
		return nil
	}
	return l.link.e
}

// over reports whether nothing will listen here any more. n.mu is held.
func (l *Listener) over() bool {
	if l.link == nil {
		return l.closed
	}
	return l.link.over()
}

// A Dialer connects one client to a Listener and may have its own network
// conditions. Each Dial comes from a new address.
type Dialer struct {
	n        *Network
	to       *Listener
	up, down *netsim.Conditions // nil: the network's
	wire     *wire              // of the last Dial
}

var _ transport.Dialer = (*Dialer)(nil)

// Dialer returns a Dialer to a listener of the same network. It panics for nil and for a
// listener of another network, to which no packet leads.
func (n *Network) Dialer(to *Listener) *Dialer {
	if to == nil || to.n != n {
		panic("mem: Network.Dialer to a listener of another network, or to none: give it what this network's Listener returned")
	}
	return &Dialer{n: n, to: to}
}

// SetConditions changes this client's conditions, at any time, for the last Dial's
// connection and for later ones: up is towards the listener. It panics if they are
// out of range.
func (d *Dialer) SetConditions(up, down netsim.Conditions) {
	must(up)
	must(down)
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	d.up, d.down = &up, &down
	d.apply()
}

func (d *Dialer) apply() {
	if d.wire != nil && d.up != nil {
		d.wire.paths.Up.SetConditions(*d.up)
		d.wire.paths.Down.SetConditions(*d.down)
		d.wire.own = true
	}
}

// Counters returns the counts of the last Dial's two paths.
func (d *Dialer) Counters() (up, down netsim.Counters) {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	if d.wire == nil {
		return
	}
	return d.wire.paths.Up.Counters(), d.wire.paths.Down.Counters()
}

// Dial implements transport.Dialer.
func (d *Dialer) Dial(o transport.Offer) (transport.Link, error) {
	n := d.n
	n.mu.Lock()
	addr := n.address()
	w := &wire{addr: addr, to: d.to, paths: netsim.NewPair(n.seed<<20+uint64(n.addresses), n.conditions)}
	d.wire = w
	d.apply()
	n.mu.Unlock()
	e, err := endpoint.Dial(n.config(addr, func(_ endpoint.Path, b []byte) {
		n.mu.Lock()
		defer n.mu.Unlock()
		w.paths.Up.Send(n.Now(), b)
	}), o, d.to.addr)
	if err != nil {
		return nil, err
	}
	w.client = &Link{n: n, e: e}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wires = append(n.wires, w)
	n.byClient[addr] = w
	return w.client, nil
}
