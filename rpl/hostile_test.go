package rpl_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Promise 8 in random worlds: whatever one peer sends, the other clients get the right
// state, the peer is sent neither what it may not see nor more than its budget, and the
// memory that the authority keeps for it stays bounded.

// A villain is a peer that sends its proxy's packets and forged ones.
type villain struct {
	w  *randomWorld
	c  *rpltest.Client
	up [][]byte // the proxy's latest packets
}

// letIn adds a villain to a world. Its proxy works as usual.
func letIn(w *randomWorld) *villain {
	w.join()
	v := &villain{w: w, c: w.net.Clients[len(w.net.Clients)-1]}
	w.villain = v.c.Peer
	w.net.OnUp = func(from rpl.Peer, b []byte) {
		if from == v.c.Peer {
			v.up = append(v.up[max(0, len(v.up)-63):], append([]byte(nil), b...))
		}
	}
	return v
}

// harm sends a few damaged or forged packets and messages.
func (v *villain) harm() {
	t, a := v.w.t, v.w.net.A
	for range rapid.IntRange(0, 3).Draw(t, "lies") {
		seq := rapid.SampledFrom([]uint64{0, 1, uint64(v.w.net.TickNumber()), 1 << 32, 1<<64 - 1}).Draw(t, "seq")
		switch rapid.SampledFrom([]string{"flip", "cut", "replay", "forge", "forge", "call", "noise", "message", "flood"}).Draw(t, "lie") {
		case "flip":
			if b := v.said(); len(b) > 0 {
				for range rapid.IntRange(1, 3).Draw(t, "bits") {
					bit := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
					b[bit/8] ^= 1 << (bit % 8)
				}
				v.send(seq, b)
			}
		case "cut":
			if b := v.said(); len(b) > 0 {
				v.send(seq, b[:rapid.IntRange(0, len(b)-1).Draw(t, "length")])
			}
		case "replay":
			v.send(seq, v.said())
		case "forge":
			v.send(seq, a.Forge(v.forge()))
		case "call":
			_ = a.ReceiveMessage(v.c.Peer, v.call([]byte{1}))
		case "noise":
			v.send(seq, noise(rapid.Uint64().Draw(t, "noise"), rapid.IntRange(0, 1400).Draw(t, "length")))
		case "message":
			b := noise(rapid.Uint64().Draw(t, "noise"), rapid.IntRange(0, 200).Draw(t, "length"))
			if len(b) > 0 && rapid.Bool().Draw(t, "typed") {
				b[0] = byte(rapid.IntRange(0, 4).Draw(t, "type"))
			}
			_ = a.ReceiveMessage(v.c.Peer, b)
		case "flood": // the most that it can refuse and call, many times at once
			f := v.forge()
			f.Refused = f.Refused[:0]
			for h := range uint32(64) {
				f.Refused = append(f.Refused, [2]uint32{h, 0})
			}
			for range 20 {
				v.send(seq, a.Forge(f))
				_ = a.ReceiveMessage(v.c.Peer, v.call([]byte{1}))
			}
		}
	}
}

func (v *villain) send(seq uint64, b []byte) {
	_ = v.w.net.A.Receive(v.c.Peer, seq, v.w.net.Now, b)
}

// said returns a copy of a recent packet of its proxy.
func (v *villain) said() []byte {
	if len(v.up) == 0 {
		return nil
	}
	return append([]byte(nil), v.up[rapid.IntRange(0, len(v.up)-1).Draw(v.w.t, "packet")]...)
}

