package linktest

// This file is the part of the suite that tests the reliable lane.

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

func reliable(r *Rig) {
	r.Set(netsim.Conditions{Loss: .2, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Duplicate: .1})
	server, client := r.Pair()
	const count = 150
	var want []string
	for i := range count {
		m := fmt.Sprintf("message %d", i)
		if i%10 == 0 {
			m += strings.Repeat(".", i*40)
		}
		want = append(want, m)
	}
	next := [2]int{}
	r.Until("all messages came both ways", func() bool {
		for i, s := range []*Side{server, client} {
			for range 2 {
				if next[i] < count && s.Conns[0].Reliable([]byte(want[next[i]])) == nil {
					next[i]++
				}
			}
			Send(s.Conns[0], "state")
			s.Conns[0].Flush()
		}
		return len(server.Messages) >= count && len(client.Messages) >= count
	})
	for _, s := range []*Side{server, client} {
		for i := range want {
			if s.Messages[i] != want[i] {
				r.Fatalf("message %d is %.40q, want %.40q", i, s.Messages[i], want[i])
			}
		}
		seen := map[uint64]bool{}
		for _, d := range s.Datagrams {
			if seen[d.Seq] {
				r.Fatalf("datagram %d came twice", d.Seq)
			}
			seen[d.Seq] = true
		}
	}
	if q := server.Conns[0].Stats().ReliableQueued; q != 0 {
		r.Errorf("%d messages queued at the end", q)
	}
}

// LaneBytes' sent counts all bytes that leave besides datagrams, and the bytes in held
// do leave.
func laneBytes(r *Rig) {
	r.Set(netsim.Conditions{Loss: .2, Delay: 5 * time.Millisecond})
	server, client := r.Pair()
	const count = 60
	conns := []transport.Conn{server.Conns[0], client.Conns[0]}
	for _, c := range conns {
		if sent, held := c.LaneBytes(); sent != 0 || held != 0 {
			r.Errorf("%d bytes sent, %d held, of nothing", sent, held)
		}
	}
	overhead := [2]uint64{transport.OverheadDown, transport.OverheadUp}
	before, datagrams, next := [2]uint64{}, [2]uint64{}, 0
	for i, c := range conns {
		before[i] = c.Stats().BytesOut
	}
	began := server.Now()
	r.Until("all messages came", func() bool {
		if m := strings.Repeat("m", 50*next); next < count && conns[0].Reliable([]byte(m)) == nil {
			if _, held := conns[0].LaneBytes(); held < len(m) {
				r.Errorf("%d bytes held, with a message of %d", held, len(m))
			}
			next++
		}
		for i, c := range conns {
			Send(c, "state")
			datagrams[i] += overhead[i] + 5
			c.Flush()
		}
		return len(client.Messages) >= count
	})
	// Keepalives, probes of the path and what is said of them are not of the lane; nor are the
	// keepalives of a client that has not heard its server, one for each turn of the timer.
	took := server.Now() - began
	others := uint64(2+took/transport.Keepalive)*2*transport.OverheadUp + probes*(transport.MaxPacket+2*transport.OverheadUp)
	others += uint64(1+took/(transport.Keepalive/transport.SeekShare)) * transport.OverheadUp
	for i, c := range conns {
		sent, held := c.LaneBytes()
		all := c.Stats().BytesOut - before[i]
		if alive := all - datagrams[i] - sent; alive > others {
			r.Errorf("%d bytes beside %d of datagrams, of %d in all", sent, datagrams[i], all)
		}
		if held != 0 {
			r.Errorf("%d bytes are held at the end", held)
		}
	}
}

func reliableLimits(r *Rig) {
	server, client := r.Pair()
	c := server.Conns[0]
	if err := c.Reliable(make([]byte, transport.MaxMessage+1)); !errors.Is(err, transport.ErrTooLong) {
		r.Errorf("a message too long: %v", err)
	}
	accepted := 0
	for ; accepted < 100; accepted++ {
		if err := c.Reliable(bytes.Repeat([]byte{byte(accepted)}, transport.MaxMessage)); err != nil {
			if !errors.Is(err, transport.ErrBacklog) {
				r.Errorf("a full lane: %v", err)
			}
			break
		}
	}
	if accepted < 3 || accepted > 5 {
		r.Errorf("%d of the longest messages were queued", accepted)
	}
	r.Until("what was accepted came", func() bool {
		c.Flush()
		client.Conns[0].Flush()
		return len(client.Messages) == accepted
	})
	for i, m := range client.Messages {
		if len(m) != transport.MaxMessage || m[0] != byte(i) {
			r.Errorf("message %d has %d bytes of %d", i, len(m), m[0])
		}
	}
	if err := c.Reliable(nil); err != nil {
		r.Error(err)
	}
	r.Until("an empty message came", func() bool {
		c.Flush()
		client.Conns[0].Flush()
		return len(client.Messages) == accepted+1
	})
}
