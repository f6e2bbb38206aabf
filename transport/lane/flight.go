package lane

// A flight bounds how many full chunks are under way. What a full queue on the way drops is
// sent again, and dropped again; so on a slow path no more is under way than it carries and a
// short queue holds. As in LEDBAT (RFC 6817), what a round trip takes beyond
// the quickest of the last while is a queue. Up to MaxWaiting lost segments say nothing: many paths
// lose some at any rate. Above, many of them say that a queue is too short to be seen as delay. More than
// MaxWaiting is allowed for a while only, as a congestion window is (RFC 7661): a path that was wide may
// have become narrow since. The zero value is that of a path that was not measured, which is
// not bounded below MaxWaiting.
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
	sent    int32    // segments sent since the path was last judged by what it loses, …
	again   int32    // … and of these, not for the first time
	wide    bool     // it lost few: more than MaxWaiting may be under way …
	proved  uint32   // … for a while after more than that was, or the path was measured
}

const (
	leastFlight = 2          // chunks that may be under way on any path
	believed    = 10_000     // ms for which the quickest round trip is believed
	periodLeast = 100        // ms; a period lasts a round trip, or this
	fewest      = 3          // round trips in a period: the first of a burst meet no queue
	shortQueue  = 50         // ms; while the mean queue is shorter, more may be under way, …
	noQueue     = 25         // ms; … half as many again only while there is hardly any, as in HyStart++ (RFC 9406), …
	longQueue   = 80         // ms; … and when the shortest is longer, less: it is not jitter, then
	judged      = 24         // segments by which a path is judged, …
	againMost   = judged / 8 // … and how many of them may be sent again
	provedFor   = 2_000      // ms for which a path that was wide is taken to be so
)

// measured takes what the path carries. How much is under way is bounded by it with the next round trip.
func (f *flight) measured(rate int) { f.carries, f.most = rate, 0 }

// may is how many chunks may be under way.
func (f *flight) may(now uint32) int {
	if f.most > MaxWaiting && after(now, f.proved) > provedFor {
		f.most, f.wide = MaxWaiting, false
	}
	if f.most == 0 {
		return MaxWaiting
	}
	return f.most
}

// sends counts a segment that is sent, for the first time or again.
func (f *flight) sends(again bool) {
	if f.sent++; again {
		f.again++
	}
	if f.sent >= judged {
		f.wide = f.again <= againMost
		f.most, f.sent, f.again = min(f.most, f.limit()), 0, 0
	}
}

// limit is how many may be under way at most, by what the path loses.
func (f *flight) limit() int {
	if f.wide {
		return MaxFlight
	}
	return MaxWaiting
}

// floor is how many may be under way at least.
func (f *flight) floor() int {
	if f.carries == 0 {
		return MaxWaiting
	}
	return leastFlight
}

// sample takes a round trip in ms. waiting is how many chunks were under way.
func (f *flight) sample(now uint32, rtt int32, waiting int) {
	rtt = max(rtt, 1)
	if f.least[0] == 0 || rtt < f.least[0] {
		f.least[0] = rtt
	}
	least := f.least[0]
	if f.least[1] != 0 {
		least = min(least, f.least[1])
	}
	if f.most == 0 {
		f.most, f.wide = MaxWaiting, f.carries > 0
		if f.wide {
			f.most = min(leastFlight+int(int64(f.carries)*int64(least)/1000/MaxChunk), MaxFlight)
		}
		f.begun, f.renewed, f.proved = now, now, now
	}
	if f.samples == 0 || rtt < f.quick {
		f.quick = rtt
	}
	f.trips += rtt
	f.samples++
	f.used = f.used || waiting >= f.most
	if waiting > MaxWaiting {
		f.proved = now
	}
	if after(now, f.begun) < max(rtt, periodLeast) || f.samples < fewest {
		return
	}
	switch {
	case f.quick-least > longQueue:
		f.most = max(f.most-max(1, (f.most-MaxWaiting)/2), f.floor())
	case f.trips/f.samples-least <= shortQueue && f.used && f.most < MaxWaiting:
		f.most++
	case f.trips/f.samples-least <= noQueue && f.used && f.wide:
		f.most, f.proved = min(f.most+f.most/2, MaxFlight), now
	}
	f.begun, f.samples, f.trips, f.used = now, 0, 0, false
	if after(now, f.renewed) >= believed {
		f.least, f.renewed = [2]int32{0, f.least[0]}, now
	}
}
