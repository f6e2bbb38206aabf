package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A client that gets no answer sends HELLOs for five seconds and then stops.
func TestGivesUp(t *testing.T) {
	b := dialled(t)
	step := transport.HelloInterval / 5
	for b.pass(step); b.now < transport.ConnectTimeout; b.pass(step) {
		b.Tick()
		b.Poll(b)
	}
	// The first rounds are quicker, and their sum is not a multiple of the interval.
	quick := eagerRounds * (transport.HelloInterval * 2 / 5)
	if want := eagerRounds + 1 + int((transport.ConnectTimeout-quick-1)/transport.HelloInterval); len(b.sent) != want || b.err != nil {
		t.Errorf("%d questions in %v, want %d; told %v", len(b.sent), b.now, want, b.err)
	}
	for _, p := range b.sent {
		if !bytes.Equal(p, b.sent[0]) {
			t.Fatal("a question is not repeated as it was")
		}
	}
	asked := len(b.sent)
	for range 100 {
		b.Poll(b)
		b.Tick()
		b.pass(step)
	}
	if len(b.events) != 1 || !errors.Is(b.err, transport.ErrNoAnswer) || len(b.sent) != asked {
		t.Errorf("told %q, %v; %d questions more", b.events, b.err, len(b.sent)-asked)
	}
}

// A connection that has sent nothing for the Keepalive interval sends a keepalive, not
// earlier; any packet that it sends starts the interval again.
func TestKeepalive(t *testing.T) {
	b, c := joinedBy(t)
	b.conns[0].Next()
	b.conns[0].Datagram(nil)
	b.sent, b.now = nil, b.now+transport.Keepalive-1
	if b.Tick(); len(b.sent) != 0 {
		t.Errorf("after %v: %x", transport.Keepalive-1, b.sent)
	}
	b.conns[0].Next()
	b.conns[0].Datagram(nil)
	b.sent, b.now = nil, b.now+1
	if b.Tick(); len(b.sent) != 0 {
		t.Errorf("beside a datagram: %x", b.sent)
	}
	b.now += transport.Keepalive - 1
	b.Tick()
	b.Tick()
	if p, _, err := c.Open(b.last()); len(b.sent) != 1 || err != nil || p.Kind != wire.Keepalive {
		t.Errorf("after %v: %x", transport.Keepalive, b.sent)
	}
}

// Who has been told goodbye says none, though the game has not looked yet.
func TestNoGoodbyeToWhoHasLeft(t *testing.T) {
	b, s := connected(t)
	b.Arrive(b.now, Path{Remote: serverAddr}, s.Say(wire.Close, wire.AppendReason(nil, wire.Ended, "over")...))
	b.sent = nil
	if b.Close("bye"); len(b.sent) != 0 || b.Lingers() {
		t.Errorf("it says %x", b.sent)
	}
}

// A second Close does nothing: the goodbye of the first is said again until the peer knows.
func TestCloseAgain(t *testing.T) {
	b, c := joinedBy(t)
	b.sent = nil
	b.conns[0].Close("first")
	b.conns[0].Close("second")
	if len(b.sent) != 1 || !b.Lingers() {
		t.Fatalf("%d packets, and it ends there: %v", len(b.sent), !b.Lingers())
	}
	for range 5 { // the first copy is lost
		b.pass(transport.CloseInterval)
		b.Tick()
	}
	p, _, err := c.Open(b.last())
	if err != nil || p.Kind != wire.Close || len(b.sent) < 2 || !strings.Contains(string(p.Reason), "first") {
		t.Errorf("of %d packets the last is %+v, %v", len(b.sent), p, err)
	}
}

// A client that does not hear its server asks more often, and each question is answered by a
// server that was started anew, wherever it comes from.
func TestUnheardAsksMoreOften(t *testing.T) {
	b, _ := connected(t)
	count := func(d time.Duration) int {
		b.sent = nil
		for end := b.now + d; b.now < end; {
			b.pass(transport.Keepalive / 5)
			b.Tick()
		}
		return len(b.sent)
	}
	if n := count(2 * transport.Keepalive); n > 2 {
		t.Errorf("%d packets while it waits", n)
	}
	if n := count(4 * transport.Keepalive); n < 36 || n > 40 {
		t.Errorf("%d packets once it has waited", n)
	}
	anew, asked := listening(t), 0
	for _, p := range b.sent {
		if _, err := wire.ParseSeek(p); err != nil {
			continue
		}
		asked++
		anew.Arrive(anew.now, Path{Remote: strangers}, p)
		if _, err := wire.ParseReset(anew.last()); len(anew.sent) != asked || err != nil {
			t.Fatalf("question %d of %d bytes: %d answers, %v", asked, len(p), len(anew.sent), err)
		}
	}
	if asked < 18 {
		t.Errorf("of %d packets %d ask", len(b.sent), asked)
	}
}

