package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The ends of a life. They index its arrays: messages count at the end that sent them.
const (
	atClient = iota
	atServer
)

// A player is an honest client. Its address is always the same.
type player struct {
	w       *World
	addr    netip.AddrPort
	fair    netsim.Conditions
	line    netsim.Pair
	down    [2]bool          // the line is cut: packets from the client, from the server
	through [2]time.Duration // when each direction was last not cut
	stalled time.Duration
	silent  bool // sends no new messages
	count   int
	life    *life // the present one
}

// A life is one attempt to join, and the session that comes of it.
type life struct {
	p         *player
	name      string
	attempt   uint64
	link      *endpoint.Endpoint
	client    transport.Conn // nil until the client is in
	server    transport.Conn // nil until the server knows
	sent, got [2]int         // messages: sent by, got by
	over      [2]bool
	seqs      [2]map[uint64]bool
	left      bool // by its own will
	kicked    bool
	shut      bool // the server ended or was away
	full      bool // it was refused while there was no place
	outage    bool // it was cut off for about SilenceTimeout
	hindered  bool // while it dialled, the line or the server was down, or no place was free
	unseen    bool // the server's game stood still before it had seen it
	wasCut    bool
}

func (p *player) comeOrGo() {
	if p.life != nil {
		p.leave()
		return
	}
	p.count++
	l := &life{p: p, name: fmt.Sprintf("%v #%d", p.addr, p.count)}
	l.seqs = [2]map[uint64]bool{{}, {}}
	o := p.w.game
	o.Hello = []byte(l.name)
	p.w.lives[l.name], p.life = l, l
	p.w.note("%s asks", l.name)
	e, err := endpoint.Dial(p.w.config(p.addr, func(_ endpoint.Path, b []byte) {
		if m, err := wire.ParseHello(b); err == nil {
			l.attempt = m.Attempt
		}
		p.w.see(p.addr, serverAddr, b)
		p.line.Up.Send(p.w.now, b)
	}), o, serverAddr)
	if err != nil {
		p.w.fail("%v", err)
	}
	l.link = e
	p.watch()
}

// leave ends a life: the client leaves.
func (p *player) leave() {
	l := p.life
	p.w.note("%s leaves", l.name)
	l.left, l.over[atClient] = true, true
	if l.client != nil && p.w.rng.IntN(3) == 0 {
		l.client.Close("bye " + l.name)
	}
	l.link.Close("bye " + l.name)
	l.link.Close("again")
	l.link.Poll(silent{p.w})
	l.link.Tick()
	p.life = nil
}

// kick makes the server kick a player that it knows.
func (p *player) kick() {
	if l := p.life; l != nil && l.server != nil && !l.over[atServer] && !l.kicked {
		p.w.note("%s is kicked", l.name)
		l.kicked = true
		l.server.Close("kicked " + l.name)
		l.server.Close("again")
	}
}

func (p *player) cut() {
	p.down[p.w.Draw("cut", 2)] = true
	if p.w.Draw("cut both", 2) == 0 {
		p.down = [2]bool{true, true}
	}
	p.w.note("%s is cut: %v", p.addr, p.down)
	p.conditions()
}

func (p *player) mend() {
	p.w.note("%s has its line", p.addr)
	p.down = [2]bool{}
	p.conditions()
}

func (p *player) conditions() {
	for i, path := range []*netsim.Path{p.line.Up, p.line.Down} {
		c := p.fair
		if p.down[i] {
			c.Loss = 1
		}
		path.SetConditions(c)
	}
}

// deliver delivers the packets that are due on the player's line, to the present
// endpoints.
func (p *player) deliver() {
	for b, _, ok := p.line.Up.Receive(p.w.now); ok; b, _, ok = p.line.Up.Receive(p.w.now) {
		p.w.toServer(p.addr, b)
	}
	for b, _, ok := p.line.Down.Receive(p.w.now); ok; b, _, ok = p.line.Down.Receive(p.w.now) {
		p.arrive(serverAddr, b)
	}
}

func (p *player) arrive(from netip.AddrPort, b []byte) {
	if p.life != nil {
		p.life.link.Arrive(p.w.now, endpoint.Path{Remote: from}, b)
	}
}

