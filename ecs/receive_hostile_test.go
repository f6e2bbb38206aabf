package ecs_test

// Puppets: peers that are no session. They speak the session's messages by hand, and break
// the rules.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A puppet keeps what it hears. Its link is polled once a step.
type puppet struct {
	transport.Link
	conn  transport.Conn
	heard [][]byte
	end   error
}

func (p *puppet) Connected(c transport.Conn, _ []byte)                   { p.conn = c }
func (p *puppet) Datagram(transport.Conn, uint64, time.Duration, []byte) {}
func (p *puppet) Message(_ transport.Conn, b []byte)                     { p.heard = append(p.heard, slices.Clone(b)) }
func (p *puppet) Closed(_ transport.Conn, err error)                     { p.end = err }

// puppetSteps runs steps of the machines and of a puppet.
func (l *lab) puppetSteps(p *puppet, n int) {
	for range n {
		l.steps(1)
		p.Poll(p)
		if p.conn != nil {
			p.conn.Flush()
		}
	}
}

func (p *puppet) say(t *testing.T, msgs ...string) {
	t.Helper()
	for _, m := range msgs {
		if err := p.conn.Reliable([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
}

// puppetOffer is what a puppet says of its game.
func puppetOffer() transport.Offer {
	return transport.Offer{
		Game: "ecs test", Schema: proto.Schema().Hash(), Digest: proto.Schema().Digest(), Explain: proto.Schema().Explain,
		Hello: bytes.Repeat([]byte("k"), 16),
	}
}

// What a client says against the rules is counted each time. It joins no sooner for it, and
// neither it nor another client is sent away.
func TestServerRefusesBadMessages(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{}), l.client(tendon.Config{})
	server.tellPeers()
	Red.Allow(server.Replication, func(rpl.Peer) bool { return true })
	l.joined()
	server.said()
	link, err := l.net.Dialer(l.listener).Dial(puppetOffer())
	if err != nil {
		t.Fatal(err)
	}
	p := &puppet{Link: link}
	for range 60 {
		l.puppetSteps(p, 1)
	}
	if len(p.heard) != 1 || p.heard[0][0] != 0x80 {
		t.Fatalf("the puppet has heard %x", p.heard)
	}
	epoch := p.heard[0][14]
	ready := func(epoch byte) string { return string(append([]byte{0x81, epoch}, make([]byte, 20)...)) }
	nonsense := []string{
		"\x81", ready(epoch) + "x", "\x80", "\x82\x01", "\x83\x00", "\xff", // not to be read, or not for a server
		"\x84\x00", "\x84\x00\x02", "\x84\xc8\x01", // groups: cut short, neither in nor out, one that there is not
	}
	p.say(t, nonsense...)
	l.puppetSteps(p, 30)
	check(t, "counted", *server.Counter("message refused"), uint64(len(nonsense)))
	p.say(t, "", "\x01 a call before it is ready")
	l.puppetSteps(p, 30)
	check(t, "calls dropped", *server.Counter("rpc dropped"), 1)
	server.heard("")
	p.say(t, ready(epoch), ready(epoch)) // the second says nothing new
	l.puppetSteps(p, 30)
	server.heard("join 3")
	p.say(t, "\x84\x02\x01") // in the order of names: blue, near vault, red, sparks
	l.puppetSteps(p, 30)
	check(t, "let into a group", Red.Has(server.Replication, 3), true)
	check(t, "sent away", p.end == nil && ann.ended == nil, true)
	check(t, "peers", len(slices.Collect(server.Peers())), 3)
}

// What a server says against the rules is counted each time, and the client goes on. It
// leaves a server that makes other steps than it, with an error that says so.
func TestClientRefusesBadMessages(t *testing.T) {
	welcome := func(peer uint32, steps uint16) string {
		b := binary.LittleEndian.AppendUint32([]byte{0x80}, peer)
		b = binary.LittleEndian.AppendUint32(b, 100)
		b = binary.LittleEndian.AppendUint16(b, steps)
		b = binary.LittleEndian.AppendUint16(b, 30)
		return string(append(b, 1, 1)) + strings.Repeat("\x00", 8) // host, epoch, after
	}
	open := func(t *testing.T) (l *lab, p *puppet, client *machine) {
		l = newLab(t, lan)
		link, err := l.listener.Listen(puppetOffer())
		if err != nil {
			t.Fatal(err)
		}
		p, client = &puppet{Link: link}, l.client(tendon.Config{})
		for range 60 {
			l.puppetSteps(p, 1)
		}
		if p.conn == nil {
			t.Fatal("nobody has come")
		}
		return l, p, client
	}
	t.Run("nonsense", func(t *testing.T) {
		l, p, client := open(t)
		p.conn.Next()
		p.conn.Datagram([]byte("before the welcome"))
		nonsense := []string{"\x80", welcome(1, 60), welcome(2, 0), welcome(2, 20), "\x82", "\x83\x00", "\x83\x03", "\x81", "\x84\x00\x01", "\xff"}
		p.say(t, nonsense[:5]...)
		p.say(t, "\x01 a call before the welcome", "")
		p.say(t, nonsense[6:]...)
		l.puppetSteps(p, 30)
		check(t, "counted", *client.Counter("message refused"), uint64(len(nonsense)-1))
		check(t, "it has joined", client.Me(), 0)
		p.say(t, welcome(2, 60), welcome(3, 60)) // the second is one too many
		l.puppetSteps(p, 30)
		check(t, "counted", *client.Counter("message refused"), uint64(len(nonsense)))
		check(t, "it is", client.Me(), 2)
		check(t, "it says that it is ready", len(p.heard) > 0 && p.heard[0][0] == 0x81, true)
		p.say(t, "\x83\x01\x05door", "\x83\x00") // a name cut short; the end of the names
		l.puppetSteps(p, 30)
		check(t, "counted", *client.Counter("message refused"), uint64(len(nonsense)+1))
		check(t, "it stays", client.ended == nil && p.end == nil, true)
	})
	t.Run("other steps", func(t *testing.T) {
		l, p, client := open(t)
		p.say(t, welcome(2, 30))
		l.puppetSteps(p, 30)
		if !errors.Is(client.ended, transport.ErrSchema) || !strings.Contains(client.ended.Error(), "30 steps a second, this machine 60") {
			t.Errorf("it ended with %v", client.ended)
		}
		check(t, "it is alone", client.Mode(), tendon.Single)
		if !errors.Is(p.end, transport.ErrClosed) {
			t.Errorf("the server is told %v", p.end)
		}
	})
}
