package hostile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// mostJoined is how many sessions a foe has at once.
const mostJoined = 3

// A foe is a hostile peer. It sends anything from its own addresses; from the
// addresses of others it sends packets that it has seen there or can guess.
type foe struct {
	w       *World
	addrs   []netip.AddrPort
	rate    int // packets a step
	act     int
	members []*member
	mail    [][]byte           // from the server, since the last turn
	asked   map[uint64]*member // by the attempts of its own HELLOs; an ACCEPT lets one in
	pairs   []*seal.Pair       // of its members; to make one takes as long as 500 packets
}

// A member is a session that a foe has joined by a proper handshake.
type member struct {
	*raw.Client
	at     netip.AddrPort
	silent bool     // says nothing once it is let in
	sn     uint32   // of its next segment
	sent   [][]byte // by it
}

func newFoe(w *World, n int) *foe {
	f := &foe{w: w, asked: map[uint64]*member{}}
	for i := range 4 {
		f.addrs = append(f.addrs, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 6, byte(n), byte(i / 2)}), 666+uint16(i%2)))
	}
	return f
}

func (f *foe) turn() {
	mail := f.mail
	f.mail = nil
	for _, b := range mail {
		f.answer(b)
	}
	for range f.rate {
		acts[f.act].do(f)
	}
	for _, m := range f.members { // so that their sessions do not time out
		if f.w.rng.IntN(25) == 0 {
			m.say(f, wire.Keepalive)
		}
	}
}

// receive takes a packet that the server sends to one of the foe's addresses.
func (f *foe) receive(to netip.AddrPort, b []byte) {
	for _, a := range f.addrs {
		if a == to {
			f.mail = append(f.mail, bytes.Clone(b))
		}
	}
}

// answer goes on with a handshake of the foe's.
func (f *foe) answer(b []byte) {
	for attempt, m := range f.asked {
		if init := m.Answer(b); init != nil {
			f.send(m.at, serverAddr, init)
		}
		if m.In() {
			delete(f.asked, attempt)
			if m.silent {
				return
			}
			f.members = append(f.members, m)
			m.say(f, wire.Keepalive)
			return
		}
	}
}

func (f *foe) pick(n int) int       { return f.w.rng.IntN(n) }
func (f *foe) addr() netip.AddrPort { return f.addrs[f.pick(len(f.addrs))] }
func (f *foe) garbage(n int) []byte {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, f.w.rng.Uint64())
	}
	return b[:n]
}

// send delivers a packet to the server or a player, from any address.
func (f *foe) send(from, to netip.AddrPort, b []byte) {
	if to == serverAddr {
		f.w.toServer(from, b)
		return
	}
	for _, p := range f.w.players {
		if p.addr == to {
			p.arrive(from, b)
		}
	}
}

// anyone returns the address of the server or a player.
func (f *foe) anyone() netip.AddrPort {
	if f.pick(2) == 0 {
		return serverAddr
	}
	return f.w.players[f.pick(len(f.w.players))].addr
}

// other returns the address of a possible peer of to: the server for a player, any
// player for the server.
func (f *foe) other(to netip.AddrPort) netip.AddrPort {
	if to != serverAddr {
		return serverAddr
	}
	return f.w.players[f.pick(len(f.w.players))].addr
}

