// Package hostile is a harness for random tests: it plays whole sessions with honest
// and hostile peers. Honest clients (players) join, send on both lanes, leave, lose
// their network and come back. Foes send whatever a stranger, an off-path
// eavesdropper or a malicious client can send.
//
// The endpoints must protect the honest sessions: every message arrives in order and
// once, or the session ends, at both ends, for a reason that the harness caused. One
// attack is left out until packets are authenticated: new packets with the address
// and the connection id of somebody else. Replays of such packets are included.
package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Config is what a World needs of a test.
type Config struct {
	// Draw returns a number from 0 to n-1, chosen by the test's seed.
	Draw    func(what string, n int) int
	Fatalf  func(format string, args ...any)
	Machine func(out func(segments []byte)) lane.Machine
	// Pass, if set, lets time pass for machines that read the clock of the process.
	Pass func(time.Duration)
}

// step is the time between two polls of a game.
const step = 20 * time.Millisecond

var serverAddr = netip.MustParseAddrPort("10.0.0.1:7777")

// A World is one session: a server, players and foes.
type World struct {
	Config
	now      time.Duration
	rng      *rand.Rand // for choices too numerous for Draw: bytes of garbage, packets of floods
	maxPeers int
	game     transport.Offer
	pair     *seal.Pair // the server's key, which it keeps

	server   *endpoint.Endpoint // nil while it is down
	restarts int
	stalled  time.Duration // the server's game does nothing until then
	full     time.Duration // when all places were taken last
	conns    []transport.Conn
	replies  int    // ACCEPTs and REFUSEs of this server
	arrived  uint64 // packets given to this server

	players []*player
	lives   map[string]*life
	byConn  map[transport.Conn]*life // honest lives by the server's Conn
	foes    []*foe
	seen    []capture // packets of honest peers, for foes to spoil and to send again
	history []string
	calm    bool // handlers do not close connections at random
}

// A capture is a packet that foes saw on its way.
type capture struct {
	from, to netip.AddrPort
	b        []byte
}

// mostSeen is how many packets foes remember.
const mostSeen = 400

// New makes a world. Call Play next.
func New(c Config) *World {
	w := &World{
		Config: c, rng: rand.New(rand.NewPCG(uint64(c.Draw("world", 1<<30)), 1)),
		game:  transport.Offer{Game: "riot", Schema: 7, Digest: bytes.Repeat([]byte("d"), transport.MaxDigest)},
		lives: map[string]*life{}, byConn: map[transport.Conn]*life{},
	}
	w.pair, _ = seal.NewPair(raw.Source(w.rng.Uint64))
	n := 1 + c.Draw("players", 4)
	for i := range n {
		conditions := netsim.Conditions{
			Loss: float64(c.Draw("loss", 21)) / 100, Delay: time.Duration(c.Draw("delay", 120)) * time.Millisecond,
			Jitter: time.Duration(c.Draw("jitter", 80)) * time.Millisecond, Duplicate: float64(c.Draw("duplicate", 11)) / 100,
		}
		w.players = append(w.players, &player{
			w: w, addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), 5000),
			fair: conditions, line: netsim.NewPair(w.rng.Uint64(), conditions),
		})
	}
	for i := range 1 + c.Draw("foes", 3) {
		w.foes = append(w.foes, newFoe(w, i))
	}
	w.maxPeers = n + len(w.foes)*mostJoined - c.Draw("too few places", 2)*(1+len(w.foes))
	w.start()
	return w
}

func (w *World) note(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf("%v ", w.now)+fmt.Sprintf(format, args...))
}

// fail ends the test with a message and the newest events.
func (w *World) fail(format string, args ...any) {
	for _, h := range w.history[max(0, len(w.history)-60):] {
		format += "\n\t" + escape(h)
	}
	w.Fatalf("%v: "+format, append([]any{w.now}, args...)...)
}

func escape(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte("%"), []byte("%%"))) }

func (w *World) config(addr netip.AddrPort, send func(to endpoint.Path, b []byte)) endpoint.Config {
	return endpoint.Config{
		Transport: "test", Local: addr.String(), Now: func() time.Duration { return w.now }, Send: send,
		Random: w.rng.Uint64, Machine: w.Machine,
	}
}

