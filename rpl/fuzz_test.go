package rpl_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Promise 8: no bytes from the network cause a panic or allocate more than a limit, and
// the honest clients of the session still become equal.

// session is a small world with two clients and the packets that it sent.
type session struct {
	w        *world
	down, up [][]byte
	messages [][]byte
	seq      uint64 // above all packet numbers of the session
}

func newSession(t testing.TB, seed uint64) *session {
	w := newWorld(t, seed, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 20 * time.Millisecond}, 12)
	s := &session{w: w}
	w.net.OnPacket = func(to rpl.Peer, seq uint64, b []byte) {
		s.down, s.seq = append(s.down, append([]byte(nil), b...)), max(s.seq, seq)
	}
	w.net.OnMessage = func(to rpl.Peer, b []byte) { s.messages = append(s.messages, append([]byte(nil), b...)) }
	w.net.OnUp = func(from rpl.Peer, b []byte) { s.up = append(s.up, append([]byte(nil), b...)) }
	for p := range 2 {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	return s
}

// converges plays on, stops the world, and checks that the given clients become equal.
func (s *session) converges(t *testing.T, clients ...*rpltest.Client) {
	for range 20 {
		s.w.net.Tick(func(rpl.Tick) { s.w.step(t) })
	}
	for _, th := range s.w.nodes {
		th.words[2], th.words[3] = 0, 0
		s.w.net.A.SetWords(th.item, th.words)
	}
	if err := converge(s.w, func() error {
		for _, c := range clients {
			if err := s.w.check(c, nil); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// bounded fails the test if fn allocates more than limit bytes.
func bounded(t interface{ Fatalf(string, ...any) }, limit uint64, fn func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > limit {
		t.Fatalf("%d bytes were allocated, at most %d", n, limit)
	}
}

func FuzzAuthorityReceive(f *testing.F) {
	s := newSession(f, 1)
	for i := 0; i < len(s.up); i += 7 {
		f.Add(uint64(1000+i), s.up[i])
	}
	f.Fuzz(func(t *testing.T, seq uint64, b []byte) {
		s := newSession(t, 1)
		bounded(t, 8<<20, func() {
			_ = s.w.net.A.Receive(3, seq, s.w.net.Now, b)
			_ = s.w.net.A.Receive(9, seq, s.w.net.Now, b)
		})
		s.converges(t, s.w.net.Clients[0]) // the other peer is not harmed
	})
}

func FuzzAuthorityMessage(f *testing.F) {
	f.Add([]byte{1, 0, 1, 0, 0, 0, 0, 0})
	f.Add([]byte{})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSession(t, 2)
		bounded(t, 1<<20, func() { _ = s.w.net.A.ReceiveMessage(3, b) })
		s.converges(t, s.w.net.Clients...)
	})
}

// A proxy receives packets that its authority did not send; the other client still
// becomes equal.
func FuzzProxyReceive(f *testing.F) {
	s := newSession(f, 3)
	for i := 0; i < len(s.down); i += 5 {
		f.Add(uint64(i+1), s.down[i], s.down[(i+3)%len(s.down)])
	}
	f.Fuzz(func(t *testing.T, seq uint64, a, b []byte) {
		s := newSession(t, 3)
		c := s.w.net.Clients[1]
		bounded(t, 64<<20, func() {
			c.P.Receive(s.seq+1, s.w.net.Now, a)
			c.P.Receive(seq, s.w.net.Now, b)
			c.P.Apply(s.w.net.Now, &c.Log)
			c.P.Send(s.w.net.Now, nowhere{})
		})
		s.converges(t, s.w.net.Clients[0])
	})
}

func FuzzProxyMessage(f *testing.F) {
	s := newSession(f, 4)
	f.Add(append([]byte{2}, s.down[0]...))
	f.Add([]byte{1, 0, 1, 0, 0, 0, 0, 0})
	f.Add([]byte{3})
	for _, m := range s.messages {
		f.Add(m)
	}
	f.Add(learnedTables(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSession(t, 4)
		c := s.w.net.Clients[1]
		bounded(t, 64<<20, func() {
			c.P.ReceiveMessage(b)
			c.P.Apply(s.w.net.Now, &c.Log)
		})
		s.converges(t, s.w.net.Clients[0])
	})
}

func FuzzLoadTables(f *testing.F) {
	f.Add(learnedTables(f))
	f.Add([]byte{3})
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld(t, 5, rpl.AuthorityConfig{}, netsim.Conditions{}, 8)
		var err error
		bounded(t, 64<<20, func() { err = w.net.A.LoadTables(b) })
		_ = err // whether the tables were accepted or not, the session goes on
		c, err := w.net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{w: w}
		s.converges(t, c)
	})
}

// learnedTables returns the tables of a session that has run for long enough to learn
// some.
func learnedTables(t testing.TB) []byte {
	w := newWorld(t, 6, rpl.AuthorityConfig{}, netsim.Conditions{}, 60)
	for p := range 4 {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3000 {
		if w.net.Tick(func(rpl.Tick) { w.step(t) }); w.net.A.Tables() != nil {
			return w.net.A.Tables()
		}
	}
	t.Fatal("nothing was learned")
	return nil
}

// Packets with flipped bits do no harm to other peers, although many of them can be
// read.
func TestDamagedPackets(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	s := newSession(t, seed)
	c := s.w.net.Clients[1]
	for i := range 300 {
		b := append([]byte(nil), s.down[r.IntN(len(s.down))]...)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		c.P.Receive(s.seq+uint64(i)+1, s.w.net.Now, b)
		u := append([]byte(nil), s.up[r.IntN(len(s.up))]...)
		u[r.IntN(len(u))] ^= 1 << r.IntN(8)
		_ = s.w.net.A.Receive(3, 10000+uint64(i), s.w.net.Now, u)
	}
	c.P.Apply(s.w.net.Now, &c.Log)
	if c.P.Counters().Refused == 0 {
		t.Errorf("seed %d: no damaged packet was refused", seed)
	}
	s.converges(t, s.w.net.Clients[0])
}

// nowhere is a sink that drops everything.
type nowhere struct{}

func (nowhere) Next() (uint64, int)   { return 1 << 20, rpl.PacketRoom }
func (nowhere) Datagram([]byte)       {}
func (nowhere) Reliable([]byte) error { return nil }
