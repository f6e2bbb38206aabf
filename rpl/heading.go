package rpl

import (
	"math"
	"math/bits"
)

// Headings. Most things that move look where they go, so a turn would be told twice: by
// the velocity and by the angle. For such rows the angle is coded against the direction
// of the velocity, which is read before it. The authority finds out by counting whether
// a row type is of that kind and which angle means "along x"; learned tables tell the
// peers. A heading may be off by a little, because of the velocity's rounding or
// because a node holds its angle against its course. That only costs the residual.

// A heading is how the angle of a row follows from its velocity.
type heading struct {
	on       bool
	mirrored bool  // the angle grows against the turn from x to y
	from     int32 // the angle of what moves along x, in steps above the least value
}

// headingWords returns the angle of a row that may follow from its velocity, which is
// the first angle behind the velocity, and the two words of the velocity; -1 if there
// is none.
func (t *rowType) headingWords() (angle, vx, vy int) {
	if t.pos[0] < 0 || t.pos[1] < 0 {
		return -1, -1, -1
	}
	vx, vy = t.words[t.pos[0]].Velocity, t.words[t.pos[1]].Velocity
	if vx < 0 || vy < 0 {
		return -1, -1, -1
	}
	for _, i := range t.angles {
		optional := t.within != nil && t.within[i] >= 0
		once := t.once != nil && t.once[i]
		if i > max(vx, vy) && t.words[i].Velocity < 0 && !optional && !once {
			return i, vx, vy
		}
	}
	return -1, -1, -1
}

// An aim is a heading in the form by which rows are coded, in steps above the least of
// the angle's values.
type aim struct {
	word, x, y int // the angle and the velocity
	least, all int64
	turn       int64 // all, negative if the heading is mirrored
	from       int64
}

// aim makes the aim of a heading for a row type.
func (h *heading) aim(t *rowType) (a aim) {
	c := &t.courses[t.heading]
	a = aim{word: t.heading, x: t.headingX, y: t.headingY, least: int64(c.min), all: c.all(), from: int64(h.from)}
	if a.turn = a.all; h.mirrored {
		a.turn = -a.all
	}
	return a
}

// of is the angle of what moves with the velocity x, y.
func (a *aim) of(x, y int32) int32 { return int32(a.least + a.along(x, y)) }

func (a *aim) along(x, y int32) int64 { return a.at(direction(x, y)) }

// at is the angle, in steps above the least, of what moves in a direction.
func (a *aim) at(direction int32) int64 {
	return within((int64(direction)*a.turn+1<<31)>>32+a.from, a.all)
}

// expect is what a row's angle should be, given its base and its velocity now. If the
// velocity has not changed, or is zero, it is the angle of the base. Else it is the
// direction of the velocity, plus the difference that the angle of the base had from
// its own.
func (a *aim) expect(base, now rowWords) int32 {
	was := *base.word(a.word)
	x0, y0, x, y := *base.word(a.x), *base.word(a.y), *now.word(a.x), *now.word(a.y)
	if (x^x0)|(y^y0) == 0 || x|y == 0 {
		return was
	}
	along := a.at(direction(x, y))
	if x0|y0 != 0 {
		off := around(int64(was)-a.least-a.at(direction(x0, y0)), a.all)
		if off < -1 || off > 1 { // a smaller difference is rounding
			along = within(along+off, a.all)
		}
	}
	return int32(a.least + along)
}

// direction is the angle of a vector other than zero, from x towards y, in 2³²nds of a
// turn. It is right to a millionth of a turn, and the same on every machine. It has no
// branches, because which eighth of a turn the angle is in cannot be predicted.
func direction(x, y int32) int32 {
	a, b := int64(magnitude(x)), int64(magnitude(y))
	const unit = 30 // binary digits of 1
	q := int64(uint64(min(a, b)) << unit / uint64(max(a, b)))
	s := q * q >> unit
	p := int64(arc11)
	p = arc9 + p*s>>unit
	p = arc7 + p*s>>unit
	p = arc5 + p*s>>unit
	p = arc3 + p*s>>unit
	p = arc1 + p*s>>unit
	turn := mirrored(q*p>>unit, 1<<30, (a-b)>>63) // if steep
	turn = mirrored(turn, 1<<31, int64(x>>31))
	return int32(mirrored(turn, 0, int64(y>>31)))
}

