package kcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/token"
)

// thisMachine replaces an empty or unspecified host (0.0.0.0, ::). A listener on all
// addresses answers from a specified one, and a client accepts answers only from
// the address that it dialled.
var thisMachine = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// A dialer is a remote address to join.
type dialer struct {
	addr   string // as given: a join string or an address
	o      options
	lookUp func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu   sync.Mutex
	last []netip.Addr // from the last lookup that found the host
}

var _ transport.Dialer = (*dialer)(nil)

// Dialer returns a Dialer for a server's join string, or for an address such as
// "127.0.0.1:7777" or "example.org:7777". By a join string a client joins the server that
// it names and no other. By an address it joins whoever answers there: nobody else can
// read along, but Stats.Authenticated is false. Without a host, or with an unspecified one,
// such as a listener on all addresses returns from Addr, it joins this machine.
//
// A Dialer may be dialled any number of times; each Dial makes a client with its own
// socket. Dial returns the error for a bad join string or address. The client shows itself
// by a key that is kept in the user's configuration (os.UserConfigDir, tendon/client.key),
// so that after a crash it takes its seat back. While another client of this user is at the
// same server, by whichever of its addresses, it shows itself by a key of its session's, and goes on with it towards that
// server for as long as the session lives: it is another player there. A seat that the server
// keeps belongs to the first of the user's clients that comes for it. WithKey and WithKeyFile
// give another key.
func Dialer(join string, opts ...Option) transport.Dialer {
	return &dialer{addr: join, o: collect(opts), lookUp: net.DefaultResolver.LookupNetIP}
}

// Dial implements transport.Dialer. It does not wait, not even for the lookup of a host name,
// which takes a part of the five seconds for which the client asks. If the lookup fails, or takes
// longer than two seconds, the address of the last one that succeeded is used, so a client whose
// network is down can retry until it is back; without one it is tried again, and the Handler gets
// Closed with ErrNoAnswer in the end.
func (d *dialer) Dial(o transport.Offer) (transport.Link, error) {
	j, err := where(d.addr)
	if err == nil {
		err = j.isFor(o)
	}
	if err != nil {
		return nil, err
	}
	client, err := d.client(j)
	if err != nil {
		return nil, err
	}
	remotes, host, port, err := fixed(j.Address)
	if err != nil {
		return nil, err
	}
	network, local := "udp", "" // of a name that is not looked up yet
	if len(remotes) > 0 {
		network = family(remotes)
	}
	// The socket is not connected, so it keeps working when the machine moves to
	// another network, and the system does not decide which errors end it.
	socket, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, fmt.Errorf("kcp: no socket to join %s with: %w", d.addr, err)
	}
	who, err := d.identity(o)
	if err != nil {
		socket.Close()
		return nil, err
	}
	client.Master, client.Own = who.master, who.own
	if len(remotes) > 0 {
		local = localAddress(socket, network, remotes[0])
	}
	l, err := open(socket, local, d.o, func(c endpoint.Config) (bool, *endpoint.Endpoint, error) {
		c.Client = client
		e, err := endpoint.Dial(c, o, remotes...)
		return false, e, err
	})
	if err != nil {
		who.over()
		return nil, err
	}
	l.over = who.over
	if len(remotes) == 0 {
		l.all.Go(func() { d.find(l, host, port) })
	}
	return l, nil
}

// find looks a host up until its address is found, or the client asks no more.
func (d *dialer) find(l *link, host string, port uint16) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-l.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		remotes, err := d.resolve(ctx, host, port)
		if err == nil {
			l.e.Found(localAddress(l.socket, "udp", remotes[0]), remotes...)
			return
		}
		if !l.e.NotFound(err) {
			return
		}
		select {
		case <-l.done:
			return
		case <-time.After(lookAgain):
		}
	}
}

// where reads a join string, or an address, of which no key is known.
func where(s string) (j JoinString, err error) {
	if s = strings.TrimSpace(s); isJoinString(s) { // it was pasted
		return ParseJoinString(s)
	}
	return JoinString{Address: s}, nil
}

// client is what a client shows and expects of its server.
func (d *dialer) client(j JoinString) (c endpoint.Client, err error) {
	if j.Key != ([32]byte{}) {
		key := seal.Key(j.Key)
		c.Pinned = &key
	}
	if err := d.o.checkSecret(); err != nil {
		return c, err
	}
	secret := j.Secret
	if d.o.secret != "" {
		secret = []byte(d.o.secret)
	}
	c.Secret = seal.SecretKey(secret)
	if d.o.token != "" {
		c.Token, err = token.Bytes(d.o.token)
	}
	return c, err
}

// family is the kind of socket for some addresses: one of both families, if they are.
func family(remotes []netip.AddrPort) string {
	four, six := false, false
	for _, a := range remotes {
		four, six = four || a.Addr().Is4(), six || a.Addr().Is6()
	}
	switch {
	case !six:
		return "udp4"
	case !four:
		return "udp6"
	}
	return "udp"
}

