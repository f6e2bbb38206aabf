package kcp

// Listeners on all addresses of a machine that has several.

import (
	"net"
	"runtime"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
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
