package endpoint

import (
	"errors"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// flood sends packets of a client at a rate, polls at 60 Hz, and returns after which time the
// client was sent away; 0: it was not.
func flood(b *bench, c *raw.Client, rate, size int, d time.Duration) time.Duration {
	begin, sent := b.now, 0
	for b.now-begin < d {
		for ; sent < int(float64(rate)*(b.now-begin).Seconds()); sent++ {
			b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Datagram, make([]byte, size)...))
		}
		if b.Poll(b); b.err != nil {
			return b.now - begin
		}
		b.now += time.Second / 60
	}
	return 0
}

// Who sends more than the limits for a second is kicked within two, whatever it sends; who
// does not, or in one burst, stays.
func TestFloodIsKicked(t *testing.T) {
	for name, x := range map[string]struct {
		rate, size int
		l          transport.Limits
		kicked     bool
	}{
		"packets":        {transport.DefaultPackets * 5 / 4, 0, transport.Limits{}, true},
		"bytes":          {transport.DefaultBytes / 900, 1100, transport.Limits{}, true},
		"more than set":  {120, 10, transport.Limits{Packets: 100}, true},
		"less than set":  {2000, 10, transport.Limits{Packets: 3000}, false},
		"a game's":       {240, 100, transport.Limits{}, false},
		"a large upload": {300, 1100, transport.Limits{}, false},
	} {
		b, c := joinedBy(t)
		b.offer.Limits = x.l.OrDefault()
		at := flood(b, c, x.rate, x.size, 4*time.Second)
		if (at > 0) != x.kicked || at > 2*time.Second {
			t.Errorf("%s: kicked after %v", name, at)
		}
		if x.kicked && (!errors.Is(b.err, transport.ErrKicked) || !errors.Is(b.err, transport.ErrFlood)) {
			t.Errorf("%s: %v", name, b.err)
		}
	}
}

// What a disturbance has held up comes all at once, and is no flood; what is too much is
// dropped where it is read.
func TestBurstIsNoFlood(t *testing.T) {
	b, c := joinedBy(t)
	for range 5 {
		for range 2 * transport.DefaultPackets {
			b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Datagram))
		}
		b.events = nil
		if b.Poll(b); b.err != nil || len(b.events) > transport.DefaultPackets || len(b.events) < transport.DefaultPackets/2 {
			t.Fatalf("of a burst %d packets come, %v", len(b.events), b.err)
		}
		b.now += 3 * time.Second
		b.arrive(clientAddr, c.Say(wire.Keepalive))
	}
}
