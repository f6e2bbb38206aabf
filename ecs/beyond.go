package ecs

// beyond: what is drawn where the samples do not suffice. If state is late, what moved is
// drawn moving on for a while. What that was wrong by, when the state comes, is drawn away
// bit by bit: what is drawn never leaps because a packet was late.

import (
	"math"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

const (
	// beyondSeconds is how far past its newest sample something is drawn moving on: as far
	// as drawn time runs past the newest state.
	beyondSeconds = 0.1

	// fadeSeconds is how long an error is drawn away, half of it in the first 0.12 seconds:
	// too slow to be seen as a leap, over before anybody has looked twice.
	fadeSeconds = 0.4
)

// A beyond is an error that is being drawn away, and what was drawn without samples.
type beyond struct {
	off   []float64 // what is added to the fields, as of at
	at    float64   // seconds
	drawn []float64 // the fields as they were last drawn past the samples …
	past  rpl.Tick  // … and which sample that was; 0: they were not
	when  float64   // … and when
}

// A heardPacket is a packet that the client has had.
type heardPacket struct {
	tick rpl.Tick
	lost bool // a packet between it and the one before has not come by then
}

// stood reports whether an item of which nothing came after tick t was as its course told
// in the packet after: only if that has come does silence tell so.
func (cl *client) stood(t rpl.Tick) bool {
	told := false
	for i := range cl.heard {
		h := &cl.heard[i]
		if h.tick <= t {
			break
		}
		told = !h.lost
		if i == len(cl.heard)-1 {
			told = true // long ago
		}
	}
	return told
}

// wayOn is wayAt for what is drawn now: past the newest sample it goes on as before, if no
// packet has told that the item does not.
func (dr *drawing) wayOn(k *track, render float64) (w way, past bool) {
	w = k.wayAt(render)
	last := int(k.n) - 1
	if w.to <= last || last < 1 || k.cut(last) || k.ends {
		return w, false
	}
	if slow := k.paces == evenly && int(k.every)*dr.client.sends > dr.config.Steps; dr.client.stood(k.tick(last)) && !(slow && render-k.sample(last)[0] < 1.5*float64(k.every)) {
		return w, false
	}
	w.before, w.after = k.sample(last-1), k.sample(last)
	ticks := min(render-w.after[0], beyondSeconds/dr.config.step().Seconds())
	w.share = 1 + ticks/(w.after[0]-w.before[0])
	return w, true
}

// drawTrack draws an item at the time that Frame has set.
func (dr *drawing) drawTrack(k *track, p unsafe.Pointer, inPlace bool) {
	if k.n == 0 {
		return
	}
	w, past := dr.wayOn(k, dr.render)
	b := k.beyond
	if past && b == nil {
		b = newBeyond(k)
	}
	if b == nil {
		k.draw(p, dr.render, inPlace)
		return
	}
	now := dr.line.now().Seconds()
	if !past && b.past != 0 {
		if b.past == k.newest() && now-b.when < beyondSeconds { // a packet tells that it has stood meanwhile
			b.add(k, &w, now)
		}
		b.past = 0
	}
	fade := b.fade(now)
	for i := range k.comp.drawn {
		f := &k.comp.drawn[i]
		v := w.at(k, i)
		if past {
			b.drawn[i] = v
		}
		if off := b.off[i]; off != 0 {
			v = f.plus(v, off*fade)
		}
		if !inPlace || f.inPlace {
			f.set(p, v)
		}
	}
	if past {
		b.past, b.when = k.newest(), now
	}
}

// pushSample adds the state of a tick to what an item is drawn from, without a leap.
func (dr *drawing) pushSample(k *track, t, before rpl.Tick, words []int32) {
	last := int(k.n) - 1
	shows := last > 0 && (dr.render > k.sample(last)[0] || t == k.newest() && dr.render > k.sample(last - 1)[0])
	if shows { // what is drawn now may be another place with the new sample
		w, past := dr.wayOn(k, dr.render)
		if shows = past || t == k.newest(); shows {
			if k.beyond == nil {
				newBeyond(k)
			}
			for i := range k.beyond.drawn {
				k.beyond.drawn[i] = w.at(k, i)
			}
		}
	}
	k.push(t, before, words)
	if !shows || k.cut(int(k.n)-1) {
		return
	}
	k.beyond.past = 0
	heard := dr.client.heard
	dr.client.heard[0] = heardPacket{tick: dr.proxy.Newest(), lost: dr.client.missing}
	copy(dr.client.heard[1:], heard[:])
	w, _ := dr.wayOn(k, dr.render)
	dr.client.heard = heard
	k.beyond.add(k, &w, dr.line.now().Seconds())
}

func newBeyond(k *track) *beyond {
	n := len(k.comp.drawn)
	room := make([]float64, 2*n)
	k.beyond = &beyond{off: room[:n:n], drawn: room[n:]}
	return k.beyond
}

// fade is the share of the error that is left.
func (b *beyond) fade(now float64) float64 {
	left := 1 - min(max(0, now-b.at)/fadeSeconds, 1)
	return left * left
}

// rests reports whether an item is drawn at its newest state, and nothing is drawn away.
func (dr *drawing) rests(k *track) bool {
	if k.n == 0 {
		return true
	}
	if newest := k.newest(); float64(newest) > dr.render || k.n > 1 && !dr.client.stood(newest) {
		return false
	}
	b := k.beyond
	return b == nil || b.past == 0 && dr.line.now().Seconds()-b.at > fadeSeconds
}

// add takes the difference between what was drawn past the samples and what is drawn now
// into the error to be drawn away.
func (b *beyond) add(k *track, w *way, now float64) {
	fade := b.fade(now)
	for i := range b.off {
		off := b.off[i]*fade + k.comp.drawn[i].way(w.at(k, i), b.drawn[i])
		if math.IsNaN(off) {
			off = 0
		}
		b.off[i] = off
	}
	b.at = now
}
