package rpl_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// Benchmarks of a whole authority and its proxies, and a test that their steady state
// does not allocate.

// crowd is an authority with n nodes of the bench's nine fields, of which position and
// velocity change at every tick, and its peers.
type crowd struct {
	a     *rpl.Authority
	body  *rpl.ItemType
	nodes []rpl.Node
	items []rpl.Item
	words [][]int32
	still bool // nodes stand still
	tick  rpl.Tick
	now   time.Duration
	ends  []*end
}

// end is one peer, its proxy, and the packets in both directions.
type end struct {
	peer  rpl.Peer
	proxy *rpl.Proxy
	down  tray
	up    tray
	log   mute
}

// tray is a sink that copies the datagrams of one send into its own memory.
type tray struct {
	seq   uint64
	bytes []byte
	packs [][2]int
	seqs  []uint64
	mail  [][]byte
}

func (s *tray) Next() (uint64, int) { s.seq++; return s.seq, rpl.PacketRoom }

func (s *tray) Datagram(b []byte) {
	s.packs = append(s.packs, [2]int{len(s.bytes), len(s.bytes) + len(b)})
	s.bytes, s.seqs = append(s.bytes, b...), append(s.seqs, s.seq)
}

func (s *tray) Reliable(b []byte) error {
	s.mail = append(s.mail, append([]byte(nil), b...))
	return nil
}

func (s *tray) empty() { s.bytes, s.packs, s.seqs, s.mail = s.bytes[:0], s.packs[:0], s.seqs[:0], nil }

// mute is a handler that does nothing.
type mute struct{}

func (mute) Arrived(*rpl.Replica)                         {}
func (mute) Loaded(*rpl.Replica)                          {}
func (mute) ItemAdded(*rpl.Replica, int)                  {}
func (mute) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) {}
func (mute) Owned(*rpl.Replica, rpl.Peer)                 {}
func (mute) Reparenting(*rpl.Replica)                     {}
func (mute) Parented(*rpl.Replica, rpl.Node)              {}
func (mute) Changed(*rpl.Replica, int, rpl.Tick)          {}
func (mute) Advanced(*rpl.Replica, int, rpl.Tick)         {}
func (mute) Run(rpl.Call)                                 {}
func (mute) Gone(*rpl.Replica, rpl.Tick, bool)            {}

func newCrowd(t testing.TB, nodes, peers int) *crowd {
	return newCrowdOf(t, rpl.AuthorityConfig{}, nodes, peers, func(int) float32 { return 1 })
}

func newCrowdOf(t testing.TB, cfg rpl.AuthorityConfig, nodes, peers int, weight func(i int) float32) *crowd {
	s := rpl.NewSchema("crowd")
	body := s.Build("body").Int("kind", 0, 3).Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Angle("dir", 0, 4095).
		Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).Int("hp", 0, 100).Int("anim", 0, 255).Int("team", 0, 3).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	cfg.Schema, cfg.Hz = s, 60
	a, err := rpl.NewAuthority(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{a: a, body: body}
	for i := range nodes {
		n, err := a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{body}, Streaming: rpl.Streaming{Weight: weight(i)}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := a.Item(n, 0)
		c.nodes, c.items = append(c.nodes, n), append(c.items, it)
		c.words = append(c.words, []int32{1, int32(i * 32), int32(i * -16), 100, 600, -300, 100, 3, 1})
	}
	for i := range peers {
		p, err := rpl.NewProxy(rpl.ProxyConfig{Schema: s, Hz: 60}, rpl.Peer(i+2))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Connect(rpl.Peer(i + 2)); err != nil {
			t.Fatal(err)
		}
		c.ends = append(c.ends, &end{peer: rpl.Peer(i + 2), proxy: p})
	}
	return c
}

// step moves all nodes by a tick. Velocities change at every tick, so that no
// prediction holds.
func (c *crowd) step() {
	c.tick++
	c.now += time.Second / 60
	c.a.Step(c.tick)
	for i, w := range c.words {
		if c.still {
			w[4], w[5] = 0, 0
			c.a.SetWords(c.items[i], w)
			continue
		}
		w[4] += int32((int(c.tick)+i)%3-1) * 40
		w[5] += int32((int(c.tick)+i)%5-2) * 20
		w[1] += w[4] / 60
		w[2] += w[5] / 60
		c.a.SetWords(c.items[i], w)
	}
}

