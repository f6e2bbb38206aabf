package kcp

// Listeners on all addresses of a machine that has several.

import (
	"bytes"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A listener on all addresses answers from the address that the client has asked, also
// if the system prefers another one of this machine.
func TestAnswersFromTheAddressAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system chooses")
	}
	for _, host := range []string{":0", "0.0.0.0:0"} {
		n := loopback(t, false)
		n.Listener.Close()
		l, err := Listen(host, quick)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr())
		n.Listener, n.Dialer = l, func() transport.Dialer { return Dialer("127.0.0.2:"+port, quick) }
		linktest.NewRig(t, n).Pair()
	}
}

// HELLOs from everywhere do not fill the memory, and take nothing from a connection: not
// its home, nor, sent in its name, give it another.
func TestHomesAreBounded(t *testing.T) {
	client := netip.MustParseAddrPort("10.0.0.1:1")
	e, err := endpoint.Dial(endpoint.Config{
		Transport: "kcp", Now: func() time.Duration { return 0 }, Random: random, Send: func(netip.AddrPort, []byte) {},
	}, linktest.Offer(), client)
	if err != nil {
		t.Fatal(err)
	}
	h := &homes{index: 16, of: map[netip.AddrPort][]byte{}}
	if homeSize(h.index) == 0 {
		t.Skip("the system chooses")
	}
	hello := make([]byte, transport.MaxPacket)
	hello[0] = byte(wire.Hello)
	control := func(n byte) []byte { return bytes.Repeat([]byte{n}, homeSize(h.index)) }
	h.note(client, hello, control(1), e)
	want := h.find(client)
	for i := range 3 * maxHomes {
		h.note(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), uint16(i>>16)), hello, control(2), e)
		if len(h.of) > maxHomes {
			t.Fatalf("%d homes are kept", len(h.of))
		}
	}
	h.note(client, hello, control(3), e)
	if got := h.find(client); want == nil || !bytes.Equal(got, want) {
		t.Errorf("the client's home is %v, want %v", got, want)
	}
	hello[0] = byte(wire.Datagram)
	stranger := netip.MustParseAddrPort("10.0.0.2:1")
	if h.note(stranger, hello, control(2), e); h.find(stranger) != nil {
		t.Error("a packet that is no HELLO has given a home")
	}
}
