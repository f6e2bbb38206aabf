package main

// The role of an attacker who is not on the way: he has what was recorded there, and any
// number of addresses.

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// writePackets writes packets, each behind its length.
func writePackets(w io.Writer, packets [][]byte) error {
	for _, p := range packets {
		if _, err := w.Write(append(binary.LittleEndian.AppendUint16(nil, uint16(len(p))), p...)); err != nil {
			return err
		}
	}
	return nil
}

func readPackets(name string) (packets [][]byte, err error) {
	b, err := os.ReadFile(name)
	for err == nil && len(b) > 0 {
		n := 0
		if len(b) >= 2 {
			n = int(binary.LittleEndian.Uint16(b))
		}
		if len(b) < 2+n {
			return nil, fmt.Errorf("%s is cut short", name)
		}
		packets = append(packets, b[2:2+n])
		b = b[2+n:]
	}
	return packets, err
}

// forged is a packet with something changed, another thing for each i: a bit somewhere, its
// length, its end, or all but its head.
func forged(p []byte, i int) []byte {
	if len(p) < 16 {
		return nil
	}
	b := append([]byte(nil), p...)
	rng := rand.New(rand.NewPCG(uint64(i), 7))
	switch i % 5 {
	case 0:
		at := 8 + i/5%(len(b)-8)
		b[at] ^= 1 << (i % 8)
	case 1: // another number, and the same content
		at := 3 + i/5%8
		b[at] ^= byte(1 + rng.IntN(255))
	case 2:
		b = b[:8+rng.IntN(len(b)-8)]
	case 3:
		b = append(b, byte(i), byte(i>>8))
	case 4:
		for k := 8; k < len(b); k++ {
			b[k] = byte(rng.Uint32())
		}
	}
	return b
}

// A foe attacks one address.
type foe struct {
	to      *net.UDPAddr
	sent    atomic.Int64 // bytes
	packets atomic.Int64
	back    atomic.Int64 // bytes that came back
	stop    atomic.Bool
}

func attack(r *role, args []string) error {
	var to, file string
	err := flags("foe", args, func(f *flag.FlagSet) {
		f.StringVar(&to, "to", "", "")
		f.StringVar(&file, "packets", "", "")
	})
	if err != nil {
		return err
	}
	f := &foe{}
	if f.to, err = net.ResolveUDPAddr("udp", to); err != nil {
		return err
	}
	var packets [][]byte
	if file != "" {
		if packets, err = readPackets(file); err != nil {
			return err
		}
	}
	r.say(message{Say: "ready"})
	for o := range r.orders {
		switch o.Do {
		case "replay": // each packet so often, from one address
			err = f.replay(packets, int(o.Num["times"]), o.Text, o.Num["rate"])
		case "questions": // first packets with other random parts, from many addresses, until stop
			go f.questions(packets, int(o.Num["sources"]), o.Num["rate"], o.Num["same"] != 0)
		case "stop":
			f.stop.Store(true)
		}
		if err != nil {
			r.done(o, nil, "error: "+err.Error())
			err = nil
			continue
		}
		r.done(o, map[string]float64{"sent": float64(f.sent.Load()), "packets": float64(f.packets.Load()), "back": float64(f.back.Load())}, "")
		if o.Num["reset"] != 0 {
			f.sent.Store(0)
			f.packets.Store(0)
			f.back.Store(0)
		}
	}
	return nil
}

// socket opens a socket at an address and counts what comes back.
func (f *foe) socket(at string) (*net.UDPConn, error) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(at)})
	if err != nil {
		return nil, err
	}
	go func() {
		b := make([]byte, 2048)
		for {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			f.back.Add(int64(n))
		}
	}()
	return c, nil
}

func (f *foe) send(c *net.UDPConn, b []byte) {
	if _, err := c.WriteToUDP(b, f.to); err == nil {
		f.sent.Add(int64(len(b)))
		f.packets.Add(1)
	}
}

func (f *foe) replay(packets [][]byte, times int, at string, rate float64) error {
	c, err := f.socket(at)
	if err != nil {
		return err
	}
	defer c.Close()
	began, n := time.Now(), 0
	for range times {
		for _, p := range packets {
			f.send(c, p)
			n++
			if ahead := time.Duration(float64(n)/rate*float64(time.Second)) - time.Since(began); ahead > 2*time.Millisecond {
				time.Sleep(ahead)
			}
		}
	}
	time.Sleep(200 * time.Millisecond) // for answers
	return nil
}

// questions sends the first packet of a client again and again. Of those that are not the
// same, eight bytes are random: a new attempt each time.
func (f *foe) questions(packets [][]byte, sources int, rate float64, same bool) {
	if len(packets) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var from []*net.UDPConn
	var attempts []uint64
	for i := range sources {
		if c, err := f.socket(fmt.Sprintf("127.0.%d.%d", 2+i/200, 1+i%200)); err == nil {
			from, attempts = append(from, c), append(attempts, rng.Uint64())
		}
	}
	if len(from) == 0 {
		return
	}
	b := append([]byte(nil), packets[0]...)
	began := time.Now()
	for n := 0; !f.stop.Load(); n++ {
		i := n % len(from)
		if same {
			binary.LittleEndian.PutUint64(b[3:], attempts[i])
		} else {
			binary.LittleEndian.PutUint64(b[3:], rng.Uint64())
		}
		f.send(from[i], b)
		if ahead := time.Duration(float64(n)/rate*float64(time.Second)) - time.Since(began); ahead > 2*time.Millisecond {
			time.Sleep(ahead)
		}
	}
	for _, c := range from {
		_ = c.Close() // only reading was left to do
	}
}