// The token of a RESET is given to nobody while there is the connection that it would end,
// not on its way in and not while its goodbye is said; afterwards the client believes it, from its
// server's address alone.
func TestTokenOfAReset(t *testing.T) {
	b := listening(t)
	c := b.accepted(t, clientAddr, 1)
	answers := func(m wire.SeekMessage, from netip.AddrPort) int {
		b.sent = nil
		b.arrive(from, m.Append(nil))
		return len(b.sent)
	}
	seek := wire.SeekMessage{ID: c.ID, Number: c.Number}
	for _, what := range []string{"half-open", "open", "leaving"} {
		switch what {
		case "open":
			b.arrive(clientAddr, c.Say(wire.Keepalive))
		case "leaving":
			b.conns[0].Close("why")
		}
		if n := answers(seek, clientAddr) + answers(seek, strangers); n != 0 {
			t.Errorf("%s: %d answers", what, n)
		}
	}
	for _, other := range []wire.SeekMessage{{ID: c.ID, Number: c.Number + 1}, {ID: c.ID + 1, Number: c.Number}} {
		if answers(other, strangers) != 1 || bytes.Equal(b.last(), wire.ResetMessage{Token: c.Reset}.Append(nil)) {
			t.Errorf("%+v: %x", other, b.sent)
		}
	}
	b.arrive(clientAddr, c.Say(wire.Control, byte(wire.Farewell)))
	if answers(seek, strangers) != 1 || !bytes.Equal(b.last(), wire.ResetMessage{Token: c.Reset}.Append(nil)) {
		t.Errorf("once it has ended: %x, not %x", b.sent, c.Reset)
	}

	b, _ = connected(t)
	b.Endpoint.client.reset = [12]byte{1, 11: 2}
	for i, x := range []struct {
		from  netip.AddrPort
		token [12]byte
		ends  bool
	}{{serverAddr, [12]byte{}, false}, {serverAddr, [12]byte{1, 11: 3}, false}, {strangers, [12]byte{1, 11: 2}, false}, {serverAddr, [12]byte{1, 11: 2}, true}} {
		if b.arrive(x.from, wire.ResetMessage{Token: x.token}.Append(nil)); errors.Is(b.err, transport.ErrReset) != x.ends {
			t.Errorf("%d: told %v", i, b.err)
		}
	}
}

// A client whose goodbye has come, and who has not heard the answer, is told by a RESET.
func TestGoodbyeIsKnown(t *testing.T) {
	b, s := connected(t)
	b.Close("bye")
	b.now += transport.CloseInterval
	b.Tick()
	if m, err := wire.ParseSeek(b.last()); err != nil || m != (wire.SeekMessage{ID: s.ID, Number: s.Number}) || len(b.sent) != 3 {
		t.Fatalf("it sends %d packets, the last is %x", len(b.sent), b.last())
	}
	if b.Arrive(b.now, Path{Remote: serverAddr}, wire.ResetMessage{Token: s.Reset}.Append(nil)); b.Lingers() {
		t.Error("it goes on")
	}
}

// A connection ends exactly one SilenceTimeout after the reader got its last packet.
func TestSilence(t *testing.T) {
	b, pack := joined(t)
	b.pass(time.Second)
	b.Arrive(b.now, Path{Remote: clientAddr}, pack(wire.Keepalive, 2))
	b.pass(transport.SilenceTimeout - 1)
	if b.Poll(b); b.err != nil {
		t.Fatalf("told %v after %v", b.err, transport.SilenceTimeout-1)
	}
	b.now++
	if b.Poll(b); !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v after %v", b.err, transport.SilenceTimeout)
	}
}