// refused checks a refusal on its way to the player. What it says is sealed: Closed tells.
func (p *player) refused(b []byte) {
	attempt, denied := wire.DenyAttempt(b)
	if m, err := wire.ParseRefuse(b); err == nil {
		attempt = m.Attempt
	}
	if p.life == nil || attempt != p.life.attempt {
		return // an answer to a HELLO that a foe sent with the player's address
	}
	if !denied {
		p.w.fail("%v is refused: %x", p.addr, b)
	}
	// A place may have come free since it was refused, and repeats of a question are answered as it was.
	if h := p.w.server.Held(); h.Open < p.w.maxPeers && (p.w.full == 0 || p.w.now-p.w.full > seal.CookieLife) {
		p.w.fail("%v is refused for want of a place: %d of %d are taken, %d half open", p.addr, h.Open, p.w.maxPeers, h.HalfOpen)
	}
	p.life.full = true
}

// watch records the events that may end the present life.
func (p *player) watch() {
	l := p.life
	for i := range p.down {
		if !p.down[i] {
			p.through[i] = p.w.now
		}
		if p.w.now-p.through[i] >= transport.SilenceTimeout-time.Second {
			l.outage = true
		}
		l.wasCut = l.wasCut || p.down[i]
	}
	if l.client == nil {
		l.hindered = l.hindered || p.down[0] || p.down[1] || p.w.server == nil || p.w.now < p.w.stalled || p.w.crowded()
	}
	l.unseen = l.unseen || l.server == nil && p.w.now < p.w.stalled
	if p.w.server == nil {
		l.shut = true
	}
}

// crowded reports whether a HELLO may get no answer.
func (w *World) crowded() bool {
	if w.server == nil {
		return true
	}
	h := w.server.Held()
	return h.Open+h.HalfOpen+h.Requests >= w.maxPeers
}

func (p *player) turn() {
	l := p.life
	if l == nil {
		for i := range p.down {
			if !p.down[i] {
				p.through[i] = p.w.now
			}
		}
		return
	}
	p.watch()
	l.link.Tick()
	if p.w.now >= p.stalled {
		l.link.Poll(clientSide{p.w, l})
		if p.life != nil && l.client != nil {
			l.speak(atClient, l.client)
		}
	}
	p.w.bounds(l.link)
}

// speak sends what a game sends in a step.
func (l *life) speak(end int, c transport.Conn) {
	w := l.p.w
	if !l.p.silent && w.rng.IntN(8) == 0 {
		err := c.Reliable(l.message(end, l.sent[end]))
		switch {
		case err == nil:
			l.sent[end]++
		case !errors.Is(err, transport.ErrBacklog):
			w.fail("%s: a message is refused: %v", l.name, err)
		}
	}
	if w.rng.IntN(2) == 0 {
		_, room := c.Next()
		if room < transport.MinRoom {
			w.fail("room for %d bytes", room)
		}
		c.Datagram([]byte(l.name)[:min(room, len(l.name))])
	}
	c.Flush()
}

// message returns the n-th message that an end sends: mostly short, sometimes long.
func (l *life) message(end, n int) []byte {
	head := fmt.Sprintf("%s %d %d ", l.name, end, n)
	h := fnv.New64a()
	h.Write([]byte(head))
	x, length := h.Sum64(), 0
	switch {
	case x%200 == 0:
		length = transport.MaxMessage - len(head)
	case x%20 == 1:
		length = int(x >> 8 % 6000)
	default:
		length = int(x >> 8 % 60)
	}
	return append([]byte(head), bytes.Repeat([]byte{byte(x >> 16)}, length)...)
}

// heard checks that a message is the next one that the other end sent.
func (l *life) heard(end int, b []byte) {
	w := l.p.w
	if l.over[end] || end == atServer && l.kicked {
		w.fail("%s: a message after the end", l.name)
	}
	if want := l.message(1-end, l.got[end]); !bytes.Equal(b, want) {
		w.fail("%s: message %d at %d is %.60q of %d bytes, want %.60q of %d", l.name, l.got[end], end, b, len(b), want, len(want))
	}
	if l.got[end]++; l.got[end] > l.sent[1-end] {
		w.fail("%s: message %d was never sent", l.name, l.got[end])
	}
}

func (l *life) datagram(end int, seq uint64, b []byte) {
	if string(b) != l.name {
		l.p.w.fail("%s got the datagram %.60q", l.name, b)
	}
	if l.over[end] || l.seqs[end][seq] || end == atServer && l.kicked {
		l.p.w.fail("%s: datagram %d twice, or after the end", l.name, seq)
	}
	l.seqs[end][seq] = true
}

