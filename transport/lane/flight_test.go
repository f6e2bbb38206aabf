package lane

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// bulk sends 160 kB in messages of 8 kB over a path that was measured as one of so many bytes a
// second, and returns how long it takes and how many bytes are sent.
func bulk(t *testing.T, seed uint64, c netsim.Conditions, measured int) (took time.Duration, bytes int) {
	t.Helper()
	x := newExchange(seed, c)
	x.ends[0].SetLoss(c.Loss)
	x.ends[1].SetLoss(c.Loss)
	if measured > 0 {
		x.ends[0].Carries(measured)
	}
	if err := x.ends[0].Queue([]byte("the round trip is measured")); err != nil {
		t.Fatal(err)
	}
	for x.tick(t); x.ends[0].Waiting() > 0; {
		x.tick(t)
	}
	x.came[1] = nil
	sent, begun := 0, x.now
	for len(x.came[1]) < 20 {
		for sent < 20 && x.ends[0].Queued() < 2 {
			if err := x.ends[0].Queue(make([]byte, 8000)); err != nil {
				t.Fatal(err)
			}
			sent++
		}
		if x.tick(t); x.now > begun+time.Minute {
			t.Fatalf("seed %d, %+v: %d of 20 messages came", seed, c, len(x.came[1]))
		}
	}
	return x.now - begun, int(x.ends[0].Out())
}

// Over a path that is slow and drops what a short queue does not hold, bulk takes as long as its
// bytes, and little of it is sent twice.
func TestBulkFitsShortQueue(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{Rate: 20_000, Queue: 4 << 10, Delay: 25 * time.Millisecond},
		{Rate: 20_000, Queue: 8 << 10, Delay: 25 * time.Millisecond},
		{Rate: 20_000, Queue: 64 << 10, Delay: 100 * time.Millisecond},
		{Rate: 20_000, Queue: 4 << 10, Delay: 25 * time.Millisecond, Jitter: 10 * time.Millisecond},
	} {
		took, bytes := bulk(t, 1, c, 24_000)
		_, unbounded := bulk(t, 1, c, 0)
		t.Logf("%+v: %v, %d bytes, without a bound %d", c, took, bytes, unbounded)
		if bytes > 180_000 || took > 10*time.Second {
			t.Errorf("%+v: 160 kB take %v and %d bytes", c, took, bytes)
		}
	}
}

// What is lost at random holds nothing back, nor does a path for long that was measured as far
// slower than it is, unless its delays jump about by more than a queue that counts.
func TestFlightOfFastPaths(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{Delay: 25 * time.Millisecond},
		{Delay: 25 * time.Millisecond, Loss: 0.05},
		{Delay: 25 * time.Millisecond, Loss: 0.2, Jitter: 20 * time.Millisecond},
		{Delay: 150 * time.Millisecond, Loss: 0.05},
		{Delay: 25 * time.Millisecond, Jitter: 50 * time.Millisecond},
		{Delay: 25 * time.Millisecond, Jitter: 100 * time.Millisecond},
	} {
		var unbounded, fast, slow time.Duration
		for seed := range uint64(10) {
			for rate, sum := range map[int]*time.Duration{0: &unbounded, 1_200_000: &fast, 2400: &slow} {
				took, _ := bulk(t, seed, c, rate)
				*sum += took / 10
			}
		}
		t.Logf("%+v: %v, %v measured as fast, %v measured as slow", c, unbounded, fast, slow)
		if fast > unbounded*6/5 {
			t.Errorf("%+v: %v, without a bound %v", c, fast, unbounded)
		}
		if c.Jitter < 100*time.Millisecond && slow > unbounded*3/2+6*max(2*c.Delay, 100*time.Millisecond) {
			t.Errorf("%+v: %v where it was measured as slow, without a bound %v", c, slow, unbounded)
		}
	}
}

// Where the way becomes longer, that counts as a queue for the time for which the quickest round trip is believed.
func TestFlightOnLongerWay(t *testing.T) {
	var f flight
	f.carries = 1_200_000
	now := uint32(0)
	play := func(rtt int32, ms uint32) {
		for end := now + ms; now < end; now += 20 {
			f.sample(now, rtt, MaxWaiting)
		}
	}
	play(50, 3000)
	play(350, 5000)
	if f.most != leastFlight {
		t.Errorf("behind a queue of 300 ms %d chunks are under way, want %d", f.most, leastFlight)
	}
	if play(350, 2*believed+5000); f.most < MaxWaiting {
		t.Errorf("on a longer way %d chunks are under way, want %d", f.most, MaxWaiting)
	}
}

// A path that is long and wide is filled: at once where it was measured, else within some round trips.
func TestWidePathsAreFilled(t *testing.T) {
	for _, c := range []struct {
		netsim.Conditions
		measured int
		most     time.Duration
	}{
		{netsim.Conditions{Delay: 150 * time.Millisecond}, 1_200_000, 1500 * time.Millisecond}, // 5.9 s with MaxWaiting
		{netsim.Conditions{Delay: 150 * time.Millisecond}, 0, 4 * time.Second},
		{netsim.Conditions{Delay: 150 * time.Millisecond, Loss: 0.05}, 1_200_000, 3500 * time.Millisecond},                // 7
		{netsim.Conditions{Delay: 75 * time.Millisecond, Rate: 200_000, Queue: 40_000}, 200_000, 1200 * time.Millisecond}, // 3
		{netsim.Conditions{Delay: 75 * time.Millisecond, Rate: 200_000, Queue: 40_000}, 0, 2500 * time.Millisecond},
	} {
		var mean time.Duration
		for seed := range uint64(10) {
			took, bytes := bulk(t, seed, c.Conditions, c.measured)
			if mean += took / 10; c.Loss == 0 && bytes > 200_000 {
				t.Errorf("seed %d, %+v: %d bytes for 160 kB", seed, c, bytes)
			}
		}
		t.Logf("%+v: %v", c, mean)
		if mean > c.most {
			t.Errorf("%+v: 160 kB take %v, want %v at most", c, mean, c.most)
		}
	}
}

// A path that was wide may be narrow after a pause: no more than MaxWaiting begins there. Nor is more under way
// where that is lost.
func TestFlightIsProvedAnew(t *testing.T) {
	f := flight{carries: 1_200_000}
	now := uint32(0)
	play := func(ms uint32, again func(k int) bool) {
		for k, end := 0, now+ms; now < end; now, k = now+20, k+1 {
			f.sample(now, 100, f.may(now))
			f.sends(again(k))
		}
	}
	never := func(int) bool { return false }
	play(3000, never)
	if f.may(now) != MaxFlight {
		t.Errorf("%d chunks may be under way over a path that carries them, want %d", f.may(now), MaxFlight)
	}
	if now += provedFor + 1; f.may(now) != MaxWaiting {
		t.Errorf("%d after a pause, want %d", f.may(now), MaxWaiting)
	}
	play(5000, never)
	if f.may(now) != MaxFlight {
		t.Errorf("%d once it is proved anew, want %d", f.may(now), MaxFlight)
	}
	play(1500, func(k int) bool { return k%5 == 0 })
	if f.may(now) != MaxWaiting {
		t.Errorf("%d where a fifth goes again, want %d", f.may(now), MaxWaiting)
	}
}