// mirrored is turn if not is 0, and from - turn if not is -1.
func mirrored(turn, from, not int64) int64 { return turn ^ not + (from+1)&not }

// The factors of q, q³ … q¹¹ in the arc tangent of q, for q from 0 to 1, in 2³²nds of a
// turn (C. Hastings, "Approximations for Digital Computers", 1955).
const (
	arc1  = 683549731
	arc3  = -227369854
	arc5  = 132299589
	arc7  = -79589467
	arc9  = 35991981
	arc11 = -8012205
)

// headingHints count, for updates whose velocity changed, how far the angle is off:
// from what it was, and from the heading.
type headingHints struct {
	still, along [hintLevels]uint32 // by the binary digits of the residual
	from         [2]vote            // for heading.from: not mirrored, and mirrored
}

// guess is the heading that was seen most often.
func (h *headingHints) guess() heading {
	mirrored := h.from[1].won > h.from[0].won
	return heading{true, mirrored, h.from[flag(mirrored)].value}
}

func (h *headingHints) note(t *rowType, base, now rowWords) {
	x, y, angle := *now.word(t.headingX), *now.word(t.headingY), *now.word(t.heading)
	if x == *base.word(t.headingX) && y == *base.word(t.headingY) || x|y == 0 {
		return
	}
	w := &t.courses[t.heading]
	for k := range h.from {
		g := (&heading{mirrored: k == 1}).aim(t)
		h.from[k].cast(w.residual(g.of(x, y), angle))
	}
	guess := h.guess()
	g := guess.aim(t)
	h.still[bits.Len32(magnitude(w.residual(*base.word(t.heading), angle)))]++
	h.along[bits.Len32(magnitude(w.residual(g.expect(base, now), angle)))]++
}

func (h *headingHints) fade() {
	fade(h.still[:])
	fade(h.along[:])
	for k := range h.from {
		h.from[k].fade()
	}
}

// saved is the bits that coding along the heading would have saved.
func (h *headingHints) saved() float64 {
	return (levelBits(&h.still) - levelBits(&h.along)) * hintEvery
}

// levelBits is the bits that counted residuals take: a symbol each, the sign, and raw
// bits.
func levelBits(n *[hintLevels]uint32) float64 {
	bits, sum := 0.0, 0.0
	for level, c := range n {
		bits += float64(c)*float64(level) - entropic(float64(c))
		sum += float64(c)
	}
	return bits + entropic(sum)
}

const (
	// minSaving is the share of the angles' bits that a change must save: a change
	// makes useless what was learned.
	minSaving = 0.2

	// headingLasts is how many times as long as tables a heading serves: nodes that
	// look where they go will do so in an hour, too.
	headingLasts = 4
)

// chooseHeadings turns headings on or off, where that saves more bits than it takes to
// tell the peers.
func (a *Authority) chooseHeadings() {
	number, free := a.nextTables()
	if !free {
		return
	}
	var set *tableSet
	saved := 0.0
	for i, t := range a.types {
		if t.heading < 0 {
			continue
		}
		h := &a.learner.rows[i].course
		now, next := a.modelSet.rows[i].heading, heading{}
		gain := h.saved()
		if gain > 0 {
			next = h.guess()
		}
		if now.on != next.on && math.Abs(gain) > minSaving*max(levelBits(&h.still), levelBits(&h.along))*hintEvery {
			if set == nil {
				set = a.modelSet.with(number)
			}
			set.rows[i].heading = next
			saved += math.Abs(gain) * headingLasts
		}
	}
	if set == nil {
		return
	}
	if msg := a.paying(set, saved); msg != nil {
		a.ship(set, set.build(a.types, a.defaults), msg)
	}
}
