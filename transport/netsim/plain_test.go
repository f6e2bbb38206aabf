package netsim

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"
)

// The short cut for a path that only delays gives the same packets as the full code,
// also when the conditions change.
func TestPlainIsExact(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		short, long := NewPath(seed, Conditions{}), NewPath(seed, Conditions{})
		long.plain = false
		now, plain := time.Duration(0), 0
		for i := range 2000 {
			if rng.IntN(20) == 0 {
				c := Conditions{Jitter: 5 * ms}
				if rng.IntN(2) == 0 {
					c.Loss, c.Burst, c.Duplicate = .5, float64(rng.IntN(8)), rng.Float64()
					c.Rate = rng.IntN(2) * 2_000
				}
				short.SetConditions(c)
				long.SetConditions(c)
				if short.plain {
					plain++
				}
				long.plain = false
			}
			now += time.Duration(rng.IntN(2000)) * time.Microsecond
			b := binary.LittleEndian.AppendUint32(nil, uint32(i))
			short.Send(now, b)
			long.Send(now, b)
			for {
				b, due, ok := short.Receive(now)
				b2, due2, ok2 := long.Receive(now)
				if string(b) != string(b2) || due != due2 || ok != ok2 {
					t.Fatalf("seed %d, step %d: the short way gives %x at %v, %v, the long one %x at %v, %v", seed, i, b, due, ok, b2, due2, ok2)
				}
				if !ok {
					break
				}
			}
		}
		if plain == 0 || short.Counters() != long.Counters() {
			t.Errorf("seed %d: plain %d times; counted %+v and %+v", seed, plain, short.Counters(), long.Counters())
		}
	}
}