// start hosts.
func (w *World) start() {
	o := w.game
	o.MaxPeers = w.maxPeers
	c := w.config(serverAddr, w.fromServer)
	c.Listener.Pair = w.pair
	e, err := endpoint.Listen(c, o)
	if err != nil {
		w.fail("%v", err)
	}
	w.server, w.replies, w.arrived, w.conns = e, 0, 0, nil
	w.restarts++
}

// stop ends what start began, twice: the second does nothing.
func (w *World) stop() {
	reason := fmt.Sprintf("restart %d", w.restarts)
	w.note("the server ends: %s", reason)
	e := w.server
	w.account()
	e.Close(reason)
	for _, p := range w.players {
		if l := p.life; l != nil {
			l.shut = true
		}
	}
	for _, l := range w.byConn {
		l.over[atServer] = true
	}
	clear(w.byConn)
	w.server = nil
	e.Close("again")
	e.Arrive(w.now, endpoint.Path{Remote: serverAddr}, make([]byte, transport.MaxPacket))
	e.Tick()
	e.Poll(silent{w})
	for _, c := range w.conns {
		if err := c.Reliable([]byte("late")); err == nil {
			w.fail("a message is taken by a connection of a server that has ended")
		}
		c.Next()
		c.Datagram(nil)
		c.Flush()
		c.Close("again")
		c.Stats()
	}
	if h := e.Held(); h.Open+h.HalfOpen+h.Questions != 0 || h.IDs > h.Leaving+h.Left {
		w.fail("a server that has ended holds %+v", h)
	}
}

// fromServer is the server's socket: it takes every packet that the server sends.
func (w *World) fromServer(path endpoint.Path, b []byte) {
	to := path.Remote
	kind, _, _ := wire.Split(b[0])
	if !kind.Sealed() {
		w.replies++
	}
	for _, p := range w.players {
		if p.addr == to {
			if kind == wire.Refuse || kind == wire.Deny {
				p.refused(b)
			}
			w.see(serverAddr, to, b)
			p.line.Down.Send(w.now, b)
			return
		}
	}
	for _, f := range w.foes {
		f.receive(to, b)
	}
}

// toServer delivers a packet, from any sender, to the server.
func (w *World) toServer(from netip.AddrPort, b []byte) {
	if w.server != nil {
		w.arrived++
		w.server.Arrive(w.now, endpoint.Path{Remote: from}, b)
	}
}

func (w *World) see(from, to netip.AddrPort, b []byte) {
	c := capture{from, to, bytes.Clone(b)}
	if len(w.seen) < mostSeen {
		w.seen = append(w.seen, c)
	} else if w.rng.IntN(4) == 0 { // keeps some old packets
		w.seen[w.rng.IntN(mostSeen)] = c
	}
}

// turn plays one step for everyone.
func (w *World) turn() {
	if w.Pass != nil {
		w.Pass(step)
	}
	w.now += step
	for _, p := range w.players {
		p.deliver()
	}
	for _, f := range w.foes {
		f.turn()
	}
	if w.server != nil {
		w.server.Tick()
		if w.now >= w.stalled {
			w.server.Poll(serverSide{w})
			w.serverSends()
		}
		w.bounds(w.server)
	}
	for _, p := range w.players {
		p.turn()
	}
}

// bounds fails the test if an endpoint holds more than its limits.
func (w *World) bounds(e *endpoint.Endpoint) {
	h := e.Held()
	if e == w.server && h.Open >= w.maxPeers {
		w.full = w.now
	}
	if h.Open+h.HalfOpen > w.maxPeers || h.HalfOpen > transport.MaxUnjoined || h.Requests > transport.MaxHandshakes || h.IDs > h.Open+h.HalfOpen+h.Leaving+h.Left || h.Left > transport.MaxParted || h.Questions > h.Open+h.HalfOpen ||
		h.Inbox > transport.MaxInbox || h.Pending > lane.MaxPending || h.Messages > transport.MaxQueuedMessages {
		w.fail("%+v held, of %d connections", h, w.maxPeers)
	}
}

