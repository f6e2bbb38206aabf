package kcp

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/internal/linktest"
)

// A listener with a title is found, with its players; one without, and one of another game,
// are not.
func TestGames(t *testing.T) {
	for _, x := range []struct {
		title, game string
		found       int
	}{{"Ada's island", "", 1}, {"", "", 0}, {"Ada's island", "another", 0}} {
		l, err := Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		o := linktest.Offer()
		o.Title, o.Locals, o.MaxPeers = x.title, 1, 7
		link, err := l.Listen(o)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr())
		n, err := net.LookupPort("udp", port)
		if err != nil {
			t.Fatal(err)
		}
		name := o.Game
		if x.game != "" {
			name = x.game
		}
		ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
		games, err := Games(ctx, name, n)
		cancel()
		if err != nil || len(games) != x.found {
			t.Errorf("%q: %v, %v", x.title, games, err)
		}
		if len(games) == 1 && (games[0].Title != x.title || games[0].Players != 1 || games[0].Most != 8 || games[0].Addr != l.Addr()) {
			t.Errorf("found %+v", games[0])
		}
		link.Close("over")
		if err := link.Wait(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Games(context.Background(), "", 0); err == nil {
		t.Error("no name is taken")
	}
}
