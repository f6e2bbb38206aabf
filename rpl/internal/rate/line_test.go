package rate

// The estimate over simulated lines: a game that sends at 60 Hz, as far as the limit and a
// budget allow, and a peer that acknowledges at 60 Hz.

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

const (
	budget  = 256 << 10
	step    = time.Second / 60
	packet  = 1200
	reorder = 15 * time.Millisecond
)

// A sender is a game's stream over a Line.
type sender struct {
	now      time.Duration
	line     Line
	down, up *netsim.Path
	demand   func(now time.Duration) float64 // bytes a second
	tokens   float64
	short    bool // of tokens in the last send
	backlog  float64
	beside   int     // bytes that have arrived of packets that are not acknowledged
	once     float64 // share of the demand that no newer state replaces …
	said     float64 // … and what of it waits
	flight   []flying
	next     uint32
	newest   uint32 // acknowledged
	got      []uint32
	gotAt    time.Duration
	last     time.Duration // when the newest packet that has arrived was sent
	ages     []time.Duration
	sent     int
	arrived  int
	most     float64
}

type flying struct {
	n     uint32
	at    time.Duration
	total uint32
	bytes int
	done  bool
}

func newSender(seed uint64, c netsim.Conditions, demand float64) *sender {
	s := &sender{down: netsim.NewPath(seed, c), demand: func(time.Duration) float64 { return demand }}
	c.Rate, c.Queue = 0, 0
	s.up = netsim.NewPath(seed+1, c)
	return s
}

// tick is one step of both ends.
func (s *sender) tick() {
	s.now += step
	s.acks()
	s.send()
	s.peer()
	s.ages = append(s.ages, s.now-s.last)
	if s.line.Limit() == 0 {
		s.most = budget
	} else {
		s.most = s.line.Limit()
	}
}

func (s *sender) send() {
	s.line.Update(s.now, s.short, budget)
	rate := float64(budget)
	if l := s.line.Limit(); l > 0 {
		rate = min(l, budget)
	}
	bucket := max(rate/4, packet)
	if s.line.Limit() > 0 {
		bucket = max(rate/10, packet)
	}
	s.tokens += rate * step.Seconds()
	s.short = s.tokens < bucket
	s.tokens = min(s.tokens, bucket)
	wants := s.demand(s.now)
	for s.said = min(s.said+wants*s.once*step.Seconds(), 4*packet); s.said >= 200 && s.tokens >= 200; {
		n := min(s.said, packet, s.tokens)
		s.packet(int(n))
		s.said -= n
	}
	// State: what was not sent in time is replaced by newer state.
	wants *= 1 - s.once
	s.backlog = min(s.backlog+wants*step.Seconds(), max(wants*0.25, packet))
	room := func() float64 { return min(s.tokens, s.line.Spare(s.now)) }
	for s.backlog >= 200 && room() >= 200 || s.backlog > 0 && room() >= 200 && len(s.flight) == 0 {
		n := int(min(s.backlog, packet, max(room(), 200)))
		s.packet(n)
		s.backlog -= float64(n)
	}
}

// packet sends one.
func (s *sender) packet(n int) {
	var b [packet]byte
	s.line.Sent(n)
	binary.LittleEndian.PutUint32(b[:], s.next)
	binary.LittleEndian.PutUint64(b[4:], uint64(s.now))
	s.down.Send(s.now, b[:max(n, 12)])
	s.flight = append(s.flight, flying{s.next, s.now, s.line.Total(), n, false})
	s.next++
	s.tokens -= float64(n)
	s.sent += n
}

// peer takes what arrives and acknowledges it.
func (s *sender) peer() {
	for b, at, ok := s.down.Receive(s.now); ok; b, at, ok = s.down.Receive(s.now) {
		n := binary.LittleEndian.Uint32(b)
		if n == ^uint32(0) {
			s.beside += len(b)
			continue
		}
		s.last = max(s.last, time.Duration(binary.LittleEndian.Uint64(b[4:])))
		s.arrived += len(b)
		i, found := slices.BinarySearchFunc(s.got, n, func(x, y uint32) int { return int(int32(y - x)) })
		if !found {
			s.got = slices.Insert(s.got, i, n)
		}
		if i == 0 {
			s.gotAt = at
		}
	}
	if len(s.got) == 0 {
		return
	}
	ack := binary.LittleEndian.AppendUint32(nil, uint32(min((s.now-s.gotAt)/time.Millisecond, 255)))
	for _, n := range s.got[:min(len(s.got), 64)] {
		ack = binary.LittleEndian.AppendUint32(ack, n)
	}
	s.up.Send(s.now, ack)
	if len(s.got) > 64 { // each is told several times
		s.got = s.got[:64]
	}
}

