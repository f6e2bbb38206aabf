// Package raw has the two ends of the protocol as tests need them: they do the handshake,
// and then seal whatever packet the test wants to send.
package raw

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/replay"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// An End is what both ends have once they are connected.
type End struct {
	FromListener bool
	ID           uint16
	Seq          uint64 // of the newest packet that Say has made
	ciphers      seal.Ciphers
	window       replay.Window
}

// Seal makes a packet with any number and payload.
func (e *End) Seal(k wire.Kind, seq uint64, payload ...byte) []byte {
	b := append(wire.Begin(nil, k, e.FromListener, e.ID, seq), payload...)
	return e.ciphers.Out.Seal(b, wire.HeaderSize(e.FromListener), seq)
}

// Say makes the next packet.
func (e *End) Say(k wire.Kind, payload ...byte) []byte {
	e.Seq++
	return e.Seal(k, e.Seq, payload...)
}

// Open opens a packet of the other end; the same again, too.
func (e *End) Open(b []byte) (p wire.Packet, seq uint64, err error) {
	h, err := wire.ParseHeader(b)
	if err != nil {
		return p, 0, err
	}
	if h.FromListener == e.FromListener || !e.In() {
		return p, 0, errors.New("raw: a packet of this end's, or before the handshake is over")
	}
	seq = e.window.Whole(h.Seq)
	payload, ok := e.ciphers.In.Open(nil, b, h.Size(), seq)
	if !ok {
		return p, seq, seal.ErrForged
	}
	if seq > e.window.Highest() {
		e.window.Mark(seq)
	}
	p, err = wire.ParsePayload(h.Kind, payload)
	return p, seq, err
}

// In reports whether the handshake is over.
func (e *End) In() bool { return e.ciphers.Out.Ready() }

// A Client joins.
type Client struct {
	End
	Attempt uint64
	Request wire.Request
	Pair    *seal.Pair
	Secret  seal.Key
	Random  io.Reader

	Number uint64 // of the connection
	Reset  [seal.ResetSize]byte
	Server seal.Key // the listener's key
	Init   []byte   // the newest INIT
	shake  *seal.Handshake
	noise  []byte
}

// NewClient makes a client with a key of its own.
func NewClient(random io.Reader, attempt uint64, r wire.Request) *Client {
	p, err := seal.NewPair(random)
	if err != nil {
		panic(err)
	}
	return &Client{Attempt: attempt, Request: r, Pair: p, Random: random}
}

// Hello is the first packet.
func (c *Client) Hello() []byte { return wire.HelloMessage{Attempt: c.Attempt}.Append(nil) }

// Answer answers a packet of the handshake: an INIT to a CHALLENGE. After an ACCEPT, In is
// true.
func (c *Client) Answer(b []byte) []byte {
	if m, err := wire.ParseChallenge(b); err == nil && m.Attempt == c.Attempt && !c.In() {
		return c.answer(m)
	}
	m, err := wire.ParseAccept(b)
	if err != nil || m.Attempt != c.Attempt || c.shake == nil || c.In() {
		return nil
	}
	payload, ciphers, err := c.shake.Read2(m.Noise)
	if err != nil {
		return nil
	}
	if g, err := wire.ParseGrant(payload); err == nil {
		c.ID, c.Number, c.Reset, c.ciphers = g.ID, g.Number, g.Reset, ciphers
	}
	return nil
}

func (c *Client) answer(m wire.ChallengeMessage) []byte {
	if c.shake == nil || c.Server != m.Key {
		s, err := seal.Initiate(seal.Opening{Ours: c.Pair, Prologue: wire.Prologue(c.Attempt), Secret: c.Secret, Random: c.Random}, m.Key)
		if err != nil {
			panic(err)
		}
		if c.noise, err = s.Write1(c.Request.Append(nil)); err != nil {
			panic(err)
		}
		c.shake, c.Server = s, m.Key
	}
	c.Init = wire.InitMessage{Attempt: c.Attempt, Cookie: m.Cookie, Noise: c.noise}.Append(nil, transport.MaxPacket)
	return c.Init
}

// Denied reads a DENY of this client's.
func (c *Client) Denied(b []byte) (wire.DenyMessage, error) {
	if c.shake == nil {
		return wire.DenyMessage{}, errors.New("raw: no INIT was sent")
	}
	return wire.ParseDeny(b, c.shake.Denial())
}

// A Server lets every client in, one at a time.
type Server struct {
	End
	Pair    *seal.Pair
	Secret  seal.Key
	Random  io.Reader
	Number  uint64
	Reset   [seal.ResetSize]byte
	Cookie  [seal.CookieSize]byte
	Request wire.Request // of the newest INIT
	Client  seal.Key
	shake   *seal.Handshake
	accept  []byte
}

// NewServer makes a server with a key of its own.
func NewServer(random io.Reader) *Server {
	p, err := seal.NewPair(random)
	if err != nil {
		panic(err)
	}
	return &Server{End: End{FromListener: true, ID: 5}, Pair: p, Random: random}
}

// Answer answers a packet of the handshake: a CHALLENGE to a HELLO, an ACCEPT to an INIT.
func (s *Server) Answer(b []byte) []byte {
	if m, err := wire.ParseHello(b); err == nil {
		return wire.ChallengeMessage{Attempt: m.Attempt, Cookie: s.Cookie, Key: s.Pair.Public()}.Append(nil)
	}
	m, err := wire.ParseInit(b)
	if err != nil {
		return nil
	}
	if s.accept != nil {
		return s.accept
	}
	if !s.Read(m) {
		return nil
	}
	noise, ciphers, err := s.shake.Write2(wire.Grant{ID: s.ID, Number: s.Number, Reset: s.Reset}.Append(nil))
	if err != nil {
		panic(err)
	}
	s.ciphers = ciphers
	s.accept = wire.AcceptMessage{Attempt: m.Attempt, Noise: noise}.Append(nil)
	return s.accept
}

// Read reads an INIT.
func (s *Server) Read(m wire.InitMessage) bool {
	shake, err := seal.Respond(seal.Opening{Ours: s.Pair, Prologue: wire.Prologue(m.Attempt), Secret: s.Secret, Random: s.Random})
	if err != nil {
		panic(err)
	}
	s.shake = shake
	payload, client, err := shake.Read1(m.Noise)
	if err == nil {
		s.Client = client
		s.Request, err = wire.ParseRequest(payload)
	}
	return err == nil
}

// Deny refuses the client whose INIT was read last.
func (s *Server) Deny(m wire.DenyMessage) []byte {
	var nonce [seal.NonceSize]byte
	_, _ = io.ReadFull(s.Random, nonce[:])
	return m.Append(s.shake.Denial(), nonce)
}

// A Source makes bytes of 64-bit words.
type Source func() uint64

func (s Source) Read(b []byte) (int, error) {
	var word [8]byte
	for n := 0; n < len(b); {
		binary.LittleEndian.PutUint64(word[:], s())
		n += copy(b[n:], word[:])
	}
	return len(b), nil
}
