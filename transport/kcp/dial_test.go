package kcp

// Addresses and names: where a client dials, and how a listener knows its clients.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
)

// Each address resolves to the expected target or error.
func TestTargets(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1:1":              "192.0.2.1:1",
		"[::ffff:192.0.2.1]:65535": "192.0.2.1:65535",
		"[2001:db8::1]:7777":       "[2001:db8::1]:7777",
		"0.0.0.0:7":                "127.0.0.1:7",
		"[::]:7":                   "127.0.0.1:7",
		":7":                       "127.0.0.1:7",
		"192.0.2.1:0":              "",
		"192.0.2.1:65536":          "",
		"192.0.2.1":                "",
		"192.0.2:7":                "",
		"a b:7":                    "",
		"300.0.2.1:7":              "",
	} {
		got, err := resolved(Dialer(addr), addr)
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("%s is %v, %v, want %q", addr, got, err, want)
		}
	}
}

// The socket is of the address's family, IPv4 or IPv6.
func TestJoinIPv6(t *testing.T) {
	noLeak(t)
	l, err := Listen("[::1]:0", quick)
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	n := loopback(t, false)
	n.Listener.Close()
	n.Listener, n.Dialer = l, func() transport.Dialer { return Dialer(l.Addr(), quick) }
	server, client := linktest.NewRig(t, n).Pair()
	if got, want := server.Conns[0].Stats().Remote, client.Conns[0].Stats().Local; got != want {
		t.Errorf("the listener knows %s as %s", want, got)
	}
}

func TestJoinByName(t *testing.T) {
	r := linktest.NewRig(t, loopback(t, false))
	_, port, _ := net.SplitHostPort(r.Listener.Addr())
	r.Dialer = func() transport.Dialer { return Dialer("localhost:"+port, quick) }
	r.Pair()
}

// resolved are the addresses that a dialer asks.
func resolved(d transport.Dialer, addr string) ([]netip.AddrPort, error) {
	remotes, host, port, err := fixed(addr)
	if err != nil || len(remotes) > 0 {
		return remotes, err
	}
	return d.(*dialer).resolve(context.Background(), host, port)
}

// While a host name cannot be looked up, a client asks at the address found before; if there is
// none, it is told so, by its name, when its time is over.
func TestNameIsRemembered(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	_, port, _ := net.SplitHostPort(r.Listener.Addr())
	d := Dialer("game.invalid:"+port, withTiming(endpoint.Timing{Hello: 20 * time.Millisecond, Connect: 200 * time.Millisecond})).(*dialer)
	r.Dialer = func() transport.Dialer { return d }
	var found []netip.Addr
	gone := errors.New("no network")
	d.lookUp = func(context.Context, string, string) ([]netip.Addr, error) { return found, gone }
	fails := func(says string) {
		t.Helper()
		client := r.Join(linktest.Offer())
		r.Until("it gives up", func() bool { return len(client.Ended) == 1 })
		if err := client.Ended[0]; !errors.Is(err, transport.ErrNoAnswer) || !strings.Contains(err.Error(), "game.invalid") || !strings.Contains(err.Error(), says) {
			t.Errorf("a name that was never found: %v", err)
		}
		r.Hang(client, "")
	}
	fails("no network")
	gone = nil // there is an answer, which names none
	fails("no address")
	found = []netip.Addr{netip.IPv6Loopback(), thisMachine}
	d.o.timing.Connect = 0
	for i := range 2 {
		client := r.Join(linktest.Offer())
		r.Until("a client is in", func() bool { return len(client.Conns) == 1 && len(server.Conns) == i+1 })
		if s := client.Conns[0].Stats(); s.Local == "" || s.Remote != server.Link.(*link).socket.LocalAddr().String() {
			t.Errorf("it is at %q, and joined %q", s.Local, s.Remote)
		}
		r.Hang(client, "")
		found, gone = nil, errors.New("no network")
	}
}

