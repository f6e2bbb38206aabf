package endpoint

import (
	"net/netip"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A question from a local network is answered with the players that there are, one from
// elsewhere, of another game, or too many of them are not.
func TestQueriesOfStrangers(t *testing.T) {
	b, _ := joined(t)
	b.offer.Title, b.offer.Locals = "Ada", 1
	ask := func(from, game string) (answers int) {
		b.sent, b.to = nil, nil
		b.Arrive(b.now, Path{Remote: netip.MustParseAddrPort(from)}, wire.QueryMessage{Nonce: 5, GameHash: wire.HashGame(game)}.Append(nil))
		return len(b.sent)
	}
	for _, from := range []string{"192.168.1.7:9", "10.0.0.9:9", "127.0.0.1:9", "[fe80::1]:9", "[fd00::1]:9"} {
		if ask(from, b.offer.Game) != 1 {
			t.Fatalf("%s is not answered", from)
		}
		m, err := wire.ParseInfo(b.last())
		if err != nil || m.Nonce != 5 || m.Players != 2 || m.Title != "Ada" {
			t.Errorf("%+v, %v", m, err)
		}
	}
	for _, x := range []struct{ peers, most, shown int }{{16, 0, 17}, {16, 4, 4}, {transport.MaxPeers, transport.MaxPeers, transport.MaxPeers}} {
		b.offer.MaxPeers, b.offer.Most = x.peers, x.most
		ask("10.0.0.9:9", b.offer.Game)
		if m, err := wire.ParseInfo(b.last()); err != nil || int(m.Most) != x.shown {
			t.Errorf("%+v: %+v, %v", x, m, err)
		}
	}
	for _, from := range []string{"8.8.8.8:53", "[2001:db8::1]:9"} {
		if ask(from, b.offer.Game) != 0 {
			t.Errorf("%s is answered", from)
		}
	}
	if ask("10.0.0.9:9", "another") != 0 {
		t.Error("another game is answered")
	}
	n := 0
	for range 10 * transport.QueryRate {
		n += ask("10.0.0.9:9", b.offer.Game)
	}
	if n > transport.QueryRate {
		t.Errorf("%d answers at once", n)
	}
	if b.offer.Title = ""; ask("10.0.0.9:9", b.offer.Game) != 0 {
		t.Error("a game without a title is listed")
	}
}
