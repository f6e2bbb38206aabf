package lane

// A flight bounds how many full chunks are under way. What a full queue on the way drops is
// sent again, and dropped again; so on a slow path no more is under way than it carries and a
// short queue holds. As in LEDBAT (RFC 6817), what a round trip takes beyond
// the quickest of the last while is a queue. Lost segments say nothing: many paths lose some
// at any rate. The zero value bounds nothing: there is no bound on a path that was not measured.
type flight struct {
	carries int      // bytes a second that the path carried at first; 0: not known
	most    int      // full chunks under way; 0: not yet bounded
	least   [2]int32 // the quickest round trip of this while and of the one before, in ms; 0: none
	renewed uint32   // when this while began, in ms
	begun   uint32   // when the period began that is looked at, …
	samples int32    // … how many round trips it has, …
	trips   int32    // … their sum, …
	quick   int32    // … the quickest of them, …
	used    bool     // … and whether as much was under way as may be
}

const (
	leastFlight = 2      // chunks that may be under way on any path
	believed    = 10_000 // ms for which the quickest round trip is believed
	periodLeast = 100    // ms; a period lasts a round trip, or this
	fewest      = 3      // round trips in a period: the first of a burst meet no queue
	shortQueue  = 50     // ms; while the mean queue is shorter, more may be under way, …
	longQueue   = 80     // ms; … and when the shortest is longer, less: it is not jitter, then
)

// sample takes a round trip in ms. waiting is how many chunks were under way.
func (f *flight) sample(now uint32, rtt int32, waiting int) {
	rtt = max(rtt, 1)
	if f.carries == 0 {
		return
	}
	if f.least[0] == 0 || rtt < f.least[0] {
		f.least[0] = rtt
	}
	least := f.least[0]
	if f.least[1] != 0 {
		least = min(least, f.least[1])
	}
	if f.most == 0 {
		f.most = min(leastFlight+int(int64(f.carries)*int64(least)/1000/MaxChunk), MaxWaiting)
		f.begun, f.renewed = now, now
	}
	if f.samples == 0 || rtt < f.quick {
		f.quick = rtt
	}
	f.trips += rtt
	f.samples++
	f.used = f.used || waiting >= f.most
	if after(now, f.begun) < max(rtt, periodLeast) || f.samples < fewest {
		return
	}
	switch {
	case f.quick-least > longQueue:
		f.most = max(f.most-1, leastFlight)
	case f.trips/f.samples-least <= shortQueue && f.used:
		f.most = min(f.most+1, MaxWaiting)
	}
	f.begun, f.samples, f.trips, f.used = now, 0, 0, false
	if after(now, f.renewed) >= believed {
		f.least, f.renewed = [2]int32{0, f.least[0]}, now
	}
}