// A name server that is silent keeps neither the game waiting, nor who closes the link meanwhile;
// when it answers, the client asks.
func TestSilentNameServer(t *testing.T) {
	noLeak(t)
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	_, port, _ := net.SplitHostPort(r.Listener.Addr())
	d := Dialer("game.invalid:"+port, quick).(*dialer)
	answer := make(chan []netip.Addr)
	d.lookUp = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
		select {
		case ips := <-answer:
			return ips, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	r.Dialer = func() transport.Dialer { return d }
	r.Hang(r.Join(linktest.Offer()), "") // would not come back before the lookup
	client := r.Join(linktest.Offer())
	for range 10 {
		r.Turn()
	}
	if len(client.Ended)+len(server.Conns) > 0 {
		t.Fatalf("told %v, %d connections", client.Ended, len(server.Conns))
	}
	answer <- []netip.Addr{thisMachine}
	r.Until("it is in", func() bool { return len(client.Conns) == 1 })
}

// Of a name's addresses Dial asks some, of both families if there are any.
func TestNameOfSeveralAddresses(t *testing.T) {
	for _, x := range []struct{ ips, want string }{
		{"2001:db8::1 2001:db8::2", "[2001:db8::1]:7 [2001:db8::2]:7"},
		{"2001:db8::1 192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4", "192.0.2.1:7 [2001:db8::1]:7 192.0.2.2:7 192.0.2.3:7"},
		{"::ffff:192.0.2.1 192.0.2.2", "192.0.2.1:7 192.0.2.2:7"},
	} {
		d := Dialer("game.invalid:7").(*dialer)
		d.lookUp = func(context.Context, string, string) (ips []netip.Addr, err error) {
			for _, ip := range strings.Fields(x.ips) {
				ips = append(ips, netip.MustParseAddr(ip))
			}
			return ips, nil
		}
		if got, err := resolved(d, d.addr); err != nil || fmt.Sprint(got) != "["+x.want+"]" {
			t.Errorf("of %s it is %v, %v, want %s", x.ips, got, err, x.want)
		}
	}
}

// The Addr of a listener on all addresses is unspecified; dialled, it means this
// machine. An IPv4 address may be written as an IPv6 one.
func TestJoinAllAddresses(t *testing.T) {
	r := linktest.NewRig(t, loopback(t, false))
	_, port, _ := net.SplitHostPort(r.Listener.Addr())
	server := r.Host(linktest.Offer())
	for i, host := range []string{"0.0.0.0", "::", "", "::ffff:127.0.0.1", " 127.0.0.1"} {
		r.Dialer = func() transport.Dialer { return Dialer(net.JoinHostPort(host, port), quick) }
		client := r.Join(linktest.Offer())
		r.Until("a client of "+strconv.Quote(host)+" is in", func() bool { return len(client.Conns) == 1 && len(server.Conns) == i+1 })
	}
}

// A listener on all addresses, whose socket may serve IPv4 and IPv6, also knows a client
// by the client's own address.
func TestPeersOfAllAddresses(t *testing.T) {
	n := loopback(t, false)
	n.Listener.Close()
	l, err := Listen(":0", quick)
	if err != nil {
		t.Fatal(err)
	}
	n.Listener, n.Dialer = l, func() transport.Dialer { return Dialer(l.Addr(), quick) }
	server, client := linktest.NewRig(t, n).Pair()
	if got, want := server.Conns[0].Stats().Remote, client.Conns[0].Stats().Local; got != want {
		t.Errorf("the listener knows %s as %s", want, got)
	}
}

// An interface is known by its name, also if the address to join has its number.
func TestJoinZone(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || len(all) == 0 {
		t.Skip("no interface here: ", err)
	}
	for _, zone := range []string{strconv.Itoa(all[0].Index), all[0].Name} {
		got, err := resolved(Dialer(""), "[fe80::1%"+zone+"]:7")
		if want := "[fe80::1%" + all[0].Name + "]:7"; err != nil || fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("zone %s is %v, %v, want %s", zone, got, err, want)
		}
	}
}

// An address to which no packet can go, for want of an interface, is an error at once.
func TestZoneThatIsMissing(t *testing.T) {
	for addr, says := range map[string]string{
		"[fe80::1]:7":          "fe80::1%eth0",
		"[fe80::1%none]:7":     "no interface none",
		"[fe80::1%99999999]:7": "no interface 99999999",
	} {
		if got, err := resolved(Dialer(addr), addr); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is %v, %v, want %q", addr, got, err, says)
		}
	}
}