// forge returns a readable datagram with false claims: it acks packets that never
// arrived and refuses nodes that the client has.
func (v *villain) forge() (f rpl.ForgedPacket) {
	t := v.w.t
	few := func(what string, most int) []uint32 {
		return rapid.SliceOfN(rapid.Uint32Range(0, uint32(most)), 0, 4).Draw(t, what)
	}
	f.Any = rapid.IntRange(0, 3).Draw(t, "acks") > 0
	newest := uint16(v.w.net.TickNumber()-v.w.rules.begin) + uint16(v.w.rules.first) // about as many packets have been sent
	f.Newest = newest + uint16(rapid.IntRange(-40, 40).Draw(t, "newest"))
	f.Hold = rapid.Uint8().Draw(t, "hold")
	f.N = rapid.SampledFrom([]uint32{0, 8, 60, 1024, 1025, 1<<32 - 1}).Draw(t, "n")
	if f.Runs = few("runs", 40); rapid.Bool().Draw(t, "the rest") {
		f.Runs = append(f.Runs, 0)
	}
	f.Applied = uint16(rapid.SampledFrom([]int{0, 1, 2, 5, 20, 1 << 15, 1<<16 - 1}).Draw(t, "applied"))
	f.Tables = uint8(rapid.IntRange(0, 3).Draw(t, "tables"))
	f.Skipped = few("skipped", 1100)
	for _, h := range few("refused", 30) {
		f.Refused = append(f.Refused, [2]uint32{h, rapid.SampledFrom([]uint32{0, 1, 3, 255, 256, 1<<32 - 1}).Draw(t, "row")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "calls") {
		f.Calls = append(f.Calls, v.call(nil))
	}
	return f
}

// call returns a call that the peer may or may not make.
func (v *villain) call(b []byte) []byte {
	t := v.w.t
	rpc := rapid.SampledFrom([]*rpl.RPCType{v.w.sch.ask, v.w.sch.call, v.w.sch.hint}).Draw(t, "rpc")
	length := rapid.SampledFrom([]int{0, 1, 4, 1024, 1025, 4096, 4097}).Draw(t, "arguments")
	tick := rapid.SampledFrom([]rpl.Tick{0, 1, v.w.net.TickNumber(), 1<<32 - 1}).Draw(t, "tick")
	handle := rapid.SampledFrom([]uint32{0, 1, 2, 10, 1<<16 - 1, 1 << 16, 1<<32 - 1}).Draw(t, "handle")
	return rpl.AppendCall(b, handle, uint8(rapid.IntRange(0, 3).Draw(t, "gen")), rpc, tick, make([]byte, length))
}

// The other clients of a world with a villain become equal, and the backlog for the
// villain stays bounded.
func TestHostilePeer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		w := newRandomWorld(t, drawNetwork(t), c, r)
		for range rapid.IntRange(1, 2).Draw(t, "peers") {
			w.join()
		}
		v := letIn(w)
		for range rapid.IntRange(1, 50).Draw(t, "rounds") {
			v.c.Silent = rapid.IntRange(0, 9).Draw(t, "silent") == 0
			w.tick(func() {
				v.harm()
				w.some("ops", 3, [][]string{shows, shakes})
			}, nil)
			w.ticks(rapid.IntRange(0, 4).Draw(t, "ticks"))
			if b := w.net.A.Backlog(v.c.Peer); b.Ready+b.Waiting > 4096 || b.Records > 2048 || b.Acks > 1500 || b.Entries > 512 {
				t.Fatalf("kept for a peer that says what it likes: %+v", b)
			}
		}
		w.quiet(20 * time.Second)
	})
}

// A prey is a client that gets damaged copies of its packets before the true ones, and
// whose own packets may be damaged.
type prey struct {
	w        *randomWorld
	c        *rpltest.Client
	r        *rand.Rand
	share    float64 // of the packets that are damaged
	kinds    int
	damaged  int
	messages [][]byte
}

func (p *prey) onDown(seq uint64, b []byte) {
	if p.r.Float64() >= p.share {
		return
	}
	b = append([]byte(nil), b...)
	switch p.r.IntN(p.kinds) {
	case 0: // bytes are appended, which decoders mostly do not reach
		for range 1 + p.r.IntN(12) {
			b = append(b, byte(1+p.r.IntN(255)))
		}
	case 1:
		for range 1 + p.r.IntN(4) {
			if len(b) > 0 {
				b[p.r.IntN(len(b))] ^= 1 << p.r.IntN(8)
			}
		}
	case 2:
		b = b[:p.r.IntN(len(b)+1)]
	case 3:
		seq = p.r.Uint64() >> p.r.IntN(64)
	case 4:
		m := append([]byte(nil), b...)
		if len(p.messages) > 0 && p.r.IntN(2) == 0 {
			m = append(m[:0], p.messages[p.r.IntN(len(p.messages))]...)
		}
		if len(m) > 0 {
			m[p.r.IntN(len(m))] ^= 1 << p.r.IntN(8)
			m[0] = byte(p.r.IntN(5))
		}
		p.c.P.ReceiveMessage(m)
		p.w.villain, p.c.Log.Fooled = p.c.Peer, true
	}
	p.c.P.Apply(p.w.net.Now, &p.c.Log) // first apply the true packets that arrived with it
	before, was := p.c.P.Counters(), p.w.villain
	p.w.villain, p.c.Log.Fooled = p.c.Peer, true // what it runs from it, and its state from then on, is not checked
	p.c.P.Receive(seq, p.w.net.Now, b)
	p.c.P.Apply(p.w.net.Now, &p.c.Log)
	p.damaged++
	if now := p.c.P.Counters(); now.Packets == before.Packets {
		p.w.villain, p.c.Log.Fooled = was, was != 0 // it was refused, so its state is still checked
	}
}

