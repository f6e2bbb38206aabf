package track

// began: what began to move, or turned, while packets were lost, and is told of late. It seems to leap, or to rush in
// the last ticks, from where it has stood to where it is by now.

import (
	"math"

	"github.com/tendonengine/tendon/rpl"
)

// beganShare is up to which share of the pace that is a teleport (Field.jump) something has gone on its way since
// packets were lost. Faster than that, it is taken to have leapt.
const beganShare = 1. / 4

// began reports whether an item that seems to have leapt to its state of tick t, the newest sample, or has rushed
// there turnPace times as fast as it goes on, may have gone there: what was told of it since it was heard of may
// have been lost, and it has gone no faster since then than beganShare of what is a teleport, or turnRatio times as
// fast as before.
func (sc *Screen) began(k *Track, of Item, heard, t rpl.Tick) bool {
	n := int(k.n)
	since := sc.Received.surely(heard, t, copySends*sc.Every())
	if n < 2 || k.isMarked(n-1) || sc.isYoung(k) || since >= sc.Received.before(t) {
		return false
	}
	from := n - 2
	for ; from > 0 && k.tick(from) > since; from-- {
		if k.cut(from) {
			return false
		}
	}
	ticks, rushes := k.sample(n - 1)[0]-float64(since), k.cut(n-1)
	for i, end := range k.set.Props {
		f := &k.set.Fields[i]
		if !f.moves() {
			continue
		}
		gone, most := k.gone(from, since, i, end), max(turnRatio*k.fastest(i, end), beganShare*f.jump())
		if !(gone <= most*ticks) {
			return false
		}
		if speed := k.speed(n-1, i, end); speed > most && speed*ticks > turnPace*gone {
			rushes = rushes || speed > turnPace*sc.pace(k, of, t, i, end)
		}
	}
	return rushes && k.tick(from) <= since
}

// pace is how fast an item goes on by itself after a tick, in fields i to end, per tick: what has just begun to
// is as fast as that on its way to there.
func (sc *Screen) pace(k *Track, of Item, t rpl.Tick, i, end int) float64 {
	if !sc.moved(k, of, t) {
		return 0
	}
	sum := 0.0
	for is := k.values(int(k.n) - 1); i < end; i++ {
		sum += (sc.ahead[i] - is[i]) * (sc.ahead[i] - is[i])
	}
	return math.Sqrt(sum) / float64(sc.Every())
}

// surely is complete, but for what may come in the few ticks after a gap closed: what was lost is told again as
// there is room for it.
func (hd *Received) surely(from, to, few rpl.Tick) rpl.Tick {
	known := hd.complete(from, to)
	if hd.shut.after > from && to-hd.shutAt <= few {
		known = min(known, max(from, hd.shut.before))
	}
	return known
}
