// Package outbox is the reliable messages to one peer that its lane has not taken yet. They leave in
// order, and are numbered in it, since a peer acks them by their count. Calls do not wait for longer
// things, though: they pass all but calls.
package outbox

import "slices"

// maxPassing is how many bytes of calls may pass between two other parts that the lane takes. More get
// in line, so that a flood of calls does not hold up for ever what a node needs to be there.
const maxPassing = 16 << 10

// An Outbox is what waits for one peer's lane.
type Outbox struct {
	Sent  uint64 // messages so far, numbered from 1
	Bytes int32  // of those that wait, without the parts that the lane has

	passed  int32 // bytes of calls since the lane took a part of something else
	waiting []message
	scratch []byte
}

// Len is how many messages wait.
func (o *Outbox) Len() int { return len(o.waiting) }

// Given is how many messages the lane has taken: a peer cannot truthfully claim to have applied more.
func (o *Outbox) Given() uint64 { return o.Sent - uint64(len(o.waiting)) }

// Add puts a message at the end, and returns its number.
func (o *Outbox) Add(b []byte) uint64 {
	o.waiting = append(o.waiting, message{b: b})
	o.Bytes += int32(len(b))
	o.Sent++
	return o.Sent
}

// AddCall puts a call behind the calls before it, and behind the message of a number: the last about its
// node. It returns the call's number. Those that had this number or a later one have one more from now on.
func (o *Outbox) AddCall(b []byte, behind uint64) uint64 {
	number, last := o.Add(b), len(o.waiting)-1
	if o.passed+int32(len(b)) > maxPassing {
		return number
	}
	at := last
	for at > 0 && number-1 > behind && !o.waiting[at-1].isCall() {
		at--
		number--
	}
	if at < last {
		o.passed += int32(len(b))
		copy(o.waiting[at+1:], o.waiting[at:last])
		o.waiting[at] = message{b: b}
	}
	return number
}

// index is where the message of a number waits.
func (o *Outbox) index(number uint64) int { return int(number - o.Given() - 1) }

// Replace puts another message in the place of one that waits, whose parts that the lane has are void.
func (o *Outbox) Replace(number uint64, b []byte) {
	m := &o.waiting[o.index(number)]
	o.Bytes += int32(len(b) - m.left())
	if m.b = b; m.given > 0 {
		m.given = -1
	}
}

// Sizes calls fn with the bytes of each part that waits, in order, and whether it is of a call, while it returns true.
func (o *Outbox) Sizes(fn func(bytes int, call bool) bool) {
	for i := range o.waiting {
		m := &o.waiting[i]
		for n := m.left(); n > 0; n -= m.most() {
			if !fn(min(n, m.most()), m.isCall()) {
				return
			}
		}
	}
}

// Give gives what waits to the lane, in order, part by part, as long as take takes it.
func (o *Outbox) Give(take func(part []byte) bool) {
	n := 0
	for n < len(o.waiting) {
		m := &o.waiting[n]
		b, last := m.part(&o.scratch)
		if !take(b) {
			break
		}
		if !m.isCall() {
			o.passed = 0
		}
		o.Bytes -= int32(m.left())
		if last {
			n++
		} else {
			m.gave(b)
			o.Bytes += int32(m.left())
		}
	}
	o.drop(n)
}

// drop forgets the first n.
func (o *Outbox) drop(n int) {
	o.waiting = slices.Delete(o.waiting, 0, n)
}

// Calls is how many calls wait.
func (o *Outbox) Calls() (n int) {
	for i := range o.waiting {
		if o.waiting[i].isCall() {
			n++
		}
	}
	return n
}

// Clear forgets all that waits.
func (o *Outbox) Clear() {
	o.drop(len(o.waiting))
	o.Bytes = 0
}