// acts are the attacks of a foe. Each call sends one packet or a few.
var acts = []struct {
	name string
	do   func(f *foe)
}{
	{"noise", func(f *foe) {
		b := f.garbage(f.pick(1400))
		if len(b) > 0 && f.pick(2) == 0 {
			b[0] = 0x80 | byte(f.pick(16)) | byte(f.pick(2))<<5
		}
		f.send(f.addr(), f.anyone(), b)
	}},
	{"sizes", func(f *foe) {
		sizes := []int{0, 1, 2, 11, 13, 17, 18, 19, 20, 21, 22, 62, 79, 91, 547, 548, 549, 1199, 1200, 1201, 2048, 9000, 65507}
		b := make([]byte, sizes[f.pick(len(sizes))])
		to := f.anyone()
		if len(b) > 0 {
			b[0] = 0x80 | byte(f.pick(14))
			if to != serverAddr {
				b[0] |= wire.FromListener
			}
		}
		f.send(f.addr(), to, b)
		f.send(f.other(to), to, b) // in another's name, who is not known by it
	}},
	{"spoiled copies", func(f *foe) {
		if c, ok := f.seen(); ok {
			f.send(f.addr(), c.to, f.spoil(c.b))
		}
	}},
	{"copies from elsewhere", func(f *foe) {
		if c, ok := f.seen(); ok {
			f.send(f.addr(), c.to, c.b)
			f.send(f.addr(), f.anyone(), c.b)
		}
	}},
	{"replays", func(f *foe) {
		if c, ok := f.seen(); ok {
			f.send(c.from, c.to, c.b)
		}
	}},
	{"whole handshakes again", func(f *foe) {
		for _, c := range f.w.seen {
			if k, _, _ := wire.Split(c.b[0]); !k.Sealed() && f.pick(4) == 0 {
				f.send(c.from, c.to, c.b)
				f.send(f.addr(), c.to, c.b)
				return
			}
		}
	}},
	{"half-open joins", func(f *foe) { f.send(f.addr(), serverAddr, wire.HelloMessage{Attempt: f.w.rng.Uint64()}.Append(nil)) }},
	{"half-done joins", func(f *foe) { // with a good cookie, and never a packet after it
		m := f.newMember()
		m.silent = true
		if len(f.asked) < 2*mostJoined {
			f.asked[m.Attempt] = m
		}
		f.send(m.at, serverAddr, m.Hello())
	}},
	{"wrong joins", func(f *foe) {
		m := f.newMember()
		switch f.pick(3) {
		case 0:
			m.Request.Schema++
		case 1:
			m.Request.Game = "other"
		}
		b := m.Hello()
		switch f.pick(4) {
		case 0:
			b[1] = byte(f.pick(256))
		case 1:
			b[11+f.pick(537)] ^= 1 << f.pick(8) // reserved
		}
		if len(f.asked) < mostJoined {
			f.asked[m.Attempt] = m
		}
		f.send(m.at, serverAddr, b)
	}},
	{"guesses", func(f *foe) { // in another's name, without his numbers
		to := f.anyone()
		k := []wire.Kind{wire.Accept, wire.Refuse, wire.Keepalive, wire.Datagram, wire.Lane, wire.Both, wire.Close}[f.pick(7)]
		b := wire.Begin(nil, k, to != serverAddr, uint16(f.w.rng.Uint32()), uint64(f.pick(100)))
		switch k {
		case wire.Accept:
			b = wire.AcceptMessage{Attempt: f.w.rng.Uint64(), Noise: f.garbage(70)}.Append(nil)
		case wire.Refuse:
			b = wire.RefuseMessage{Version: uint16(f.pick(3)), Attempt: f.w.rng.Uint64()}.Append(nil)
		case wire.Close:
			b = append(wire.AppendReason(b, wire.Cause(f.pick(5)), "guessed"), f.garbage(16)...)
		default:
			b = append(b, f.garbage(f.pick(100))...)
		}
		f.send(f.other(to), to, b)
	}},
	{"seeks", func(f *foe) { // for the connections that it sees, from anywhere
		m := wire.SeekMessage{ID: uint16(f.w.rng.Uint32()), Number: f.w.rng.Uint64()}
		if c, ok := f.seen(); ok && len(c.b) > 3 {
			m.ID = binary.LittleEndian.Uint16(c.b[1:])
		}
		f.send(f.addr(), serverAddr, m.Append(nil))
		f.send(f.other(serverAddr), serverAddr, m.Append(nil))
	}},
	{"joins", func(f *foe) { f.join() }},
	{"lies", func(f *foe) { f.lie() }},
	{"lies", func(f *foe) { f.lie() }}, // it has many kinds
	{"flood of a member", func(f *foe) {
		if m := f.member(); m != nil {
			for range 10 {
				m.say(f, wire.Datagram, f.garbage(f.pick(transport.MaxPayload+1))...)
			}
		}
	}},
}

func (f *foe) newMember() *member {
	random := raw.Source(f.w.rng.Uint64)
	if len(f.pairs) < 2*mostJoined {
		p, err := seal.NewPair(random)
		if err != nil {
			f.w.fail("%v", err)
		}
		f.pairs = append(f.pairs, p)
	}
	return &member{at: f.addr(), Client: &raw.Client{
		Attempt: f.w.rng.Uint64(), Pair: f.pairs[f.pick(len(f.pairs))], Random: random,
		Request: wire.Request{Game: f.w.game.Game, Schema: f.w.game.Schema, Hello: f.garbage(f.pick(transport.MaxHello + 1))},
	}}
}

func (f *foe) seen() (capture, bool) {
	if len(f.w.seen) == 0 {
		return capture{}, false
	}
	return f.w.seen[f.pick(len(f.w.seen))], true
}

// spoil is a packet with some of it flipped, cut off or added.
func (f *foe) spoil(b []byte) []byte {
	b = bytes.Clone(b)
	switch f.pick(4) {
	case 0:
		return b[:f.pick(len(b))]
	case 1:
		return append(b, f.garbage(1+f.pick(40))...)
	}
	for range 1 + f.pick(3) {
		b[f.pick(len(b))] ^= 1 << f.pick(8)
	}
	return b
}

// join asks as a client that means it.
func (f *foe) join() {
	for i := 0; i < len(f.members); i++ { // those that are over make room
		if m := f.members[i]; f.w.server == nil || !f.w.has(m) {
			f.members = append(f.members[:i], f.members[i+1:]...)
			i--
		}
	}
	if len(f.members)+len(f.asked) < mostJoined || f.pick(20) == 0 && len(f.members) < mostJoined {
		m := f.newMember()
		clear(f.asked)
		f.asked[m.Attempt] = m
		f.send(m.at, serverAddr, m.Hello())
	}
}

