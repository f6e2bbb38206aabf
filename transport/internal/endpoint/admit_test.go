package endpoint

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// admitting is a listener with one place, whose clients join when the test says so and are
// admitted by what admit says.
func admitting(t testing.TB, admit func(hello string) error) *bench {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = 1, true
	o.Admit = func(hello []byte, _ transport.Identity) error { return admit(string(hello)) }
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

// Who is refused by the game takes nobody's place: neither one that waits for its first packet,
// nor one that is open and gets ready.
func TestWhoIsRefusedTakesNoPlace(t *testing.T) {
	for _, opens := range []bool{false, true} {
		banned := errors.New("you are banned")
		b := admitting(t, func(hello string) error {
			if hello == "Bob" {
				return banned
			}
			return nil
		})
		first := b.accepted(t, clientAddr, 1)
		if opens {
			b.arrive(clientAddr, first.Say(wire.Keepalive))
		}
		b.pass(2 * transport.MomentToJoin)
		bob := client(2)
		bob.Request.Hello = []byte("Bob")
		if m, err := bob.Denied(b.shake(strangers, bob)); err != nil || m.Reason != wire.NotAdmitted {
			t.Errorf("Bob is answered with %+v, %v", m, err)
		}
		if len(b.Endpoint.conns) != 1 || b.err != nil {
			t.Errorf("%d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
		}
		third := b.accepted(t, strangers, 3)
		if b.find(third.ID) == nil || len(b.Endpoint.conns) != 1 || opens && !errors.Is(b.err, transport.ErrFull) {
			t.Errorf("then %d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
		}
	}
}

// A game that is asked may end what it was asked about: its session, or the one that would have
// given way. Then nobody else gives way, and nobody is let in to a session that is over.
func TestGameActsWhileItIsAsked(t *testing.T) {
	var b *bench
	asked := 0
	act := func() {}
	b = admitting(t, func(string) error {
		asked++
		act()
		return nil
	})
	first := b.accepted(t, clientAddr, 1)
	b.arrive(clientAddr, first.Say(wire.Keepalive))
	b.pass(2 * transport.MomentToJoin)
	act = func() { b.conns[0].Close("you may go") }
	second := b.accepted(t, strangers, 2)
	b.Poll(b)
	if len(b.Endpoint.conns) != 1 || b.find(second.ID) == nil || !errors.Is(b.err, transport.ErrClosed) {
		t.Errorf("%d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
	}
	b.pass(2 * transport.MomentToJoin)
	act = func() { b.Close("that was it") }
	third := client(3)
	if b.shake(netip.MustParseAddrPort("10.0.0.9:9"), third); third.In() || asked != 3 || len(b.Endpoint.conns)+len(b.asked) != 0 {
		t.Errorf("asked %d times; in a session that is over: %v, %d connections", asked, third.In(), len(b.Endpoint.conns))
	}
}

// A player asks, gets ready for a while, and, if it had to give way, asks again after a pause.
type player struct {
	from         netip.AddrPort
	level, again time.Duration
	foe          bool // is never ready
	c            *raw.Client
	conn         *Conn         // nil: not in
	next         time.Duration // when it asks again, or is ready
	beaten       int           // how often it gave way
	ready        time.Duration // when it was
}

// A crowd is players who ask to be let in where there are too few places.
type crowd struct {
	*bench
	players []*player
	attempt uint64
}

func newCrowd(t *testing.T, places int) *crowd {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = places, true
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return &crowd{bench: b}
}

// comes adds a player of an address of its own.
func (w *crowd) comes(p player) *player {
	p.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 4, 0, byte(len(w.players))}), 1000)
	w.players = append(w.players, &p)
	return &p
}

// run lets time pass until so many are ready.
func (w *crowd) run(end time.Duration, ready int) {
	for ; w.now < end && ready > 0; w.pass(50 * time.Millisecond) {
		w.Poll(w)
		for _, p := range w.players {
			if w.turn(p) {
				ready--
			}
		}
		w.sent, w.to, w.events, w.conns = nil, nil, nil, nil
	}
}

// turn has one of them do what it does now, and reports whether it is ready.
func (w *crowd) turn(p *player) (ready bool) {
	if p.conn != nil && p.conn.is(ended) {
		p.conn, p.next = nil, w.now+p.again
		p.beaten++
	}
	switch {
	case p.ready > 0 || w.now < p.next || p.foe && p.conn != nil:
	case p.conn != nil:
		p.conn.Joined()
		p.ready = w.now
		return true
	default:
		w.attempt++
		p.next, p.c = w.now+transport.HelloInterval, client(w.attempt)
		if p.foe {
			p.next = w.now + time.Second
		}
		if w.shake(p.from, p.c); p.c.In() {
			w.arrive(p.from, p.c.Say(wire.Keepalive))
			p.conn, p.next = w.find(p.c.ID), w.now+p.level
		}
	}
	if p.conn != nil && !p.conn.is(ended) {
		w.Arrive(w.now, Path{Remote: p.from}, p.c.Say(wire.Keepalive))
	}
	return false
}

// Players who need seconds to get ready fill the places that there are, however many ask for them:
// they do not send one another away for ever.
func TestPlacesAreFilled(t *testing.T) {
	const seed = 7
	for _, x := range []struct {
		places, players int
		level, again    time.Duration
	}{
		{1, 2, 4 * time.Second, time.Second},
		{1, 8, time.Second, time.Second},
		{1, 20, 2 * time.Second, 5 * time.Second},
		{1, 20, 2 * time.Second, 15 * time.Second},
		{1, 20, 8 * time.Second, 5 * time.Second},
		{4, 20, 4 * time.Second, 3 * time.Second},
	} {
		w := newCrowd(t, x.places)
		rng := rand.New(rand.NewPCG(seed, 8))
		for range x.players {
			w.comes(player{level: x.level, again: x.again, next: time.Duration(rng.IntN(3000)) * time.Millisecond})
		}
		w.run(time.Minute, x.places)
		ready, beaten, last := 0, 0, time.Duration(0)
		for _, p := range w.players {
			if beaten += p.beaten; p.ready > 0 {
				ready, last = ready+1, max(last, p.ready)
			}
		}
		t.Logf("%+v, seed %d: %d are ready, the last after %v; %d times one gave way", x, seed, ready, last, beaten)
		if ready < x.places || last > 6*x.level+10*time.Second {
			t.Errorf("%+v, seed %d: %d are ready, the last after %v", x, seed, ready, last)
		}
	}
}

// Who holds all places with clients that are never ready, from five addresses for each place,
// and for so long that the moment of who is let in has grown, does not keep out who comes once: that
// one is let in soon, and has the time that it needs.
func TestPlacesAreNotHeldForNothing(t *testing.T) {
	for _, level := range []time.Duration{200 * time.Millisecond, 8 * time.Second} {
		w := newCrowd(t, 8)
		for range 40 {
			w.comes(player{foe: true})
		}
		w.run(time.Minute, 1)
		for range 4 {
			one := w.comes(player{level: level, again: 2 * time.Second})
			began := w.now
			w.run(w.now+time.Minute, 1)
			t.Logf("a level of %v: ready after %v; gave way %d times", level, one.ready-began, one.beaten)
			if one.ready == 0 || one.beaten > 0 || one.ready-began > level+time.Second {
				t.Errorf("a level of %v: ready after %v; gave way %d times", level, one.ready-began, one.beaten)
			}
		}
	}
}

// A game that takes its time when it is asked is not asked about those who have given up meanwhile:
// they would hold places for nothing. Who asks anew is asked about.
func TestWhoHasGivenUpIsNotAskedAbout(t *testing.T) {
	b := listening(t)
	b.offer.Joins = true
	b.timing.HalfOpen = time.Minute
	slow := 2 * time.Second
	asked := 0
	b.offer.Admit = func([]byte, transport.Identity) error {
		asked++
		b.now += slow
		return nil
	}
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}), 1000)
	}
	for i := range 6 {
		c := client(uint64(i))
		b.Arrive(b.now, Path{Remote: at(i)}, c.Hello())
		b.Arrive(b.now, Path{Remote: at(i)}, c.Answer(b.last()))
	}
	b.Poll(b)
	if h := b.Held(); asked != 3 || h.HalfOpen != 3 || h.Requests != 0 || len(b.gate.waiting) != 3 {
		t.Errorf("asked %d times, in %v; %+v is held, %d are on their way", asked, transport.ConnectTimeout, h, len(b.gate.waiting))
	}
	slow = 0
	if again := client(9); b.shake(at(5), again) == nil || !again.In() || asked != 4 {
		t.Errorf("who asks again is in: %v; asked %d times", again.In(), asked)
	}
}
