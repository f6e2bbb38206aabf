package endpoint

// Questions for games on the local network.

import (
	"math"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A guide limits the answers to questions. Only the reader uses it.
type guide struct {
	used float64 // of transport.QueryRate
	at   time.Duration
}

// queried answers a QUERY, if the game shall be listed: only to addresses of the machine's
// own networks, with much less than was asked with, and only so often.
func (e *Endpoint) queried(now time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseQuery(b)
	if err != nil || e.offer.Title == "" || m.GameHash != wire.HashGame(e.offer.Game) || !near(from.Remote.Addr()) || e.isOver() {
		return false
	}
	g := &e.guide
	g.used = max(0, g.used-(now-g.at).Seconds()*transport.QueryRate)
	g.at = now
	if g.used+1 > transport.QueryRate {
		return false
	}
	g.used++
	players := e.offer.Locals
	for _, c := range e.snapshot() {
		if c.is(open) {
			players++
		}
	}
	most := e.offer.Most
	if most == 0 {
		most = e.offer.MaxPeers + e.offer.Locals
	}
	clip := func(n int) uint16 { return uint16(min(max(n, 0), math.MaxUint16)) }
	e.cfg.Send(from, wire.InfoMessage{
		Nonce: m.Nonce, Players: clip(players), Most: clip(most),
		Secret: e.cfg.Listener.Secret != seal.Key{}, Token: e.cfg.Listener.Token != nil, Title: e.offer.Title,
	}.Append(nil))
	return true
}

// near reports whether an address is of a local network: others need no list, and must not
// be sent to by those who use their names.
func near(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}