func (s *sender) acks() {
	var ackedAt time.Duration
	for b, at, ok := s.up.Receive(s.now); ok; b, at, ok = s.up.Receive(s.now) {
		hold := time.Duration(binary.LittleEndian.Uint32(b)) * time.Millisecond
		for i := 4; i < len(b); i += 4 {
			n := binary.LittleEndian.Uint32(b[i:])
			j, found := slices.BinarySearchFunc(s.flight, n, func(f flying, n uint32) int { return int(int32(f.n - n)) })
			if !found || s.flight[j].done {
				continue
			}
			f := &s.flight[j]
			f.done = true
			s.line.Count(1, 0)
			if i == 4 {
				s.line.Arrived(f.total, 0, f.at, at-hold)
			}
			if f.n >= s.newest {
				s.newest, ackedAt = f.n, f.at
			}
		}
	}
	for len(s.flight) > 0 {
		f := s.flight[0]
		if !f.done && !(f.n < s.newest && f.at+reorder <= ackedAt) && s.now-f.at < 4*time.Second {
			break
		}
		if !f.done {
			s.line.Count(0, 1)
		}
		s.flight = s.flight[1:]
	}
}

func (s *sender) run(d time.Duration) {
	for end := s.now + d; s.now < end; {
		s.tick()
	}
}

// over measures a stretch of time: the 99th percentile of the age of the newest state, and
// the rates that were sent and that arrived.
func (s *sender) over(d time.Duration) (age time.Duration, sent, arrived float64) {
	s.ages, s.sent, s.arrived = s.ages[:0], 0, 0
	s.run(d)
	slices.Sort(s.ages)
	return s.ages[len(s.ages)*99/100], float64(s.sent) / d.Seconds(), float64(s.arrived) / d.Seconds()
}

// A line that becomes slower than the game is followed, whatever its round trip and loss,
// and set free again.
func TestSlowerLineIsFollowed(t *testing.T) {
	for seed := range uint64(3) {
		for _, c := range []netsim.Conditions{
			{Delay: 5 * time.Millisecond},
			{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond},
			{Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05},
			{Delay: 20 * time.Millisecond, Loss: 0.2},
			{Delay: 150 * time.Millisecond},
		} {
			s := newSender(seed, c, 10_000)
			s.run(10 * time.Second)
			if s.line.Limit() != 0 {
				t.Errorf("seed %d, %+v: a limit of %.0f B/s on a line without one", seed, c, s.line.Limit())
			}
			slow := c
			slow.Rate, slow.Queue = 8000, 16_000 // 64 kbit/s, two seconds
			s.down.SetConditions(slow)
			s.run(5 * time.Second)
			age, sent, arrived := s.over(30 * time.Second)
			if age > 500*time.Millisecond || arrived < 0.7*8000*(1-c.Loss) {
				t.Errorf("seed %d, %+v: in the squeeze the age is %v, %.0f B/s are sent, %.0f arrive", seed, c, age, sent, arrived)
			}
			s.down.SetConditions(c)
			s.run(3 * time.Second)
			if age2, sent, _ := s.over(5 * time.Second); age2 > c.Delay+c.Jitter+150*time.Millisecond || sent < 9500 {
				t.Errorf("seed %d, %+v: after it the age is %v, %.0f B/s are sent", seed, c, age2, sent)
			}
			t.Logf("seed %d, %+v: age %v, sent %.0f, arrived %.0f", seed, c, age, sent, arrived)
		}
	}
}

// What a line carries is used by a game that wants more, also where a little is lost, with
// deep queues and shallow ones.
func TestLineIsUsedInFull(t *testing.T) {
	for seed := range uint64(3) {
		for _, c := range []netsim.Conditions{
			{Rate: 125_000, Delay: 50 * time.Millisecond, Loss: 0.01},
			{Rate: 125_000, Delay: 50 * time.Millisecond, Loss: 0.01, Queue: 15_000},
			{Rate: 125_000, Delay: 10 * time.Millisecond, Jitter: 10 * time.Millisecond, Queue: 250_000},
			{Rate: 40_000, Delay: 30 * time.Millisecond},
			{Rate: 20_000, Delay: 100 * time.Millisecond, Loss: 0.01, Queue: 40_000},
			{Rate: 125_000, Delay: 30 * time.Millisecond, Queue: 5_000},
			{Rate: 8_000, Delay: 30 * time.Millisecond, Queue: 16_000},
		} {
			s := newSender(seed, c, 200_000)
			s.run(8 * time.Second)
			age, sent, arrived := s.over(40 * time.Second)
			t.Logf("seed %d, %+v: age %v, sent %.0f, arrived %.0f, limit %.0f", seed, c, age, sent, arrived, s.line.Limit())
			if arrived < 0.8*float64(c.Rate) || age > c.Delay+c.Jitter+400*time.Millisecond || arrived < 0.7*sent {
				t.Errorf("seed %d, %+v: age %v, %.0f B/s are sent, %.0f arrive", seed, c, age, sent, arrived)
			}
		}
	}
}

