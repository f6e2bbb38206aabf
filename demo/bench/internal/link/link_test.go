package link

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
)

const tick = time.Second / 60

// Under loss, jitter and delay about the expected share of datagrams arrives, and every
// reliable message arrives once, in order and unchanged.
func TestBothLanesUnderLoss(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	server, client := Pair(seed, Conditions{RTT: 120 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.3})
	rng := rand.New(rand.NewPCG(seed, 1))
	var want, got [][]byte
	datagrams, seen := 0, map[uint64]bool{}
	for i := range 1200 {
		now := time.Duration(i) * tick
		server.Begin(now)
		if i < 600 {
			seq, room := server.Next()
			if seen[seq] || room < transport.MinRoom {
				t.Fatalf("tick %d: packet %d with room for %d", i, seq, room)
			}
			seen[seq] = true
			server.Datagram(binary.LittleEndian.AppendUint64(make([]byte, 0, 32), seq))
			if rng.IntN(4) == 0 {
				m := make([]byte, 1+rng.IntN(3000))
				m[0] = byte(i)
				want = append(want, m)
				if err := server.Reliable(m); err != nil {
					t.Fatal(err)
				}
			}
		}
		server.Flush(now)
		if err := client.Collect(now); err != nil {
			t.Fatal(err)
		}
		for _, d := range client.got.datagrams {
			if binary.LittleEndian.Uint64(d.Data) != d.Seq || d.At > now {
				t.Fatalf("tick %d: datagram of packet %d says %d, due %v at %v", i, d.Seq, d.Data, d.At, now)
			}
			datagrams++
		}
		for _, m := range client.got.messages {
			got = append(got, bytes.Clone(m))
		}
		client.Begin(now)
		client.Flush(now)
		if err := server.Collect(now); err != nil {
			t.Fatal(err)
		}
	}
	if datagrams < 600*6/10 || datagrams > 600*8/10 {
		t.Errorf("%d of 600 datagrams arrived at 30 %% loss", datagrams)
	}
	if len(got) != len(want) {
		t.Fatalf("%d of %d messages arrived", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("message %d differs", i)
		}
	}
}

// The counters of an end equal the bytes and packets that it gives to the network.
func TestCounters(t *testing.T) {
	server, client := Pair(1, Conditions{})
	server.Begin(0)
	server.Next() // gets no datagram, so it costs nothing
	for range 3 {
		_, room := server.Next()
		server.Datagram(make([]byte, room))
	}
	sent := server.Flush(0)
	if sent.Packets != 3 || sent.Payload != 3*transport.MaxPayload || sent.Reliable != 0 || server.Oversize() != 0 {
		t.Errorf("three full packets are counted as %+v, %d too long", sent, server.Oversize())
	}
	if sent.Wire() != 3*(transport.MaxPayload+transport.OverheadDown) {
		t.Errorf("they have %d bytes on the wire", sent.Wire())
	}
	if err := client.Collect(0); err != nil || len(client.got.datagrams) != 3 {
		t.Fatalf("%d arrived: %v", len(client.got.datagrams), err)
	}
	server.Begin(tick)
	_, room := server.Next()
	server.Datagram(make([]byte, room+1))
	if server.Flush(tick); server.Oversize() != 1 {
		t.Errorf("%d packets were too long, want 1", server.Oversize())
	}
	// A send without anything to say counts nothing.
	server.Begin(2 * tick)
	if sent := server.Flush(2 * tick); sent != (Counters{}) {
		t.Errorf("an empty send is counted as %+v", sent)
	}
	// A message that travels in the same packet is counted: 24 bytes of KCP header, 1
	// of length, 2 of message.
	if err := server.Reliable([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	server.Begin(3 * tick)
	_, room = server.Next()
	server.Datagram(make([]byte, room))
	sent = server.Flush(3 * tick)
	if sent.Packets != 1 || sent.Payload != transport.MaxPayload || sent.Reliable != 24+3 || sent.Messages != 1 {
		t.Errorf("a full packet with a message of two bytes is counted as %+v", sent)
	}
}

// Every byte arrives of small sends, of large ones and of those beyond both buffers of
// an end, with messages and without, in any order.
func TestSendsOfAllSizes(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	server, client := Pair(seed, Conditions{})
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		now := time.Duration(i) * tick
		var want [][]byte
		if rng.IntN(3) == 0 {
			if err := server.Reliable(make([]byte, rng.IntN(2000))); err != nil {
				t.Fatal(err)
			}
		}
		server.Begin(now)
		packets := []int{0, 1, 1, 2, 5, 40}[rng.IntN(6)]
		for range packets {
			_, room := server.Next()
			b := make([]byte, 1+rng.IntN([]int{30, 300, room}[rng.IntN(3)]))
			for k := range b {
				b[k] = byte(rng.Uint32())
			}
			server.Datagram(b)
			want = append(want, b)
		}
		if sent := server.Flush(now); sent.Packets < packets || server.Oversize() != 0 {
			t.Fatalf("send %d of %d datagrams is counted as %+v", i, packets, sent)
		}
		if err := client.Collect(now); err != nil || len(client.got.datagrams) != packets {
			t.Fatalf("send %d: %d of %d came: %v", i, len(client.got.datagrams), packets, err)
		}
		for k, d := range client.got.datagrams {
			if !bytes.Equal(d.Data, want[k]) {
				t.Fatalf("send %d: datagram %d is %x, not %x", i, k, d.Data, want[k])
			}
		}
		client.Begin(now)
		client.Flush(now)
		if err := server.Collect(now); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	server, client := Pair(1, Conditions{RTT: 100 * time.Millisecond})
	now := time.Duration(0)
	step := func() {
		now += tick
		server.Begin(now)
		server.Next()
		server.Datagram(make([]byte, 200))
		server.Flush(now)
		if err := client.Collect(now); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		step()
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