// fixed is the address to ask, if addr has one; else its host's name is to be looked up.
func fixed(addr string) (remotes []netip.AddrPort, host string, port uint16, err error) {
	host, port, err = target(addr)
	if err != nil {
		return nil, "", 0, err
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.IsUnspecified() {
			ip = thisMachine
		}
		if ip, err = namedZone(ip.Unmap()); err != nil {
			return nil, "", 0, err
		}
		remotes = []netip.AddrPort{netip.AddrPortFrom(ip, port)}
	}
	return remotes, host, port, nil
}

// resolve returns the addresses of a host to ask. If its name cannot be looked up, they are those
// of the last lookup that succeeded.
func (d *dialer) resolve(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, longestLookup)
	defer cancel()
	ips, err := d.lookUp(ctx, "ip", host)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && len(ips) > 0 {
		d.last = choose(ips)
	}
	switch {
	case len(d.last) > 0:
		var all []netip.AddrPort
		for _, ip := range d.last {
			all = append(all, netip.AddrPortFrom(ip, port))
		}
		return all, nil
	case err == nil:
		err = errors.New("it has no address")
	}
	return nil, fmt.Errorf("kcp: the host %q is not found: %w", host, err)
}

// choose returns the addresses of a name to ask: all of them are asked at once, and the
// first to answer is taken, so they are few. Those of both families are among them if there
// are any, IPv4 first.
func choose(ips []netip.Addr) []netip.Addr {
	var four, six, all []netip.Addr
	for _, ip := range ips {
		if ip = ip.Unmap(); ip.Is4() {
			four = append(four, ip)
		} else {
			six = append(six, ip)
		}
	}
	for len(all) < mostAddresses && len(four)+len(six) > 0 {
		if len(four) > 0 {
			all, four = append(all, four[0]), four[1:]
		}
		if len(six) > 0 && len(all) < mostAddresses {
			all, six = append(all, six[0]), six[1:]
		}
	}
	return all
}

// namedZone replaces the number of an interface, as in fe80::1%2, by the name with which
// packets from there arrive: a client accepts answers only from the address it dialled. It
// returns an error for an interface that is not there, and where one is needed but not
// named: no packet would go out, and all that a player would hear is that nobody answers.
func namedZone(ip netip.Addr) (netip.Addr, error) {
	if ip.Zone() == "" {
		if ip.Is6() && ip.IsLinkLocalUnicast() {
			return ip, fmt.Errorf("kcp: %v is an address on each interface; write which one behind it, as in %v%%eth0", ip, ip)
		}
		return ip, nil
	}
	i, err := net.InterfaceByName(ip.Zone())
	if n, isNumber := strconv.Atoi(ip.Zone()); err != nil && isNumber == nil {
		i, err = net.InterfaceByIndex(n)
	}
	if err != nil {
		return ip, fmt.Errorf("kcp: no interface %s on this machine, which %v names: %w", ip.Zone(), ip, err)
	}
	return ip.WithZone(i.Name), nil
}

// target splits an address to join into host and port. It looks nothing up.
func target(addr string) (host string, port uint16, err error) {
	if err := checkAddress(addr); err != nil {
		return "", 0, err
	}
	host, name, _ := net.SplitHostPort(addr)
	n, err := strconv.ParseUint(name, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("kcp: %q names no port to join; write one from 1 to 65535, as in 127.0.0.1:7777", addr)
	}
	if err := noUDP(); err != nil {
		return "", 0, err
	}
	if host == "" {
		host = thisMachine.String()
	}
	if !isHost(host) {
		return "", 0, fmt.Errorf("kcp: %q names no host; write an address or a name, as in 192.0.2.1:7777 or example.org:7777", addr)
	}
	return host, uint16(n), nil
}

// noUDP returns an error where programs have no UDP. There Go simulates sockets that reach
// only the program itself: a host would wait for clients who can never come.
func noUDP() error {
	if runtime.GOARCH == "wasm" {
		return errors.New("kcp: a program in a browser has no UDP, so it can neither host nor join over KCP; play alone there, or give the session a transport of your own")
	}
	return nil
}

// checkAddress returns an error unless addr has the form host:port. It looks
// nothing up.
func checkAddress(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("kcp: %q is no address; write host:port, as in 127.0.0.1:7777", addr)
	}
	return nil
}

// localAddress is the local address that the system uses towards remote, with the
// socket's port; an unconnected socket knows only its port. It sends no packet.
func localAddress(socket *net.UDPConn, network string, remote netip.AddrPort) string {
	local := socket.LocalAddr().(*net.UDPAddr).AddrPort()
	if probe, err := net.DialUDP(network, nil, net.UDPAddrFromAddrPort(remote)); err == nil {
		local = netip.AddrPortFrom(probe.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), local.Port())
		probe.Close()
	}
	return local.String()
}