// onClientPacket damages packets that the client sends.
func (p *prey) onClientPacket(from rpl.Peer, b []byte) {
	if from != p.c.Peer || len(b) == 0 || p.r.Float64() >= p.share {
		return
	}
	b[p.r.IntN(len(b))] ^= 1 << p.r.IntN(8)
	p.w.villain, p.c.Log.Fooled = from, true
}

// recovers checks that a client that gets no more damaged packets can soon read all
// packets, without a call of Resync by the test.
func (p *prey) recovers(t *rapid.T) {
	w, x := p.w, p.c
	refused, since := x.P.Counters().Refused, w.net.Now
	for end := w.net.Now + time.Minute; w.net.Now-since < 5*time.Second; {
		if w.net.Now > end {
			t.Fatalf("after a minute packets of client %d cannot be read: %+v\n%s", x.Peer, x.P.Counters(), w.refusals.String())
		}
		w.tick(func() { w.some("ops", 1, [][]string{shows}) }, nil)
		w.ticks(5)
		if n := x.P.Counters().Refused; n > refused {
			refused, since = n, w.net.Now
		}
	}
}

// A damaged packet that a client refuses leaves no trace. Whatever the client reads
// from the others, it goes on, harms no other peer, and has the right state after a
// resync (protocol rule 11).
func TestDamagedOnTheWay(t *testing.T) {
	clean, fooled := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		w := newRandomWorld(t, drawNetwork(t), c, r)
		for range rapid.IntRange(2, 3).Draw(t, "peers") {
			w.join()
		}
		x := w.net.Clients[0]
		p := &prey{w: w, c: x, r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "damage"), 3))}
		p.share = rapid.SampledFrom([]float64{0.03, 0.2, 0.5, 1}).Draw(t, "share")
		p.kinds = rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(t, "kinds")
		x.OnDown = p.onDown
		if rapid.Bool().Draw(t, "up") {
			w.net.OnUp = p.onClientPacket
		}
		heard := w.net.OnMessage
		w.net.OnMessage = func(to rpl.Peer, b []byte) {
			heard(to, b)
			if to == x.Peer {
				p.messages = append(p.messages[max(0, len(p.messages)-15):], append([]byte(nil), b...))
			}
		}
		for range rapid.IntRange(10, 50).Draw(t, "rounds") {
			w.tick(func() { w.some("ops", 3, [][]string{shows, shakes}) }, nil)
			w.ticks(rapid.IntRange(0, 4).Draw(t, "ticks"))
			bounded(t, 64<<20, func() { x.P.Apply(w.net.Now, &x.Log) })
		}
		x.OnDown, w.net.OnUp = nil, nil
		switch {
		case w.villain == 0:
			clean += p.damaged
		case p.kinds <= 3: // only datagrams under their true numbers were damaged
			if fooled++; rapid.Bool().Draw(t, "alone") {
				p.recovers(t)
			} else {
				w.ticks(30) // until all damaged packets have arrived
				x.P.Resync()
				w.mended = true
			}
		}
		w.quiet(20 * time.Second)
	})
	if fooled == 0 {
		t.Error("no client was fooled and mended")
	}
	if clean < 3 {
		t.Errorf("clients that refused all that was damaged were sent only %d such packets: the test shows little", clean)
	}
}
