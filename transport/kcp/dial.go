package kcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// lookup is how long a host's name may take to be found.
const lookup = 2 * time.Second

// thisMachine is joined where no host is named, or the address of a listener on
// all of its own: its answers come from another.
var thisMachine = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// dialer is a remote address.
type dialer struct {
	addr   string
	o      options
	lookUp func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu   sync.Mutex
	last netip.Addr // of the host's name
}

var _ transport.Dialer = (*dialer)(nil)

// Dialer is an address to join, such as "127.0.0.1:7777" or
// "example.org:7777"; without a host, or with one that means all addresses, as
// Addr of a listener on them says, it is this machine's. It may be dialled any
// number of times; each is a client with a socket of its own. What is wrong with
// the address Dial says.
func Dialer(addr string, opts ...Option) transport.Dialer {
	return &dialer{addr: addr, o: collect(opts), lookUp: net.DefaultResolver.LookupNetIP}
}

// Dial implements transport.Dialer. Only a host's name is waited for, while it
// is looked up, at most two seconds. A name that was found before and is not any
// more, as while the network is away, is where it was: so a client that has lost
// its session can try until its network is back.
func (d *dialer) Dial(o transport.Offer) (transport.Link, error) {
	remote, err := d.resolve()
	if err != nil {
		return nil, err
	}
	network := "udp6"
	if remote.Addr().Is4() {
		network = "udp4"
	}
	// The socket is not connected: then it goes on where the machine moves to
	// another network, and the system does not choose which errors end it.
	socket, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, fmt.Errorf("kcp: no socket to join %s with: %w", d.addr, err)
	}
	return open(socket, localAddress(socket, network, remote), d.o, func(c endpoint.Config) (*endpoint.Endpoint, error) {
		return endpoint.Dial(c, o, remote)
	})
}

func (d *dialer) resolve() (netip.AddrPort, error) {
	host, port, err := target(d.addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.IsUnspecified() {
			ip = thisMachine
		}
		return netip.AddrPortFrom(ip.Unmap(), port), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookup)
	defer cancel()
	ips, err := d.lookUp(ctx, "ip", host)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && len(ips) > 0 {
		d.last = ips[0].Unmap()
		for _, ip := range ips {
			if ip.Unmap().Is4() { // "localhost" is both; most servers listen on 127.0.0.1
				d.last = ip.Unmap()
				break
			}
		}
	}
	switch {
	case d.last.IsValid():
		return netip.AddrPortFrom(d.last, port), nil
	case err == nil:
		err = errors.New("it has no address")
	}
	return netip.AddrPort{}, fmt.Errorf("kcp: the host %q is not found: %w", host, err)
}

// target takes an address to join apart, before anything is looked up.
func target(addr string) (host string, port uint16, err error) {
	if err := checkAddress(addr); err != nil {
		return "", 0, err
	}
	host, name, _ := net.SplitHostPort(addr)
	n, err := strconv.ParseUint(name, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("kcp: %q names no port to join; write one from 1 to 65535, as in 127.0.0.1:7777", addr)
	}
	if host == "" {
		host = thisMachine.String()
	}
	return host, uint16(n), nil
}

// checkAddress refuses what is no host:port, before anything is looked up.
func checkAddress(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("kcp: %q is no address; write host:port, as in 127.0.0.1:7777", addr)
	}
	return nil
}

// localAddress is what the remote will see, as far as this machine knows: an
// unconnected socket knows its port alone. No packet is sent to find it.
func localAddress(socket *net.UDPConn, network string, remote netip.AddrPort) string {
	local := socket.LocalAddr().(*net.UDPAddr).AddrPort()
	if probe, err := net.DialUDP(network, nil, net.UDPAddrFromAddrPort(remote)); err == nil {
		local = netip.AddrPortFrom(probe.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), local.Port())
		probe.Close()
	}
	return local.String()
}