// has says whether a member's session goes on.
func (w *World) has(m *member) bool {
	for _, c := range w.conns {
		if s := c.Stats(); s.Remote == m.at.String() && !errors.Is(c.Reliable(nil), transport.ErrClosed) {
			return true
		}
	}
	return false
}

func (f *foe) member() *member {
	if len(f.members) == 0 {
		f.join()
		return nil
	}
	return f.members[f.pick(len(f.members))]
}

// say sends a packet of a session, well-formed as far as it goes.
func (m *member) say(f *foe, k wire.Kind, payload ...byte) {
	b := m.Say(k, payload...)
	if m.sent = append(m.sent, b); len(m.sent) > 40 {
		m.sent = m.sent[1:]
	}
	f.send(m.at, serverAddr, b)
}

// lie is what a member may send that no client would.
func (f *foe) lie() {
	m := f.member()
	if m == nil {
		return
	}
	switch f.pick(14) {
	case 0: // segments without sense
		var b []byte
		for range 1 + f.pick(40) {
			b = f.segment(b, byte(80+f.pick(6)), f.number(), f.number(), f.garbage(f.pick(3)))
		}
		m.say(f, wire.Lane, b[:min(len(b), transport.MaxPayload)]...)
	case 1: // receipts for what was never sent
		var b []byte
		for range 1 + f.pick(40) {
			b = f.segment(b, 82, f.number(), f.number(), nil)
		}
		m.say(f, wire.Lane, b...)
	case 2: // a message that never ends, of the longest that there are
		b := binary.AppendUvarint(nil, transport.MaxMessage)
		m.say(f, wire.Lane, f.segment(nil, 81, m.sn, 0, append(b, f.garbage(f.pick(1100))...))...)
		m.sn++
	case 3: // messages out of order, twice, far ahead
		for range 1 + f.pick(8) {
			sn := m.sn + uint32(f.pick(300))
			b := f.segment(nil, 81, sn, m.sn, f.garbage(f.pick(1100)))
			m.say(f, wire.Lane, b...)
			m.say(f, wire.Lane, b...)
		}
	case 4: // one that is too long
		m.say(f, wire.Lane, f.segment(nil, 81, m.sn, 0, []byte{0xff, 0xff, 0xff, 0xff, byte(f.pick(256))})...)
		m.sn++
	case 5: // very many empty ones
		m.say(f, wire.Lane, f.segment(nil, 81, m.sn, 0, make([]byte, 1126))...)
		m.sn++
	case 6:
		m.Seq += uint64(f.pick(3000))
		if f.pick(50) == 0 {
			m.Seq = 1<<64 - 2
		}
		m.say(f, wire.Datagram, f.garbage(f.pick(10))...)
	case 7: // its own packets, spoiled or again
		if len(m.sent) > 0 {
			b := m.sent[f.pick(len(m.sent))]
			if f.pick(2) == 0 {
				b = f.spoil(b)
			}
			f.send(m.at, serverAddr, b)
		}
	case 8: // a length that lies
		b := binary.LittleEndian.AppendUint16(nil, uint16(f.pick(1<<16)))
		m.say(f, wire.Both, append(b, f.garbage(f.pick(200))...)...)
	case 9:
		if f.pick(10) == 0 {
			m.say(f, wire.Close, wire.AppendReason(nil, wire.Cause(f.pick(256)), string(f.garbage(f.pick(250))))...)
		}
	case 10: // with another's connection
		b := bytes.Clone(m.sent[0])
		if c, ok := f.seen(); ok && len(c.b) > 3 {
			copy(b[1:3], c.b[1:3])
		}
		f.send(m.at, serverAddr, b)
	case 11: // no window
		b := f.segment(nil, 84, 0, 0, nil)
		b[6], b[7] = 0, 0
		m.say(f, wire.Lane, b...)
	case 12: // of its path, and in parts
		for t := range byte(10) {
			m.say(f, wire.Control, append([]byte{t}, f.garbage([]int{0, 1, 2, 3, 8, 40}[f.pick(6)])...)...)
		}
	case 13:
		for range 1 + f.pick(20) {
			b := binary.LittleEndian.AppendUint16(nil, uint16(m.Seq)+uint16(f.pick(20)))
			b = append(b, byte(f.pick(256)), byte(8+f.pick(8)))
			m.say(f, wire.Part, append(b, f.garbage(f.pick(1100))...)...)
		}
	}
}

// number is one that a segment may have: small, near to its end, or any.
func (f *foe) number() uint32 {
	switch f.pick(3) {
	case 0:
		return uint32(f.pick(300))
	case 1:
		return -uint32(f.pick(300))
	}
	return f.w.rng.Uint32()
}

func (f *foe) segment(b []byte, cmd byte, sn, una uint32, data []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = append(b, cmd, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(f.w.rng.Uint32()))
	b = binary.LittleEndian.AppendUint32(b, f.number())
	b = binary.LittleEndian.AppendUint32(b, sn)
	b = binary.LittleEndian.AppendUint32(b, una)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}