// ended checks that a connection ended for a reason that the harness caused.
func (l *life) ended(end int, err error) {
	w := l.p.w
	w.note("%s is over at %d: %v", l.name, end, err)
	if l.over[end] {
		w.fail("%s: the end is told twice: %v", l.name, err)
	}
	l.over[end] = true
	says := func(reason string) bool { return strings.Contains(err.Error(), reason) }
	right := false
	switch {
	case errors.Is(err, transport.ErrKicked):
		right = end == atClient && l.kicked && says("kicked "+l.name)
	case errors.Is(err, transport.ErrFull):
		right = end == atClient && l.full
	case errors.Is(err, transport.ErrNoAnswer):
		right = end == atClient && l.hindered
	case errors.Is(err, transport.ErrReset):
		// A goodbye may be lost with the line. Who was let in and never heard is forgotten, or gives way to others.
		gone := l.kicked && l.wasCut || l.server == nil && (l.wasCut || l.hindered)
		right = end == atClient && (l.shut || l.over[atServer] || gone)
	case errors.Is(err, transport.ErrTimeout):
		right = l.outage || l.shut || end == atServer && (l.left || l.over[atClient]) || end == atClient && (l.kicked || l.unseen || l.server == nil && l.wasCut)
	case errors.Is(err, transport.ErrClosed) && end == atServer:
		right = l.left && says("bye "+l.name) || l.kicked && says("kicked "+l.name)
	case errors.Is(err, transport.ErrClosed):
		right = l.shut && says("restart")
	}
	if !right {
		w.fail("%s is over at %d without a reason: %v; outage %v, cut %v, hindered %v, left %v", l.name, end, err, l.outage, l.wasCut, l.hindered, l.left)
	}
}

// clientSide is the Handler of a client.
type clientSide struct {
	w *World
	*life
}

func (s clientSide) Connected(c transport.Conn, _ []byte) {
	s.w.note("%s is in", s.name)
	if s.client != nil {
		s.w.fail("%s is connected twice", s.name)
	}
	s.client = c
}

func (s clientSide) Datagram(_ transport.Conn, seq uint64, _ time.Duration, b []byte) {
	s.datagram(atClient, seq, b)
	s.whim()
}

func (s clientSide) Message(_ transport.Conn, b []byte) {
	s.heard(atClient, b)
	s.whim()
}

// whim makes a client leave, at random, inside a call of its Handler.
func (s clientSide) whim() {
	if !s.w.calm && s.w.rng.IntN(2000) == 0 {
		s.p.leave()
	}
}

func (s clientSide) Closed(_ transport.Conn, err error) {
	s.ended(atClient, err)
	if s.p.life == s.life {
		s.p.life = nil
		s.link.Close("again")
	}
}

// serverSide is the Handler of the server.
type serverSide struct{ w *World }

func (s serverSide) Connected(c transport.Conn, hello []byte) {
	s.w.conns = append(s.w.conns, c)
	l := s.w.lives[string(hello)]
	if l == nil || l.p.addr.String() != c.Stats().Remote {
		if s.w.rng.IntN(10) == 0 {
			c.Close("not you")
		}
		return // a foe
	}
	s.w.note("the server knows %s", l.name)
	if l.server != nil || l.over[atServer] {
		s.w.fail("the server knows %s a second time", l.name)
	}
	l.server = c
	s.w.byConn[c] = l
}

func (s serverSide) Datagram(c transport.Conn, seq uint64, _ time.Duration, b []byte) {
	if l := s.w.byConn[c]; l != nil {
		l.datagram(atServer, seq, b)
	}
	s.whim()
}

func (s serverSide) Message(c transport.Conn, b []byte) {
	if l := s.w.byConn[c]; l != nil {
		l.heard(atServer, b)
	}
	s.whim()
}

// whim makes the server kick a peer, at random, inside a call of its Handler.
func (s serverSide) whim() {
	if !s.w.calm && s.w.rng.IntN(2000) == 0 {
		s.w.players[s.w.rng.IntN(len(s.w.players))].kick()
	}
}

func (s serverSide) Closed(c transport.Conn, err error) {
	if l := s.w.byConn[c]; l != nil {
		l.ended(atServer, err)
		return
	}
	if err == nil || err.Error() == "" {
		s.w.fail("an end without a reason")
	}
}

// serverSends sends what the server sends in a step, to players and foes.
func (w *World) serverSends() {
	for _, c := range w.conns {
		l := w.byConn[c]
		switch {
		case l == nil: // a foe, that perhaps acknowledges nothing
			if err := c.Reliable([]byte("for a foe, who may take it or leave it")); !errors.Is(err, transport.ErrClosed) {
				c.Next()
				c.Datagram([]byte("state"))
				c.Flush()
			}
		case !l.over[atServer] && !l.kicked:
			l.speak(atServer, c)
		}
	}
}
