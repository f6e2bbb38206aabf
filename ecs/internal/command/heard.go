package command

import (
	"math"
	"time"
)

// Heard is what a server has heard of a peer's commands, and is to tell it.
type Heard struct {
	Received time.Duration // when the peer's newest packet came
	Predicts bool          // the core knows that it does

	messages int           // since from
	from     time.Duration // when the step before ended
	owed     float64       // messages: those of the time before from that have not come

	got    uint32 // the newest tick that has come with all before it
	latest uint32 // the newest message's newest tick
	early  uint32 // the newest that came too early: that it comes again says not how long it takes
	news   bool   // of the command that came latest:
	tick   uint32
	margin float64
	newest uint32 // in the message that is being read
}

// longestHeld is the longest time in seconds of which messages may come at once: a connection by which nothing
// comes lasts no longer (Config.Times.Silence).
const longestHeld = 60

// Take notes a message, and reports whether it is taken: Most of them in a step, and what is due besides, up
// to as many as ticks are kept. flood reports that no honest peer sends so many, whatever the line delays.
func (h *Heard) Take(now time.Duration, steps int) (taken, flood bool) {
	h.messages++
	most := Most(steps) + int(h.due(now, steps))
	return h.messages <= min(most, Kept(steps)), h.messages > 2*most
}

// due is how many messages may be on their way: one for each step of the time that has passed, but for those that
// have come. They may come at once whether the line held them, or the server stood between its steps or in one;
// and they may do so only some steps later, which it makes up for before it has read its socket.
func (h *Heard) due(now time.Duration, steps int) float64 {
	return min(h.owed+(now-h.from).Seconds()*float64(steps), longestHeld*float64(steps))
}

// Step begins a step, in which messages are counted anew.
func (h *Heard) Step(now time.Duration, steps int) {
	if h.from > 0 { // else it has just come
		h.owed = max(0, h.due(now, steps)-float64(h.messages))
	}
	h.messages, h.from = 0, now
}

// Begin begins a message.
func (h *Heard) Begin() { h.newest = h.got }

// Came notes a command of the message, what has become of it, and how many ticks it came before its own.
func (h *Heard) Came(tick uint32, v Verdict, margin float64) {
	if v >= Former { // it is none of those that are waited for
		return
	}
	if v != Early { // the peer comes again with that, and hears of how much too early it was
		h.newest = max(h.newest, tick)
	}
	if v != Doubled && tick > h.early && (!h.news || margin < h.margin) {
		h.news, h.tick, h.margin = true, tick, margin
	}
	if v == Early {
		h.early = max(h.early, tick)
	}
}

// End ends a message; now is the tick that is about to run. It reports whether what the message says of
// others is news.
func (h *Heard) End(m *Message, now uint32) bool {
	if len(m.Drawn) == 0 && m.Newest > h.got { // it has no commands to wait for, and what it names is here
		h.got, h.news = m.Newest, true
	} else if m.Follows(h.got, now) {
		h.got = h.newest
	}
	first := !h.Predicts
	if !first && m.Newest <= h.latest {
		return false
	}
	h.news = h.news || first
	h.Predicts, h.latest = true, m.Newest
	return m.Named || first
}

// Report returns what the peer is to be told, if there is any news: got, the newest tick that has come
// with all before it; and of the command that came latest the tick, and the margin in 64ths of a tick.
func (h *Heard) Report() (got, tick uint32, margin int16, news bool) {
	news, h.news = h.news, false
	return h.got, h.tick, int16(min(max(h.margin*64, math.MinInt16), math.MaxInt16)), news
}
