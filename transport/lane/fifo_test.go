package lane

// The queue of bytes that a lane keeps.

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A fifo returns the bytes that were added, and takes no more room than a few times
// what it holds, even if it is never empty.
func TestFifo(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var f fifo
		var want []byte
		const most = 1000
		for i := range 5000 {
			for len(want) < most/2 || rng.IntN(2) == 0 && len(want) < most {
				b := bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(most/10))
				f.add(b)
				want = append(want, b...)
			}
			n := 1 + rng.IntN(len(want)-1)
			if got := f.peek(n); !bytes.Equal(got, want[:n]) || !bytes.Equal(f.bytes(), want) || f.len() != len(want) {
				t.Fatalf("seed %d, step %d: the first %d bytes are %x, want %x; %d in all, want %d", seed, i, n, got, want[:n], f.len(), len(want))
			}
			f.drop(n)
			want = want[n:]
			if cap(f.b) > 8*most {
				t.Fatalf("seed %d, step %d: it takes %d bytes and holds at most %d", seed, i, cap(f.b), most)
			}
		}
	}
}

// A fifo frees the buffer that a burst needed once the burst is over, and keeps a
// buffer of the usual size.
func TestFifoAfterABurst(t *testing.T) {
	var f fifo
	f.add(make([]byte, 10*keptRoom))
	f.drop(f.len())
	f.add(make([]byte, keptRoom/2))
	if cap(f.b) > 2*keptRoom {
		t.Errorf("it keeps %d bytes for %d", cap(f.b), f.len())
	}
	b := make([]byte, keptRoom/2)
	if n := testing.AllocsPerRun(100, func() { f.drop(f.len()); f.add(b) }); n != 0 {
		t.Errorf("%v allocations for what is usual", n)
	}
}
