package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// headingHints count, for updates whose velocity changed, how far the angle is off:
// from what it was, and from the heading.
type headingHints struct {
	Still, Along [hintLevels]uint32 // by the binary digits of the residual
	from         [2]vote            // for heading.from: not mirrored, and mirrored
}

// Likeliest is the heading that was seen most often.
func (h *headingHints) Likeliest() rowtype.Heading {
	mirrored := h.from[1].won > h.from[0].won
	return rowtype.Heading{On: true, Mirrored: mirrored, From: h.from[flag(mirrored)].value}
}

func (h *headingHints) note(t *rowtype.Type, base, now rowtype.Words) {
	x, y, angle := *now.Word(t.HeadingX), *now.Word(t.HeadingY), *now.Word(t.Heading)
	if x == *base.Word(t.HeadingX) && y == *base.Word(t.HeadingY) || x|y == 0 {
		return
	}
	w := &t.Motions[t.Heading]
	for k := range h.from {
		g := (&rowtype.Heading{Mirrored: k == 1}).Aim(t)
		h.from[k].cast(w.Residual(g.Of(x, y), angle))
	}
	likeliest := h.Likeliest()
	g := likeliest.Aim(t)
	h.Still[bits.Len32(rowtype.Magnitude(w.Residual(*base.Word(t.Heading), angle)))]++
	h.Along[bits.Len32(rowtype.Magnitude(w.Residual(g.Expect(base, now), angle)))]++
}

func (h *headingHints) fade() {
	fade(h.Still[:])
	fade(h.Along[:])
	for k := range h.from {
		h.from[k].fade()
	}
}

// Saved is the bits that coding along the heading would have saved.
func (h *headingHints) Saved() float64 {
	return (LevelBits(&h.Still) - LevelBits(&h.Along)) * HintEvery
}

// LevelBits is the bits that counted residuals take: a symbol each, the sign, and raw
// bits.
func LevelBits(n *[hintLevels]uint32) float64 {
	bits, sum := 0.0, 0.0
	for level, c := range n {
		if c == 0 {
			continue
		}
		bits += float64(c)*float64(level) - entropic(float64(c))
		sum += float64(c)
	}
	return bits + entropic(sum)
}

const (
	// MinSaving is the share of the angles' bits that a change must save: a change
	// makes useless what was learned.
	MinSaving = 0.2

	// HeadingLasts is how many times as long as tables a heading serves: nodes that
	// look where they go will do so in an hour, too.
	HeadingLasts = 4
)
