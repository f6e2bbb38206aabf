package clock

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"
)

const step = time.Second / 60

// A line is a server's ticks and the way of its packets, simulated.
type line struct {
	oneWay, jitter, loss float64 // seconds, share
	burst                float64 // mean run of losses
	host                 float64 // steps a second, 0: 60
	stall                float64 // seconds, every ten seconds
	late                 float64 // share of packets that are 50 ms late
	slower               float64 // added to oneWay from the 20th second on
	jitterEnds           float64 // second in which jitter ends, 0: never
	quiet                bool    // a packet every 250 ms, none is lost
	uneven               bool    // frames 8 to 25 ms apart
	skips                int     // each so many steps of the client one is not made
}

// A view is what came of drawing over a line.
type view struct {
	standing  float64 // share of frames in which drawn time hardly moves
	delay     float64 // mean of the server's tick less drawn time and less oneWay, ms
	back      int
	longest   float64 // seconds that drawn time stood in one piece
	recovered float64 // seconds after jitterEnds until the delay was usual
	rate      float64
	jumps     int
}

// draw simulates a minute of a line.
func (l line) draw(seed uint64) view {
	type packet struct {
		tick uint32
		at   float64
		lost int
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	host := 60.0
	if l.host > 0 {
		host = l.host
	}
	var sent []packet
	truth := []float64{0} // when each tick was
	now, stallAt, lost, bad := 0.0, 10.0, 0, false
	every := 2
	if l.quiet {
		every = 15
	}
	for tick := 1; now < 60; tick++ {
		if now += 1 / host; l.stall > 0 && now > stallAt {
			now, stallAt = now+l.stall, stallAt+10
		}
		truth = append(truth, now)
		if tick%every != 0 {
			continue
		}
		x := rng.Float64()
		lose := x < l.loss
		if l.burst > 1 {
			if bad {
				bad = x >= 1/l.burst
			} else {
				bad = x < l.loss/(l.burst*(1-l.loss))
			}
			lose = bad
		}
		if lose {
			lost++
			continue
		}
		p := packet{uint32(tick), now + l.oneWay, lost}
		if lost = 0; l.jitterEnds == 0 || now < l.jitterEnds {
			p.at += rng.Float64() * l.jitter
		}
		if now > 20 {
			p.at += l.slower
		}
		if rng.Float64() < l.late {
			p.at += 0.05
		}
		sent = append(sent, p)
	}
	sort.Slice(sent, func(i, j int) bool { return sent[i].at < sent[j].at })
	c := New(step, 2)
	v := view{back: 0}
	last, frames, stood, standing, delays, n := 0.0, 0, 0, 0.0, 0.0, 0
	at := 0
	for t := 0.01; t < 59; {
		dt := 1.0 / 60
		if l.uneven {
			dt = 0.008 + rng.Float64()*0.0173
		}
		t += dt
		now := time.Duration(t * float64(time.Second))
		newest := -1
		for ; at < len(sent) && sent[at].at <= t; at++ {
			if newest < 0 || sent[at].tick > sent[newest].tick {
				newest = at
			}
		}
		if newest >= 0 {
			p := sent[newest]
			c.Hear(p.tick, time.Duration(p.at*float64(time.Second)), now, p.lost)
		}
		drawn := c.Draw(now)
		if drawn < last {
			v.back++
		}
		moved := drawn - last
		last = drawn
		if t < 5 || drawn == 0 {
			continue
		}
		frames++
		if moved < 0.05*dt*host {
			stood++
			standing += dt
			v.longest = math.Max(v.longest, standing)
		} else {
			standing = 0
		}
		true := sort.SearchFloat64s(truth, t)
		if true >= len(truth) {
			break
		}
		share := (t - truth[true-1]) / (truth[true] - truth[true-1])
		oneWay := l.oneWay
		if t > 20 {
			oneWay += l.slower
		}
		late := (float64(true-1)+share-drawn)/host - oneWay
		delays, n = delays+late, n+1
		if l.jitterEnds > 0 && t > l.jitterEnds && late > 0.1 {
			v.recovered = t - l.jitterEnds
		}
	}
	v.standing, v.delay = 100*float64(stood)/float64(frames), 1000*delays/float64(n)
	v.rate, v.jumps = c.Rate(), c.Jumps()
	return v
}

// Drawn time is smooth and trails no farther than it must on the lines that users complain
// of: the figures are bounds of what players feel.
func TestDrawnTime(t *testing.T) {
	for name, c := range map[string]struct {
		line
		standing, delay, longest float64
	}{
		"localhost":             {line{}, 0, 45, 0},
		"localhost, uneven":     {line{uneven: true}, 0, 55, 0},
		"usual":                 {line{oneWay: 0.06, jitter: 0.01, loss: 0.03}, 0.1, 60, 0.05},
		"usual, uneven":         {line{oneWay: 0.06, jitter: 0.01, loss: 0.03, uneven: true}, 0.1, 66, 0.05},
		"jitter of 80 ms":       {line{oneWay: 0.05, jitter: 0.08, loss: 0.05}, 0.3, 130, 0.1},
		"late packets":          {line{oneWay: 0.03, late: 0.1}, 0.1, 92, 0.084},
		"host at 50":            {line{oneWay: 0.03, host: 50}, 0.2, 60, 0.05},
		"host at 57":            {line{oneWay: 0.03, host: 57}, 0.2, 60, 0.05},
		"host stalls 66 ms":     {line{oneWay: 0.03, stall: 0.066}, 0.8, 60, 0.07},
		"host stalls 200 ms":    {line{oneWay: 0.03, stall: 0.2}, 2.2, 70, 0.2},
		"host stalls 1,000 ms":  {line{oneWay: 0.03, stall: 1}, 11, 140, 1.05},
		"bursts of loss":        {line{oneWay: 0.15, loss: 0.2, burst: 3}, 3.3, 140, 0.4},
		"line slows by 150 ms":  {line{oneWay: 0.05, slower: 0.15}, 0.5, 60, 0.2},
		"server has nothing up": {line{oneWay: 0.03, quiet: true}, 0, 60, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 3; seed++ {
				v := c.draw(seed)
				t.Logf("seed %d: %+v", seed, v)
				if v.back > 0 || v.standing > c.standing || v.delay > c.delay || v.longest > c.longest+1e-9 {
					t.Errorf("seed %d: want standing %v %%, delay %v ms, at most %v s in one piece, never back", seed, c.standing, c.delay, c.longest)
				}
			}
		})
	}
}

