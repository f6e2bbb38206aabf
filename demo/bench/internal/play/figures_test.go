package play

import (
	"math"
	"testing"
	"time"
)

const sec = time.Second

// An accumulator sends at the asked rate over time, and no gap between two sends is
// longer than the mean gap, rounded up.
func TestAccumulator(t *testing.T) {
	for _, c := range []struct{ rate, hz, ticks, want int }{
		{60, 60, 120, 120}, {20, 60, 60, 20}, {25, 60, 600, 250}, {7, 25, 250, 70}, {1000, 60, 60, 60},
	} {
		a, got := newAccumulator(c.rate, c.hz), 0
		longest, last := 0, -1
		for i := range c.ticks {
			if a.due() {
				longest, last = max(longest, i-last), i
				got++
			}
		}
		if most := (c.hz + c.rate - 1) / c.rate; longest > most {
			t.Errorf("%d of %d Hz: %d ticks from one send to the next, want at most %d", c.rate, c.hz, longest, most)
		}
		if got != c.want {
			t.Errorf("%d of %d Hz: %d sends in %d ticks, want %d", c.rate, c.hz, got, c.ticks, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	v := []int{5, 1, 4, 2, 3}
	for p, want := range map[float64]int{0: 1, 20: 1, 21: 2, 50: 3, 99: 5, 100: 5} {
		if got := percentile(v, p); got != want {
			t.Errorf("percentile %v of %v is %d, want %d", p, v, got, want)
		}
	}
	if got := percentile([]int(nil), 99); got != 0 {
		t.Errorf("percentile of nothing is %d", got)
	}
	h := newHistogram(10)
	for _, x := range []int{5, 1, 4, 2, 3, 77} {
		h.add(x)
	}
	if h.percentile(50) != 3 || h.max() != 9 {
		t.Errorf("median %d, max %d", h.percentile(50), h.max())
	}
}

// A spend's worst excess equals that of the worst span of time, which the test finds by
// trying all spans.
func TestSpend(t *testing.T) {
	at := []float64{0, 0.1, 0.2, 0.9, 1, 1.05, 3, 3.01}
	bytes := []int{500, 700, 10, 900, 1200, 300, 1500, 100}
	s := spend{rate: 1000}
	worst := math.Inf(-1)
	for i := range at {
		s.add(at[i], bytes[i])
		for from := range at[:i+1] {
			sum := 0
			for k := from; k <= i; k++ {
				sum += bytes[k]
			}
			worst = max(worst, float64(sum)-s.rate*(at[i]-at[from]))
		}
		if math.Abs(s.worst-worst) > 1e-9 {
			t.Errorf("after %d packets the worst excess is %v, want %v", i+1, s.worst, worst)
		}
	}
}

// A visit gives one sample, from decision to arrival, unless it is shorter than
// shortVisit or part of a join.
func TestVisits(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for name, c := range map[string]struct {
		play func(v *visits)
		want []time.Duration
	}{
		"long":              {func(v *visits) { v.in(0, 0, 0, false); v.arrived(0, 0, ms(50)); v.out(0, 0, ms(900)) }, []time.Duration{ms(50)}},
		"short":             {func(v *visits) { v.in(0, 0, 0, false); v.arrived(0, 0, ms(50)); v.out(0, 0, ms(399)) }, nil},
		"part of a join":    {func(v *visits) { v.in(0, 0, 0, true); v.arrived(0, 0, ms(50)); v.out(0, 0, ms(900)) }, nil},
		"cut by the end":    {func(v *visits) { v.in(0, 0, ms(300), false); v.arrived(0, 0, ms(350)); v.end(ms(900)) }, []time.Duration{ms(50)}},
		"begun at the end":  {func(v *visits) { v.in(0, 0, ms(600), false); v.arrived(0, 0, ms(650)); v.end(ms(900)) }, nil},
		"applied after all": {func(v *visits) { v.in(0, 0, 0, false); v.out(0, 0, ms(500)); v.arrived(0, 0, ms(550)) }, []time.Duration{ms(550)}},
		"the node is gone":  {func(v *visits) { v.in(0, 0, 0, false); v.arrived(0, 0, ms(50)); v.gone(0, ms(900)) }, []time.Duration{ms(50)}},
		"never applied":     {func(v *visits) { v.in(0, 0, 0, false); v.out(0, 0, ms(500)); v.end(sec) }, []time.Duration{sec}},
		"twice": {func(v *visits) {
			v.in(0, 0, 0, false)
			v.arrived(0, 0, ms(60))
			v.out(0, 0, ms(500))
			v.in(0, 0, ms(700), false)
			v.arrived(0, 0, ms(790))
			v.out(0, 0, ms(5000))
		}, []time.Duration{ms(60), ms(90)}},
	} {
		v := newVisits(1, 1)
		c.play(v)
		if len(v.samples) != len(c.want) {
			t.Errorf("%s: took %v, want %v", name, v.samples, c.want)
			continue
		}
		for i := range c.want {
			if v.samples[i] != c.want[i] {
				t.Errorf("%s: took %v, want %v", name, v.samples, c.want)
			}
		}
	}
}

// A client looks from its slot; it must hold what is inside the radius, and may hold
// what is inside the exit radius.
func TestRelevancyIsPlainDistance(t *testing.T) {
	tr := tiny(t, 6)
	r := newRelevancy(tr, 2, 500)
	for tick := range tr.Ticks {
		for client := range 2 {
			o := r.point(client, tick)
			if tr.Alive(tick, client) && (o.x != float64(tr.Row(tick, client)[3]) || o.y != float64(tr.Row(tick, client)[2])) {
				t.Fatalf("client %d looks from %v at tick %d, its slot is at %v", client, o, tick, tr.Row(tick, client))
			}
			for slot := range tr.Slots {
				if !tr.Alive(tick, slot) {
					continue
				}
				row := tr.Row(tick, slot)
				d := math.Hypot(float64(row[3])-o.x, float64(row[2])-o.y)
				if must, may := r.must(client, tick, slot), r.may(client, tick, slot); must != (d < 500) && d != 500 || may != (d <= 550) {
					t.Fatalf("at %v: must %v, may %v", d, must, may)
				}
			}
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	tr := tiny(t, 7)
	for name, set := range map[string]func(o *Options){
		"no trace":         func(o *Options) { o.Trace = nil },
		"no clients":       func(o *Options) { o.Clients = 0 },
		"many clients":     func(o *Options) { o.Clients = 1 << 20 },
		"negative radius":  func(o *Options) { o.Radius = -1 },
		"radius NaN":       func(o *Options) { o.Radius = math.NaN() },
		"infinite radius":  func(o *Options) { o.Radius = math.Inf(1) },
		"no sends":         func(o *Options) { o.Send = 0 },
		"negative rtt":     func(o *Options) { o.RTT = -1 },
		"an hour of rtt":   func(o *Options) { o.RTT = time.Hour },
		"negative jitter":  func(o *Options) { o.Jitter = -1 },
		"everything lost":  func(o *Options) { o.Loss = 1 },
		"loss NaN":         func(o *Options) { o.Loss = math.NaN() },
		"negative budget":  func(o *Options) { o.Budget = -1 },
		"a byte a second":  func(o *Options) { o.Budget = 1 },
		"no workers":       func(o *Options) { o.Workers = 0 },
		"warm unlike it":   func(o *Options) { o.Warm = smallArena(t, 1) },
		"radius, no place": func(o *Options) { o.Trace, o.Radius = placeless(t), 5 },
	} {
		o := options(tr)
		set(&o)
		if _, err := Run(o); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}