// account fails the test unless each packet that came to the server is counted.
func (w *World) account() {
	for h := w.server.Held(); h.Inbox+h.Requests > 0; h = w.server.Held() {
		w.server.Poll(serverSide{w}) // foes answer at once
	}
	c := w.server.Counters()
	known := c.Ignored + c.Dropped + uint64(w.replies)
	for _, c := range w.conns {
		known += c.Stats().PacketsIn
	}
	if known < w.arrived {
		w.fail("%d packets came, %d are accounted for", w.arrived, known)
	}
}

// Play plays a session to its end.
func (w *World) Play() {
	for range 20 + w.Draw("events", 60) {
		w.event()
		for range 1 + w.Draw("steps", 60) {
			w.turn()
		}
	}
	w.note("peace")
	w.settle()
	for _, p := range w.players {
		if p.life != nil {
			p.leave()
		}
	}
	for range 6 { // each time that a foe passes on a packet that was lost, the silence begins anew
		w.run(transport.SilenceTimeout)
	}
	for name, l := range w.lives {
		if l.server != nil && !l.over[atServer] {
			w.fail("%s has left, and the server was not told", name)
		}
	}
	w.stop()
}

// settle repairs everything and waits until each session is settled: either both ends
// have received every message, or both ends know that it has ended.
func (w *World) settle() {
	if w.server == nil {
		w.start()
	}
	w.stalled, w.calm = 0, true
	quiet := w.Draw("foes stay", 2) == 0
	for _, f := range w.foes {
		if quiet {
			f.rate = 0
		}
	}
	for _, p := range w.players {
		p.stalled, p.silent = 0, true
		p.mend()
	}
	w.run(transport.SilenceTimeout + transport.ConnectTimeout)
	for range 3000 { // a minute more for long messages
		if w.settled() == "" {
			return
		}
		w.turn()
	}
	w.fail("never settled: %s", w.settled())
}

// settled returns a description of a session that is not settled, or "".
func (w *World) settled() string {
	for name, l := range w.lives {
		switch {
		case l.over[atClient] && l.over[atServer], l.over[atClient] && l.server == nil:
		case l.over[atClient] || l.over[atServer] || l.client == nil || l.server == nil:
			return fmt.Sprintf("%s is over at the client: %v, at the server: %v", name, l.over[atClient], l.over[atServer])
		case l.got[atServer] != l.sent[atClient] || l.got[atClient] != l.sent[atServer]:
			return fmt.Sprintf("%s: sent %v, got %v", name, l.sent, l.got)
		}
	}
	return ""
}

func (w *World) run(d time.Duration) {
	for range d / step {
		w.turn()
	}
}

// event makes one random event happen.
func (w *World) event() {
	p := w.players[w.Draw("who", len(w.players))]
	f := w.foes[w.Draw("foe", len(w.foes))]
	switch w.Draw("event", 16) {
	case 0, 1, 2, 3:
		p.comeOrGo()
	case 4:
		p.cut()
	case 5, 6:
		p.mend()
	case 7:
		p.stalled = w.now + time.Duration(w.Draw("stall", 16))*time.Second
		w.note("%s stalls until %v", p.addr, p.stalled)
	case 8:
		w.stalled = w.now + time.Duration(w.Draw("stall", 16))*time.Second
		w.note("the server stalls until %v", w.stalled)
	case 9:
		p.kick()
	case 10:
		if w.server != nil && w.Draw("restart", 4) == 0 {
			w.stop()
		} else if w.server == nil {
			w.start()
		}
	default:
		f.rate, f.act = w.Draw("rate", 12), w.Draw("act", len(acts))
		w.note("%s does %s, %d a step", f.addrs[0], acts[f.act].name, f.rate)
	}
	if w.server == nil && w.Draw("back", 3) == 0 {
		w.start()
		w.note("the server is back")
	}
}

// silent is a Handler that must not be called.
type silent struct{ w *World }

func (s silent) Connected(transport.Conn, []byte) { s.w.fail("told of a connection after Close") }
func (s silent) Datagram(transport.Conn, uint64, time.Duration, []byte) {
	s.w.fail("told of a datagram after Close")
}
func (s silent) Message(transport.Conn, []byte)     { s.w.fail("told of a message after Close") }
func (s silent) Closed(_ transport.Conn, err error) { s.w.fail("told of an end after Close: %v", err) }