// The delay that jitter has made ends soon after the jitter.
func TestDelayEnds(t *testing.T) {
	if v := (line{oneWay: 0.05, jitter: 0.08, loss: 0.05, jitterEnds: 30}).draw(1); v.recovered > 5 {
		t.Errorf("usual again after %v s", v.recovered)
	}
}

// A slow host is seen as one; jitter, loss and stalls make none of a good one.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		line
		want float64
	}{{line{host: 50}, 50. / 60}, {line{host: 57, jitter: 0.01}, 57. / 60}, {line{jitter: 0.08, loss: 0.05}, 1}, {line{stall: 0.2}, 1}} {
		if v := c.draw(1); math.Abs(v.rate-c.want) > 0.012 {
			t.Errorf("%+v: rate %v, want %v", c.line, v.rate, c.want)
		}
	}
}

// A machine that has slept goes on where the server is, with one jump at most.
func TestSleep(t *testing.T) {
	c := New(step, 2)
	at := func(tick int) time.Duration { return time.Duration(tick)*step + 30*time.Millisecond }
	for tick := 2; tick < 600; tick += 2 {
		c.Hear(uint32(tick), at(tick), at(tick), 0)
		c.Draw(at(tick))
	}
	before := c.Drawn()
	for tick := 60 * 100; tick < 60*103; tick += 2 {
		c.Hear(uint32(tick), at(tick), at(tick), 0)
		if d := c.Draw(at(tick)); d < before {
			t.Fatalf("back from %v to %v", before, d)
		}
		before = c.Drawn()
	}
	if late := 60*103 - before; late > 6 || c.Jumps() > 1 {
		t.Errorf("%v ticks late after sleep, %d jumps", late, c.Jumps())
	}
}

func TestClockAllocatesNothing(t *testing.T) {
	c, tick := New(step, 2), uint32(2)
	if n := testing.AllocsPerRun(500, func() {
		tick += 2
		now := time.Duration(tick) * step
		c.Hear(tick, now, now, 0)
		c.Server(now)
		c.Draw(now)
	}); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

// At few sends a second a lost packet is a long silence. The first one is seen; those of the next
// while are waited for, and nobody is drawn in leaps by what is waited for.
func TestFewSends(t *testing.T) {
	for _, every := range []int{60, 30, 15, 8} { // ticks
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 9))
			c := New(step, float64(every))
			lost, last, longest, frames, stood := 0, 0.0, 0.0, 0, 0
			for f := 1; f < 180*60; f++ { // frames, in which the server makes a step
				if now := time.Duration(f) * step; f%every == 0 {
					if lost++; rng.Float64() > 0.05 || f < 10*60 {
						c.Hear(uint32(f), now+time.Duration(5*rng.Float64())*time.Millisecond, now+step, lost-1)
						lost = 0
					}
				}
				drawn := c.Draw(time.Duration(f+1) * step)
				if f > 12*60 {
					frames++
					longest = math.Max(longest, drawn-last)
					if drawn-last < 0.2 {
						stood++
					}
				}
				last = drawn
			}
			if share := float64(stood) / float64(frames); share > 0.03 || longest > 1.5 || c.Jumps() > 0 {
				t.Errorf("a send in %d ticks, seed %d: it stands in %.1f %% of the frames, moves up to %.1f ticks in one, and jumps %d times", every, seed, 100*share, longest, c.Jumps())
			}
		}
	}
}