// Loss that has nothing to do with what is sent holds nothing back for long, and nothing at all but what newer state
// replaces, unless far more is lost than by radio.
func TestLossAlone(t *testing.T) {
	for seed := range uint64(5) {
		for _, c := range []netsim.Conditions{{Loss: 0.2}, {Loss: 0.08}, {Loss: 0.2, Burst: 3}, {Loss: 0.3, Delay: 50 * time.Millisecond}, {Loss: 0.1, Jitter: 100 * time.Millisecond}} {
			s := newSender(seed, c, 30_000)
			limited, all := 0, 0
			for range 60 * 60 {
				s.tick()
				if s.line.Tries() || s.line.Limit() != 0 && s.line.Limit() < 27_000 {
					limited++
				}
				if s.line.Limit() != 0 {
					all++
				}
			}
			t.Logf("seed %d, %+v: state is held back in %d of 3600 steps, all in %d", seed, c, limited, all)
			if limited > 60*10 || c.Loss < 0.25 && c.Burst == 0 && all > 0 {
				t.Errorf("seed %d, %+v: state is held back in %d of 3600 steps, all in %d", seed, c, limited, all)
			}
		}
	}
}

// What is said once leaves during a trial. It ends the trial if it is so much that no less is sent than before.
func TestBurstEndsTrial(t *testing.T) {
	for seed := range uint64(5) {
		s := newSender(seed, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.12}, 30_000)
		for range 60 * 60 {
			if s.tick(); s.line.Tries() {
				break
			}
		}
		if !s.line.Tries() || s.line.Limit() != 0 {
			t.Fatalf("seed %d: a trial %t, a limit of %.0f B/s", seed, s.line.Tries(), s.line.Limit())
		}
		s.line.Sent(2000)
		if s.tick(); !s.line.Tries() || s.line.Spare(s.now) > packet {
			t.Errorf("seed %d: after 2 kB a trial %t, in which %.0f B of state may leave", seed, s.line.Tries(), s.line.Spare(s.now))
		}
		s.line.Sent(15_000)
		if s.tick(); s.line.Tries() || s.line.Spare(s.now) < budget {
			t.Errorf("seed %d: after 17 kB a trial %t", seed, s.line.Tries())
		}
	}
}

// A queue that somebody else fills, and a way that becomes longer, hold nothing back for long.
func TestQueuesOfOthersHoldNothingBack(t *testing.T) {
	s := newSender(1, netsim.Conditions{Delay: 10 * time.Millisecond}, 20_000)
	s.run(5 * time.Second)
	s.down.SetConditions(netsim.Conditions{Delay: 400 * time.Millisecond, Jitter: 20 * time.Millisecond})
	s.run(5 * time.Second)
	if _, sent, _ := s.over(5 * time.Second); sent < 18_000 {
		t.Errorf("%.0f B/s are sent on a longer way", sent)
	}
}

// A short disturbance is no slow line.
func TestShortStallIsNoSlowLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	s := newSender(3, netsim.Conditions{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond}, 20_000)
	s.run(3 * time.Second)
	low := 0
	for range 20 {
		s.run(2*time.Second + time.Duration(rng.IntN(1000))*time.Millisecond)
		stall := 100 + rng.IntN(250)
		for i := range stall / 16 { // what is sent now arrives at the end
			s.down.SetConditions(netsim.Conditions{Delay: 20*time.Millisecond + time.Duration(stall-16*i)*time.Millisecond})
			s.run(step)
		}
		s.down.SetConditions(netsim.Conditions{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond})
		for range 60 {
			if s.tick(); s.line.Limit() != 0 && s.line.Limit() < 19_000 {
				low++
			}
		}
	}
	if low > 20*15 {
		t.Errorf("held back in %d steps after 20 stalls", low)
	}
	t.Logf("held back in %d steps after 20 stalls", low)
}

// Whatever is reported, the limit is none, or at least one packet a second.
func FuzzLine(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var l Line
		now := time.Duration(0)
		for range 2000 {
			now += time.Duration(rng.IntN(int(200 * time.Millisecond)))
			l.Sent(rng.IntN(5000))
			for range rng.IntN(4) {
				l.Arrived(l.Total()-uint32(rng.IntN(20_000)), uint32(rng.IntN(20_000)), now-time.Duration(rng.IntN(int(time.Second))), now-time.Duration(rng.IntN(int(100*time.Millisecond))))
			}
			l.Count(rng.IntN(10), rng.IntN(10))
			l.Update(now, rng.IntN(2) == 0, budget)
			if v := l.Limit(); v != 0 && !(v >= slower && v < budget) {
				t.Fatalf("seed %d: a limit of %v", seed, v)
			}
		}
	})
}
