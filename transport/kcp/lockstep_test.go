package kcp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendonengine/tendon/transport/lane"
)

// twins are the raw KCP machine and an ARQ, which get the same input.
type twins struct {
	kcp, arq lane.Machine
	said     [2][][]byte // since the last look
	air      []run       // on its way to them
}

// A run is a run of segments as each of the twins emits it.
type run struct{ kcp, arq []byte }

func newTwins() *twins {
	w := &twins{}
	w.kcp = newStock(func(b []byte) { w.said[0] = append(w.said[0], bytes.Clone(b)) })
	w.arq = lane.NewARQ(func(b []byte) { w.said[1] = append(w.said[1], bytes.Clone(b)) })
	return w
}

// ARQ emits the same bytes as the raw KCP machine, at the same times, whatever is sent
// and whatever arrives: late, twice, in any order, forged or not at all.
func TestARQSaysWhatKCPSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := 0 // runs of receipts that were too many to wait for an update
		for seed := range uint64(games) {
			p := &parallel{T: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), start: time.Now(), ends: [2]*twins{newTwins(), newTwins()}}
			p.play()
			full += p.full
		}
		if full == 0 {
			t.Error("never were so many receipts due that they left at once")
		}
	})
}

// A parallel is one game between two twins, which send in both directions.
type parallel struct {
	*testing.T
	seed  uint64
	rng   *rand.Rand
	start time.Time
	zero  uint32 // KCP's time less the other's
	begun bool
	ends  [2]*twins
	full  int
}

func (p *parallel) play() {
	loss, order, most, pause := p.rng.Float64()*.4, p.rng.IntN(4), 1+p.rng.IntN(12), 1+p.rng.IntN(30)
	for range 1500 {
		time.Sleep(time.Duration(p.rng.IntN(pause)) * time.Millisecond) // whole ones: both cut off the rest
		i := p.rng.IntN(2)
		w, now := p.ends[i], time.Since(p.start)
		switch op := p.rng.IntN(100); {
		case op < 20:
			for range p.rng.IntN(most) {
				p.send(w)
			}
		case op < 80 && len(w.air) > 0:
			at := 0
			if p.rng.IntN(4) < order {
				at = p.rng.IntN(len(w.air))
			}
			r := w.air[at]
			if p.rng.IntN(20) > 0 {
				w.air = append(w.air[:at], w.air[at+1:]...)
			}
			if p.rng.IntN(20) == 0 {
				p.forge(r)
			}
			for range 1 + max(0, p.rng.IntN(200)-150) {
				w.kcp.Input(now, r.kcp)
				w.arq.Input(now, r.arq)
				p.receive(w)
			}
		default:
			w.kcp.Update(now)
			w.arq.Update(now)
		}
		for _, r := range p.said(w) {
			if p.rng.Float64() >= loss {
				p.ends[1-i].air = append(p.ends[1-i].air, r)
			}
		}
	}
}

// send gives both machines of w the same chunk, when a lane would.
func (p *parallel) send(w *twins) {
	if w.kcp.Waiting() >= lane.MaxBehind {
		return
	}
	b := make([]byte, 1+p.rng.IntN([]int{8, lane.MaxChunk}[p.rng.IntN(2)]))
	for i := range b {
		b[i] = byte(p.rng.Uint32())
	}
	w.kcp.Send(b)
	w.arq.Send(b)
}

// forge changes the time, the number or the acknowledgement in a segment.
func (p *parallel) forge(r run) {
	at, by := []int{8, 12, 16}[p.rng.IntN(3)], uint32(p.rng.IntN(600)-300)
	for _, b := range [][]byte{r.kcp, r.arq} {
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+by)
	}
}

// receive takes every chunk that is ready, as lanes do after each Input.
func (p *parallel) receive(w *twins) {
	var a, b [lane.MaxChunk]byte
	for {
		n, m := w.kcp.Recv(a[:]), w.arq.Recv(b[:])
		if (n < 0) != (m < 0) || n >= 0 && !bytes.Equal(a[:n], b[:m]) {
			p.Fatalf("seed %d: KCP hands out %d bytes, %.20x, ARQ %d, %.20x", p.seed, n, a, m, b)
		}
		if n < 0 {
			return
		}
	}
}

// said returns what both machines emit, which must be equal except for the instant
// from which they count time.
func (p *parallel) said(w *twins) (all []run) {
	if n, m := w.kcp.Waiting(), w.arq.Waiting(); n != m {
		p.Fatalf("seed %d: in KCP %d chunks wait, in ARQ %d", p.seed, n, m)
	}
	if n, m := len(w.said[0]), len(w.said[1]); n != m {
		p.Fatalf("seed %d: KCP says %d runs:%s\nARQ %d:%s", p.seed, n, legible(w.said[0]...), m, legible(w.said[1]...))
	}
	for i, kcp := range w.said[0] {
		arq := w.said[1][i]
		if !p.begun {
			p.begun, p.zero = true, binary.LittleEndian.Uint32(kcp[8:])-binary.LittleEndian.Uint32(arq[8:])
		}
		moved := bytes.Clone(kcp)
		for at := 0; at < len(moved); at += lane.HeaderSize + int(binary.LittleEndian.Uint32(moved[at+20:])) {
			binary.LittleEndian.PutUint32(moved[at+8:], binary.LittleEndian.Uint32(moved[at+8:])-p.zero)
		}
		if !bytes.Equal(moved, arq) {
			p.Fatalf("seed %d: KCP says:%s\nARQ:%s", p.seed, legible(moved), legible(arq))
		}
		if len(arq) == lane.MTU/lane.HeaderSize*lane.HeaderSize {
			p.full++
		}
		all = append(all, run{kcp, arq})
	}
	w.said = [2][][]byte{}
	return all
}

// legible lists the segments of runs, with the first bytes of their data.
func legible(runs ...[]byte) string {
	var s strings.Builder
	word := binary.LittleEndian.Uint32
	for i, b := range runs {
		for len(b) >= lane.HeaderSize {
			end := min(len(b), lane.HeaderSize+int(word(b[20:])))
			fmt.Fprintf(&s, "\n  run %d: command %d, window %d, time %d, number %d, all below %d, %d bytes %.8x", i,
				b[4], binary.LittleEndian.Uint16(b[6:]), word(b[8:]), word(b[12:]), word(b[16:]), word(b[20:]), b[lane.HeaderSize:end])
			b = b[end:]
		}
	}
	return s.String()
}