// A program that is frozen with its sockets finds all at once what came in the first second, and a round trip
// later the present. Then drawn time is where it was before, and neither creeps nor leaps once more.
func TestDrawnTimeAfterASleep(t *testing.T) {
	const every, oneWay, falls, kept = 2, 3, 600, 60 // ticks
	for _, sleep := range []int{20, 50, 60, 90, 120, 300, 900} {
		for _, trip := range []int{2, 6, 18} {
			c := New(step, every)
			wakes := falls + sleep
			usual, last := 0.0, 0.0
			for frame := oneWay; frame < wakes+400; frame++ {
				now := time.Duration(frame) * step
				if frame > falls && frame < wakes {
					continue
				}
				tick, at := frame-oneWay, now-step/3
				switch {
				case frame == wakes:
					tick = min(tick, falls+kept)
				case frame > wakes && frame < wakes+trip && sleep > kept: // until the server has heard that it wakes
					tick = 0
				}
				if tick%every == 0 && tick > 0 {
					c.Hear(uint32(tick), at, now, 0)
				}
				drawn := c.Draw(now)
				behind := float64(frame) - drawn
				if frame == falls {
					usual = behind
				}
				if off := math.Abs(behind - usual); frame > wakes+trip+12 && (off > 5 || drawn-last > 1.3 || drawn-last < 0.6) {
					t.Errorf("asleep for %d ticks, round trip of %d: %d frames later drawn time is off by %.1f ticks, and moves by %.1f", sleep, trip, frame-wakes, off, drawn-last)
					break
				}
				last = drawn
			}
		}
	}
}

// Where the way of the packets becomes longer or shorter at once, as where a phone goes over to another mast, nothing leaps:
// what is under way on the longer one, and comes later than what was sent after it, is still to be seen. What stands where
// it becomes longer goes on as packets come, by one send at most.
func TestDrawnTimeWhereTheWayJumps(t *testing.T) {
	for _, jump := range []int{3, 8, 15, 21, 24, 27} { // ticks
		for _, long := range []int{60, 180} {
			for _, every := range []int{1, 2} {
				c := New(step, float64(every))
				last, lateEnd := 0.0, 0.0
				sent := 0 // the newest that has come
				for frame := 10; frame < 600+long+600; frame++ {
					now := time.Duration(frame) * step
					newest := frame - 3 - jump // by the longer way …
					if sentBy := frame - 3; sentBy < 600 || sentBy >= 600+long {
						newest = sentBy
					}
					if newest -= newest % every; newest > sent {
						c.Hear(uint32(newest), now-step/3, now, (newest-sent)/every-1)
						sent = newest
					}
					drawn := c.Draw(now)
					if moved := drawn - last; frame > 100 && (moved < 0 || moved > max(1.4, float64(every))) {
						t.Errorf("%d ticks longer for %d, a send in %d: drawn time moves by %.1f in frame %d", jump, long, every, moved, frame)
					}
					last, lateEnd = drawn, float64(frame)-drawn
				}
				if lateEnd > float64(5+3*every) {
					t.Errorf("%d ticks longer for %d, a send in %d: it is late by %.1f at the end", jump, long, every, lateEnd)
				}
			}
		}
	}
}

// What has waited as long as the line was cut, and comes first when it is whole again, does not make the
// server's tick earlier than it can be. The latest that it can be comes down again where the server was slow.
func TestLatestAfterASilence(t *testing.T) {
	c := New(step, 1)
	at := func(tick int) time.Duration { return time.Duration(tick)*step + time.Minute }
	for tick := 1; tick < 150; tick++ {
		c.Hear(uint32(tick), at(tick), at(tick), 0)
	}
	c.Hear(156, at(1200), at(1200), 0)
	if most := c.Most(at(1210)); math.Abs(most-1210) > 1 {
		t.Errorf("the latest that tick 1210 can be is %v", most)
	}
	for tick := 1; tick < 90; tick++ { // it stood meanwhile
		c.Hear(uint32(156+tick), at(1210+tick), at(1210+tick), 0)
	}
	if most := c.Most(at(1310)); math.Abs(most-256) > 1 {
		t.Errorf("the latest that tick 256 can be is %v", most)
	}
}