// Each way to end a connection gives the right error at this end, and Close packets with
// different sequence numbers to the other, until that says that it knows.
func TestCausesSent(t *testing.T) {
	broken := []byte{1, 0, 0, 0, 81, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}
	for _, x := range []struct {
		name   string
		client bool // ends it, else a listener
		do     func(b *bench, pack packer)
		cause  wire.Cause
		err    error // told here; nil: nothing
	}{
		{"the listener kicks", false, func(b *bench, _ packer) { b.conns[0].Close("why") }, wire.Kicked, transport.ErrClosed},
		{"the listener ends", false, func(b *bench, _ packer) { b.Close("why") }, wire.Ended, nil},
		{"the listener is shut", false, func(b *bench, _ packer) { b.Shut("why") }, wire.Ended, transport.ErrClosed},
		{"the listener hears nothing", false, func(b *bench, _ packer) { b.pass(transport.SilenceTimeout) }, wire.Unheard, transport.ErrTimeout},
		{"the listener's socket fails", false, func(b *bench, _ packer) { b.Fail(errors.New("gone")) }, wire.Unheard, transport.ErrSocket},
		{"the listener cannot read", false, func(b *bench, pack packer) {
			b.arrive(clientAddr, pack(wire.Lane, 2, broken...))
		}, wire.Broken, transport.ErrTooLong},
		{"the client leaves", true, func(b *bench, _ packer) { b.conns[0].Close("why") }, wire.Ended, transport.ErrClosed},
		{"the client ends", true, func(b *bench, _ packer) { b.Close("why") }, wire.Ended, nil},
	} {
		b, c := joinedBy(t)
		end, from := &c.End, clientAddr
		if x.client {
			var s *raw.Server
			b, s = connected(t)
			end, from = &s.End, serverAddr
		}
		x.do(b, c.Seal)
		b.Poll(b)
		for copies := 1; copies < transport.CloseCopies; copies++ {
			if len(b.sent) != copies || !b.Lingers() {
				t.Errorf("%s: %d copies, not %d", x.name, len(b.sent), copies)
			}
			b.now += time.Duration(copies)*transport.CloseInterval - 1
			b.Tick()
			b.now++
			b.Tick()
			if last := len(b.sent) - 1; x.client { // a SEEK beside it
				if _, err := wire.ParseSeek(b.sent[last]); err != nil {
					t.Errorf("%s: %v", x.name, err)
				}
				b.sent = b.sent[:last]
			}
		}
		if len(b.sent) != transport.CloseCopies || !errors.Is(b.err, x.err) || x.err == nil && b.err != nil || len(b.Endpoint.conns) != 0 {
			t.Errorf("%s: %d packets, told %v, %d connections", x.name, len(b.sent), b.err, len(b.Endpoint.conns))
			continue
		}
		numbers := map[uint64]bool{}
		for _, s := range b.sent {
			p, seq, err := end.Open(s)
			if err != nil || p.Kind != wire.Close || wire.Cause(p.Reason[0]) != x.cause {
				t.Errorf("%s: it sends %+v, %v", x.name, p, err)
			}
			numbers[seq] = true
		}
		if len(numbers) != transport.CloseCopies {
			t.Errorf("%s: numbers %v", x.name, numbers)
		}
		b.sent = nil
		b.arrive(from, end.Seal(wire.Control, 1<<10, byte(wire.Farewell)))
		b.now += time.Second
		b.Tick()
		if b.Poll(b); len(b.sent) != 0 || b.Lingers() || len(b.byID) != 0 {
			t.Errorf("%s: after the end it sends %x", x.name, b.sent)
		}
	}
}

// A client that is closed between the ACCEPT and the Poll that reports it says goodbye: the
// listener has let it in by its first packet, and would wait for the whole silence.
func TestCloseBeforeConnected(t *testing.T) {
	b := dialled(t)
	s := raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
	b.arrive(serverAddr, s.Answer(b.last()))
	b.Arrive(b.now, Path{Remote: serverAddr}, s.Answer(b.last()))
	if len(b.conns) != 0 {
		t.Fatalf("connected before a Poll: %q", b.events)
	}
	b.Close("why")
	if p, _, err := s.End.Open(b.last()); err != nil || p.Kind != wire.Close || !b.Lingers() {
		t.Errorf("it sends %+v, %v", p, err)
	}
}

// Each cause gives the receiver of the Close packet the right error, once for all
// copies.
func TestCausesReceived(t *testing.T) {
	for cause, want := range map[wire.Cause]error{
		wire.Ended: transport.ErrClosed, wire.Kicked: transport.ErrKicked, wire.Broken: transport.ErrClosed,
		wire.Unheard: transport.ErrTimeout, wire.Crowded: transport.ErrFull, 5: transport.ErrClosed, 255: transport.ErrClosed,
	} {
		b, c := joinedBy(t)
		for range transport.CloseCopies {
			b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Close, wire.AppendReason(nil, cause, "why")...))
		}
		if len(b.sent) != transport.CloseCopies {
			t.Errorf("%d answers", len(b.sent))
		}
		for _, s := range b.sent {
			if p, _, err := c.Open(s); err != nil || p.Kind != wire.Control || wire.ControlType(p.Control[0]) != wire.Farewell {
				t.Errorf("answered with %+v, %v", p, err)
			}
		}
		b.sent = nil
		b.Poll(b)
		if fmt.Sprint(b.events) != "[closed]" || !errors.Is(b.err, want) || len(b.sent) != 0 {
			t.Errorf("cause %d: %q, %v; answered with %x", cause, b.events, b.err, b.sent)
		}
	}
}
