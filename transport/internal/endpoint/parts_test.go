package endpoint

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// On a path that is not known to carry more, a long packet goes in parts, of which the other
// end makes the packet again, with its number.
func TestPartsOfAPacket(t *testing.T) {
	b, c := joinedBy(t)
	conn := b.Endpoint.snapshot()[0]
	conn.mtu = mtu.Path{}
	state := bytes.Repeat([]byte("state"), 220)
	seq, _ := b.conns[0].Next()
	b.conns[0].Datagram(state)
	if len(b.sent) != 3 {
		t.Fatalf("%d packets", len(b.sent))
	}
	var j mtu.Joiner
	for i := range b.sent {
		p := b.sent[len(b.sent)-1-i]
		if len(p) > mtu.Base {
			t.Errorf("a part of %d bytes", len(p))
		}
		whole, number, err := c.Open(p)
		got, err2 := mtu.ParsePart(whole.Part)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		kind, of, payload, ok := j.Add(number, got)
		if ok != (i == 2) || ok && (wire.Kind(kind) != wire.Datagram || of != seq || !bytes.Equal(payload, state)) {
			t.Errorf("part %d: kind %d, packet %d, %d bytes, %v", i, kind, of, len(payload), ok)
		}
	}
}

// Parts that come are made a packet, in any order, once.
func TestPartsComeTogether(t *testing.T) {
	b, c := joinedBy(t)
	state := bytes.Repeat([]byte("x"), 1000)
	first := c.Seq + 1
	var parts [][]byte
	for i := range 2 {
		part := mtu.Part{Of: uint16(first), Index: i, Count: 2, Kind: uint8(wire.Datagram), Data: state[i*500 : i*500+500]}
		parts = append(parts, c.Say(wire.Part, part.Append(nil)...))
	}
	b.arrive(clientAddr, parts[1], parts[0], parts[1], parts[0])
	if len(b.events) != 1 || len(b.events[0]) < 1000 {
		t.Errorf("%d events", len(b.events))
	}
	bad := mtu.Part{Of: uint16(c.Seq + 1), Index: 0, Count: 2, Kind: uint8(wire.Close), Data: []byte{1}}
	b.events = nil
	b.arrive(clientAddr, c.Say(wire.Part, bad.Append(nil)...))
	bad.Index = 1
	b.arrive(clientAddr, c.Say(wire.Part, bad.Append(nil)...))
	if len(b.events) != 0 {
		t.Errorf("a close in parts: %q", b.events)
	}
}

// A probe is answered with its size, and a question with whether the packet has come.
func TestAnswersAboutThePath(t *testing.T) {
	b, c := joinedBy(t)
	number := c.Seq + 1
	b.arrive(clientAddr, c.Say(wire.Datagram))
	for _, x := range []struct {
		ask, want wire.ControlMessage
	}{
		{wire.ControlMessage{Type: wire.Probe, Size: 800, Pad: 800 - transport.OverheadUp - 3}, wire.ControlMessage{Type: wire.ProbeCame, Size: 800}},
		{wire.ControlMessage{Type: wire.Ask, Seq: uint16(number)}, wire.ControlMessage{Type: wire.Answer, Seq: uint16(number), Came: true}},
		{wire.ControlMessage{Type: wire.Ask, Seq: uint16(number) + 50}, wire.ControlMessage{Type: wire.Answer, Seq: uint16(number) + 50}},
	} {
		b.sent = nil
		b.arrive(clientAddr, c.Say(wire.Control, x.ask.Append(nil)...))
		if len(b.sent) != 1 {
			t.Fatalf("%+v: %d answers", x.ask, len(b.sent))
		}
		p, _, err := c.Open(b.sent[0])
		m, err2 := wire.ParseControl(p.Control)
		if err != nil || err2 != nil || m != x.want {
			t.Errorf("%+v is answered by %+v, %v, %v", x.ask, m, err, err2)
		}
	}
}

// A path on which long packets and then all but the shortest are lost is named.
func TestPathIsNamed(t *testing.T) {
	b, c := joinedBy(t)
	for b.err == nil && b.now < 8*time.Second {
		b.now += time.Second / 60
		b.conns[0].Next()
		b.conns[0].Datagram(make([]byte, 1100))
		b.Tick()
		sent := b.sent
		b.sent = nil
		b.arrive(clientAddr, c.Say(wire.Keepalive))
		for _, p := range sent {
			if len(p) > 100 {
				continue
			}
			got, _, err := c.Open(p)
			if m, err2 := wire.ParseControl(got.Control); err == nil && err2 == nil && m.Type == wire.Ask {
				b.arrive(clientAddr, c.Say(wire.Control, wire.ControlMessage{Type: wire.Answer, Seq: m.Seq}.Append(nil)...))
			}
		}
	}
	if !errors.Is(b.err, transport.ErrPath) || !errors.Is(b.err, transport.ErrTimeout) || b.now > 5*time.Second {
		t.Errorf("%v after %v", b.err, b.now)
	}
}
