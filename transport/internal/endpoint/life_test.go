package endpoint

import (
	"bytes"
	"errors"
	"fmt"
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

// A client that does not hear its server asks more often, and each question is long enough
// for a server that was started anew to answer.
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
	if n := count(4 * transport.Keepalive); n < 18 || n > 20 {
		t.Errorf("%d packets once it has waited", n)
	}
	anew := listening(t)
	for i, p := range b.sent {
		anew.Arrive(anew.now, Path{Remote: clientAddr}, p)
		if len(anew.sent) != i+1 || len(anew.last()) != wire.ResetSize {
			t.Fatalf("question %d of %d bytes: %d answers", i, len(p), len(anew.sent))
		}
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

// Each cause gives the receiver of the Close packet the right error, once for all
// copies.
func TestCausesReceived(t *testing.T) {
	for cause, want := range map[wire.Cause]error{
		wire.Ended: transport.ErrClosed, wire.Kicked: transport.ErrKicked, wire.Broken: transport.ErrClosed,
		wire.Unheard: transport.ErrTimeout, 4: transport.ErrClosed, 255: transport.ErrClosed,
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