func (c *crowd) send() {
	c.a.Stream(c.now)
	c.a.Schedule(c.now)
	for _, e := range c.ends {
		e.down.empty()
		c.a.Encode(e.peer, c.now, &e.down)
	}
}

// deliver gives a peer its packets and messages, and gives its acks to the authority.
func (c *crowd) deliver(e *end) {
	for i, p := range e.down.packs {
		e.proxy.Receive(e.down.seqs[i], c.now, e.down.bytes[p[0]:p[1]])
	}
	for _, m := range e.down.mail {
		e.proxy.ReceiveMessage(m)
	}
	e.proxy.Apply(c.now, e.log)
	e.up.empty()
	e.proxy.Send(c.now, &e.up)
	for i, p := range e.up.packs {
		_ = c.a.Receive(e.peer, e.up.seqs[i], c.now, e.up.bytes[p[0]:p[1]])
	}
}

// play plays some ticks. With spread, from tick 60 on each peer gets packets at one
// tick only of every len(c.ends), each at another tick, so that their baselines differ.
func (c *crowd) play(ticks int, spread bool) {
	for range ticks {
		c.step()
		c.send()
		for i, e := range c.ends {
			if !spread || (int(c.tick)+i)%len(c.ends) == 0 || c.tick < 60 {
				c.deliver(e)
			}
		}
	}
}

// BenchmarkTick20Peers measures a tick from words to finished packets: 1,000 nodes for
// 20 peers, at one baseline and at twenty.
func BenchmarkTick20Peers(b *testing.B) {
	for _, spread := range []bool{false, true} {
		b.Run(fmt.Sprintf("baselines=%d", 1+19*map[bool]int{true: 1}[spread]), func(b *testing.B) {
			c := newCrowd(b, 1000, 20)
			c.play(120, spread)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				for i, e := range c.ends {
					if !spread || (int(c.tick)+i)%len(c.ends) == 0 {
						c.deliver(e)
					}
				}
				b.StartTimer()
				c.step()
				c.send()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/tick")
		})
	}
}

// BenchmarkDecode measures what a proxy needs for one record.
func BenchmarkDecode(b *testing.B) {
	c := newCrowd(b, 500, 1)
	c.play(120, false)
	e := c.ends[0]
	before := e.proxy.Counters().Records
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		c.step()
		c.send()
		b.StartTimer()
		for i, p := range e.down.packs {
			e.proxy.Receive(e.down.seqs[i], c.now, e.down.bytes[p[0]:p[1]])
		}
		e.proxy.Apply(c.now, e.log)
		b.StopTimer()
		e.down.packs, e.down.seqs, e.down.bytes = e.down.packs[:0], e.down.seqs[:0], e.down.bytes[:0]
		c.deliver(e)
		b.StartTimer()
	}
	if n := e.proxy.Counters().Records - before; n > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	}
}

// BenchmarkOverloadedPeers measures a tick for peers whose budget pays for a thirtieth of
// the changes.
func BenchmarkOverloadedPeers(b *testing.B) {
	c := newCrowdOf(b, rpl.AuthorityConfig{Budget: 20_000}, 10_000, 4, func(int) float32 { return 1 })
	c.play(2000, false)
	b.ReportAllocs()
	for b.Loop() {
		c.step()
		c.send()
		b.StopTimer()
		for _, e := range c.ends {
			c.deliver(e)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/tick")
}

// In the steady state neither end allocates, also if the budget pays for few of the
// changes.
func TestSteadyStreamAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, budget := range []int{0, 10_000} {
		c := newCrowdOf(t, rpl.AuthorityConfig{Budget: budget}, 200, 3, func(int) float32 { return 1 })
		c.play(600, false)
		if n := testing.AllocsPerRun(50, func() { c.play(1, false) }); n >= 1 {
			t.Errorf("budget %d: %v allocations a tick", budget, n)
		}
	}
}
