package endpoint

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// whimsical is a listener whose game refuses who asks first, and nobody after that.
func whimsical(t *testing.T) (b *bench, asked, refused *int) {
	asked, refused = new(int), new(int)
	b = admitting(t, func(string) error {
		if *asked++; *asked == 1 {
			return errors.New("the database is asleep")
		}
		return nil
	})
	b.offer.Refused = func(netip.AddrPort, error) { *refused++ }
	return b, asked, refused
}

// denied are the refusals among what was sent, which must be all that was sent.
func denied(t *testing.T, b *bench, c *raw.Client) (n int) {
	t.Helper()
	for _, p := range b.sent {
		if m, err := c.Denied(p); err != nil || m.Reason != wire.NotAdmitted || string(m.Detail) != "the database is asleep" {
			t.Errorf("answered with %x: %+v, %v", p, m, err)
		}
		n++
	}
	b.sent, b.to = nil, nil
	return n
}

// Repeats of a question that were under way when it was answered get the same answer: the game is
// not asked again, and nobody is let in who was refused.
func TestRefusedOnce(t *testing.T) {
	b, asked, refused := whimsical(t)
	c := client(1)
	b.arrive(clientAddr, c.Hello())
	init := c.Answer(b.last())
	b.sent, b.to = nil, nil
	b.Arrive(b.now, Path{Remote: clientAddr}, init)
	b.arrive(clientAddr, init) // before it is answered: one answer
	if n := denied(t, b, c); n != 1 {
		t.Errorf("%d answers at first", n)
	}
	for range 8 {
		b.pass(seal.CookieLife / 10)
		b.arrive(clientAddr, init)
		if n := denied(t, b, c); n != 1 {
			t.Errorf("%d answers to a repeat", n)
		}
	}
	if h := b.Held(); *asked != 1 || *refused != 1 || h != (Held{Denials: 1}) || b.most() != 0 {
		t.Errorf("asked %d times, %d refused, %+v is held", *asked, *refused, h)
	}
	b.arrive(strangers, init) // another address has no good cookie
	b.pass(seal.CookieLife)
	b.arrive(clientAddr, init) // nor has a late copy
	if len(b.sent) != 0 {
		t.Errorf("answered with %x", b.sent)
	}
	if again := client(2); b.shake(clientAddr, again) == nil || !again.In() || *asked != 2 {
		t.Errorf("another attempt is in: %v; asked %d times", again.In(), *asked)
	}
}

// The refusals that are remembered are bounded: of too many the oldest is forgotten, and those whose
// cookies are good no more.
func TestDenialsAreBounded(t *testing.T) {
	var d denials
	at := func(i int) *denial {
		return &denial{question: question{clientAddr, uint64(i)}, at: time.Duration(i) * time.Millisecond}
	}
	for i := range 3 * transport.MaxDenials {
		d.put(at(i))
		if n := min(i+1, transport.MaxDenials); len(d.of) != n || len(d.order) != n {
			t.Fatalf("%d and %d are kept of %d", len(d.of), len(d.order), i+1)
		}
	}
	late := at(3 * transport.MaxDenials)
	late.at += seal.CookieLife
	twice := *late
	d.put(late)
	d.put(&twice)
	if len(d.order) > 2 || d.of[late.question] != &twice {
		t.Errorf("%d are kept when their cookies are old", len(d.order))
	}
	twice.at += 2 * seal.CookieLife
	last := at(0)
	last.at = twice.at
	if d.put(last); len(d.of) != len(d.order) {
		t.Errorf("%d and %d are kept", len(d.of), len(d.order))
	}
}
