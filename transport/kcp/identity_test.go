package kcp

import (
	"net/netip"
	"runtime"
	"strconv"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
)

// A second window that joins the same server by another of its addresses is another player: with
// the user's key it would take the seat of the first.
func TestOneServerAtTwoAddresses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a machine has one loopback address")
	}
	noLeak(t)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	n := loopback(t, false)
	n.Listener.Close()
	l, err := Listen("0.0.0.0:0", quick)
	if err != nil {
		t.Fatal(err)
	}
	n.Listener = l
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	port := strconv.Itoa(int(netip.MustParseAddrPort(l.Addr()).Port()))
	k, err := LoadKey("")
	if err != nil {
		t.Fatal(err)
	}
	user := transport.IdentityOfKey(k.For(l.key.Public()))
	byString := JoinString{Address: "127.0.0.3:" + port, Key: l.key.Public()}.String()
	for i, join := range []string{"127.0.0.1:" + port, "127.0.0.2:" + port, byString} {
		r.Dialer = func() transport.Dialer { return Dialer(join, quick) }
		o := linktest.Offer()
		o.Key, o.Keys = [32]byte{byte(i + 1)}, new(transport.Keyring)
		r.Join(o)
		r.Until("it is in", func() bool { return len(server.Conns) > i })
		if id := server.Conns[i].Identity(); (id == user) != (i == 0) {
			t.Errorf("window %d, by %s, is %s; the user is %s", i, join, id, user)
		}
	}
}
