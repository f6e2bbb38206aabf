// Package membership is which groups a player is in and has asked about, a bit for each.
package membership

import "math/bits"

// Groups is what one player is in. The zero value is none, and has asked about none.
type Groups struct {
	in    uint64
	asked uint64 // groups that it has asked about since the last Receive …
	wants uint64 // … and of these, those that it asked to be in
}

// With returns a word of groups with one of them set or not.
func With(groups, one uint64, in bool) uint64 {
	if in {
		return groups | one
	}
	return groups &^ one
}

// In reports whether the player is in a group.
func (m *Groups) In(group uint64) bool { return m.in&group != 0 }

// Put lets the player in or takes it out.
func (m *Groups) Put(group uint64, in bool) { m.in = With(m.in, group, in) }

// Ask notes that the player asks to be let in or out. Only the last request about a group counts.
func (m *Groups) Ask(group uint64, in bool) {
	m.asked |= group
	m.wants = With(m.wants, group, in)
}

// Asked returns about how many groups the player has asked.
func (m *Groups) Asked() int { return bits.OnesCount64(m.asked) }

// Take returns about which groups the player has asked, and which of those it wants to be in, and
// forgets that.
func (m *Groups) Take() (asked, wants uint64) {
	asked, wants = m.asked, m.wants
	m.asked, m.wants = 0, 0
	return asked, wants
}
