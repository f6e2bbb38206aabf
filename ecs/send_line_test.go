package ecs_test

// Lines that carry less than the session wants to send.

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A slowLine is a server whose n bodies move unpredictably in every step, and a client that
// notes how old the newest state is that it has.
type slowLine struct {
	*lab
	server, client *machine
	dial           *mem.Dialer
	ages           []time.Duration
}

func newSlowLine(t *testing.T, way netsim.Conditions, n int) *slowLine {
	l := newLab(t, way)
	s := &slowLine{lab: l, server: l.server(tendon.Config{Sends: 60}), client: l.machine("client", tendon.Config{Sends: 60})}
	s.dial = l.net.Dialer(l.listener)
	s.client.joins = true
	s.client.Join(s.dial)
	l.joined()
	rng := rand.New(rand.NewPCG(1, l.seed))
	clock := s.server.Create(Foreign)
	id := tendon.ID(clock)
	for range n {
		s.server.Create(Body)
	}
	s.server.step = func() {
		Foreign.Get(clock).Value = int32(s.server.Tick())<<1 | rng.Int32N(2) // what counts evenly is late where packets are lost
		for e := range Body.Iter(s.server.World()) {
			b := Body.Get(e)
			b.Pos.X += float64(rng.IntN(64)) / 8
			b.Pos.Y += float64(rng.IntN(64)) / 8
		}
	}
	s.client.step = func() {
		var e *donburi.Entry
		if e, _ = s.client.Find(id); e != nil {
			s.ages = append(s.ages, time.Duration(int32(s.server.Tick())-Foreign.Get(e).Value>>1)*time.Second/60)
		}
	}
	return s
}

// over runs for some seconds and returns the 99th percentile of the state's age, and the
// bytes a second that the server sent.
func (s *slowLine) over(seconds int) (age time.Duration, sent int) {
	before := s.server.Stats(s.client.Me()).Conn.BytesOut
	s.ages = s.ages[:0]
	s.steps(60 * seconds)
	slices.Sort(s.ages)
	return s.ages[len(s.ages)*99/100], int(s.server.Stats(s.client.Me()).Conn.BytesOut-before) / seconds
}

// Over a line that suddenly carries less than what is sent, and has a deep queue, state
// stays young, at the default budget; once the line carries all again, all is sent again.
func TestLineIsFollowed(t *testing.T) {
	for _, way := range some([]netsim.Conditions{{Delay: 20 * time.Millisecond}, {Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02}}) {
		s := newSlowLine(t, way, 70)
		s.steps(300)
		usual, offered := s.over(5)
		slow := way
		slow.Rate, slow.Queue = 8000, 16_000
		s.dial.SetConditions(way, slow)
		s.steps(300)
		squeezed, sent := s.over(20)
		limit := s.server.Stats(s.client.Me()).SendLimit
		s.dial.SetConditions(way, way)
		s.steps(180)
		after, again := s.over(5)
		t.Logf("age %v of %d B/s; %v, %d B/s, limit %d; %v, %d B/s", usual, offered, squeezed, sent, limit, after, again)
		if offered < 10_000 || limit < 4_000 || limit > 16_000 {
			t.Errorf("%d B/s are offered, the limit is %d", offered, limit)
		}
		if squeezed > 500*time.Millisecond || sent < 5600 {
			t.Errorf("the age is %v in the squeeze, %d B/s are sent", squeezed, sent)
		}
		if after > usual+50*time.Millisecond || again < offered*9/10 {
			t.Errorf("the age is %v after the squeeze, and was %v before; %d B/s are sent of %d", after, usual, again, offered)
		}
	}
}

// What a line carries is used.
func TestLineIsUsed(t *testing.T) {
	s := newSlowLine(t, lan, 200)
	way := netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.01}
	slow := way
	slow.Rate = 31_250 // 250 kbit/s
	s.dial.SetConditions(way, slow)
	s.steps(300)
	age, sent := s.over(15)
	t.Logf("age %v, %d B/s", age, sent)
	if sent < 25_000 || age > 500*time.Millisecond {
		t.Errorf("%d of 31,250 B/s are sent, the age is %v", sent, age)
	}
}

// A long value in a room in which nothing else changes is sent as fast as the line carries it: what little was sent before
// says nothing of the line.
func TestValueInAQuietRoomUsesTheLine(t *testing.T) {
	for _, delay := range some([]time.Duration{20, 50}) {
		const size, rate = 60_000, 20_000
		p := tendon.NewProtocol("quiet")
		drawings := tendon.Replicate(p, "drawing", donburi.NewComponentType[struct {
			B []byte `rpl:"max=60000"`
		}]())
		l := tendontest.NewLab(t, tendontest.Game{Protocol: p, Config: tendon.Config{Dedicated: true}, Step: func(*tendontest.Machine) {}}, netsim.Conditions{Delay: delay * time.Millisecond, Rate: rate})
		server, client := l.Host(), l.Join()
		l.Steps(300)
		e := server.Create(drawings)
		rng := rand.New(rand.NewPCG(1, 2))
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		drawings.Get(e).B = b
		steps := 0
		for has := false; !has && steps < 1200; steps++ {
			l.Steps(1)
			for e := range drawings.Iter(client.World()) {
				has = len(drawings.Get(e).B) == size
			}
		}
		limit := server.Stats(client.Me()).SendLimit
		t.Logf("%d ms: %d bytes come in %d steps, the limit is %d", delay, size, steps, limit)
		if limit < rate*2/3 || steps > size*60*3/2/rate {
			t.Errorf("%d ms: %d bytes come in %d steps over a line of %d B/s, the limit is %d", delay, size, steps, rate, limit)
		}
	}
}
