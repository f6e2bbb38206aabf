package budget

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A message that costs more than the bucket holds leaves once the bucket is full, whatever its size in bytes and
// fractions of them: until then nothing else leaves beside what is saved up for it.
func TestMessageDearerThanTheBucketLeaves(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		carries := 5_000 + 95_000*rng.Float64()
		var u Bucket
		cost := lineBucket(carries) * (1 + rng.Float64())
		for left, n := 0, 1; left < 3; n++ {
			u.Refill(NewBudget(1<<20), carries, time.Duration(n)*time.Second/30)
			reserve, whole := u.ForLane(0, cost, false)
			if u.Reserve(reserve); whole {
				u.Charge(cost)
				left++
			}
			if n > 60 {
				t.Fatalf("seed %d: on a line of %.2f bytes a second %d of three messages that cost %.0f have left after %d sends, with %.2f of %.2f bytes",
					seed, carries, left, cost, n, u.Tokens, u.Size)
			}
		}
	}
}

// Messages that cost more than half a bucket get the whole budget where nothing else leaves. Shorter ones leave with
// what the packets of a send leave over.
func TestMessagesAloneGetTheWholeBudget(t *testing.T) {
	const rate, sends = 8000, 30
	for _, cost := range []float64{1100, 1500, 1999, 2000, 2500} {
		var u Bucket
		paid := 0.0
		for n := 1; n <= 20*sends; n++ {
			u.Refill(NewBudget(rate), 0, time.Duration(n)*time.Second/sends)
			share, left := 0.0, 0
			for whole := true; whole; {
				var reserve float64
				if reserve, whole = u.ForLane(share, cost, false); whole {
					left++
				}
				share += reserve
			}
			u.Reserve(share)
			for range left {
				u.Charge(cost)
				paid += cost
			}
			u.Correct(left*int(cost), 0)
		}
		if share := paid / 20 / rate; share < 0.8 {
			t.Errorf("messages that cost %.0f bytes get %.2f of the budget", cost, share)
		}
	}
}

// Where packets are lost only the last segment of a long message counts twice.
func TestLaneCost(t *testing.T) {
	for bytes, most := range map[int]float64{40: 2, 1000: 2, 2000: 1.9, 8000: 1.15, 16000: 1.1} {
		if n := LaneCost(bytes, true) / LaneCost(bytes, false); n > most {
			t.Errorf("%d bytes cost %.2f times as much under loss, want %.2f at most", bytes, n, most)
		}
	}
}
