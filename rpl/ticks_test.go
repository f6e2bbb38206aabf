package rpl_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A session plays up to its last tick and logs once, long before, that it is old; Step
// beyond the last tick is an error.
func TestTicksEnd(t *testing.T) {
	var said bytes.Buffer
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60, Log: slog.New(slog.NewTextHandler(&said, nil))}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := net.A.Step(rpl.MaxTick / 16 * 15); err != nil || said.Len() > 0 {
		t.Fatalf("when it is not old: %v, %s", err, said.String())
	}
	const ticks = 400
	net.Begin(rpl.MaxTick - ticks)
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.body}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	body := bodyItem{}
	for i := range ticks {
		net.Tick(func(rpl.Tick) {
			if i < ticks-10 {
				body.HP++
				net.A.Set(it, unsafe.Pointer(&body))
			}
		})
	}
	var got bodyItem
	if r, ok := c.P.Replica(id); !ok {
		t.Error("the node has not come")
	} else if c.P.Inject(r, 0, sch.body, unsafe.Pointer(&got)); got.HP != body.HP {
		t.Errorf("it shows %d, want %d", got.HP, body.HP)
	}
	if n := c.P.Counters().Refused; n > 0 {
		t.Errorf("%d packets were refused", n)
	}
	if err := net.A.Step(rpl.MaxTick + 1); !errors.Is(err, rpl.ErrLimit) {
		t.Errorf("one tick more: %v", err)
	}
	if n := strings.Count(said.String(), "the session is old"); n != 1 {
		t.Errorf("it was said %d times that the session is old: %s", n, said.String())
	}
}

// A proxy refuses a packet whose tick is farther ahead than time can explain. It
// accepts true packets after it, also after a long silence.
func TestTicksThatLeap(t *testing.T) {
	m := newPostman(t)
	m.c.P.Step(5)
	for _, leap := range []rpl.Tick{3600 * 60, rpl.MaxTick, 1<<32 - 1} { // before any true packet has arrived
		m.c.P.Receive(1, m.net.Now, rpl.FaultsOf(m.c.P).ForgeSpeculative(leap))
		m.c.P.Apply(m.net.Now, &m.c.Log)
		if n := m.c.P.Newest(); n != 0 {
			t.Fatalf("the newest tick is %d", n)
		}
	}
	id := m.spawn(t, m.sch.extra[2])
	m.ticks(t, 60)
	for i, leap := range []rpl.Tick{700, 3600 * 60, 1 << 31, 1<<32 - 100} {
		before := m.c.P.Newest()
		m.c.P.Receive(1000+uint64(i), m.net.Now, rpl.FaultsOf(m.c.P).ForgeSpeculative(before+leap))
		m.c.P.Apply(m.net.Now, &m.c.Log)
		if n := m.c.P.Newest(); n != before {
			t.Fatalf("after a leap of %d ticks the newest is %d, was %d", leap, n, before)
		}
	}
	body := bodyItem{}
	change := func() { body.HP++; m.net.A.Set(m.item(id, 0), unsafe.Pointer(&body)) }
	shows := func(when string) {
		t.Helper()
		var got bodyItem
		if m.read(t, id, 0, m.sch.body, unsafe.Pointer(&got)); got.HP != body.HP {
			t.Errorf("%s it shows %d, want %d", when, got.HP, body.HP)
		}
	}
	m.deliver(t, m.tick(change))
	shows("after leaps")
	for range 60 * 60 { // no packet arrives
		m.tick(nil)
	}
	m.deliver(t, m.tick(change))
	m.ticks(t, 60)
	shows("after a minute of silence")
	if n := m.c.P.Newest(); n+20 < m.net.TickNumber() {
		t.Errorf("the newest tick is %d of %d", n, m.net.TickNumber())
	}
}

// A proxy accepts packets, at once or soon, if it was told of the tick long after the
// session began or if its first packet arrives long after it was told.
func TestFirstPacketsComeLate(t *testing.T) {
	for _, c := range []struct {
		before, after int // ticks until the proxy is told of tick 5, and from then until packets arrive
		wait          int // ticks until a packet is accepted, at most
	}{
		{0, 60 * 5, 1},
		{0, 60 * 18, 1},
		{60 * 9, 60 * 9, 1},
		{60 * 12, 0, 60 * 3},
	} {
		m := newPostman(t)
		id := m.spawn(t, m.sch.extra[2])
		quiet := func(ticks int) {
			for range ticks {
				m.tick(nil)
				m.c.P.Apply(m.net.Now, &m.c.Log)
			}
		}
		quiet(c.before)
		m.c.P.Step(5)
		quiet(c.after)
		waited := 0
		for ; m.c.P.Newest() == 0 && waited < 60*10; waited++ {
			for _, l := range m.tick(nil) {
				m.c.P.Receive(l.seq, m.net.Now, l.b)
			}
			m.c.P.Apply(m.net.Now, &m.c.Log)
		}
		if waited > c.wait+15 { // a peer that has been silent so long is sent only 4 packets a second
			t.Errorf("%+v: believed after %d ticks: %+v", c, waited, m.c.P.Counters())
		}
		m.ticks(t, 60)
		if _, ok := m.c.P.Replica(id); !ok {
			t.Errorf("%+v: the node is not there: %+v", c, m.c.P.Counters())
		}
	}
}
