package rowtype

// Headings. Most things that move look where they go, so a turn would be coded twice: by
// the velocity and by the angle. For such rows the angle is coded against the direction
// of the velocity, which is read before it. The authority finds out by counting whether
// a row type is of that kind and which angle means "along x"; learned tables let the
// peers. A heading may be off by a little, because of the velocity's rounding or
// because a node holds its angle against its motion. That only costs the residual.

// A Heading is how the angle of a row follows from its velocity.
type Heading struct {
	On       bool
	Mirrored bool  // the angle grows against the turn from x to y
	From     int32 // the angle of what moves along x, in steps above the least value
}

// headingWords returns the angle of a row that may follow from its velocity, which is
// the first angle behind the velocity, and the two words of the velocity; -1 if there
// is none.
func (t *Type) headingWords() (angle, vx, vy int) {
	if t.Pos[0] < 0 || t.Pos[1] < 0 {
		return -1, -1, -1
	}
	vx, vy = t.Words[t.Pos[0]].Velocity, t.Words[t.Pos[1]].Velocity
	if vx < 0 || vy < 0 {
		return -1, -1, -1
	}
	for _, i := range t.angles {
		optional := t.Within != nil && t.Within[i] >= 0
		once := t.Once != nil && t.Once[i]
		if i > max(vx, vy) && t.Words[i].Velocity < 0 && !optional && !once {
			return i, vx, vy
		}
	}
	return -1, -1, -1
}

// An Aim is a heading in the form by which rows are coded, in steps above the least of
// the angle's values.
type Aim struct {
	word, x, y int // the angle and the velocity
	least, all int64
	turn       int64 // all, negative if the heading is mirrored
	from       int64
}

// Aim makes the aim of a heading for a row type.
func (h *Heading) Aim(t *Type) (a Aim) {
	c := &t.Motions[t.Heading]
	a = Aim{word: t.Heading, x: t.HeadingX, y: t.HeadingY, least: int64(c.Min), all: c.All(), from: int64(h.From)}
	if a.turn = a.all; h.Mirrored {
		a.turn = -a.all
	}
	return a
}

// Of is the angle of what moves with the velocity x, y.
func (a *Aim) Of(x, y int32) int32 { return int32(a.least + a.along(x, y)) }

func (a *Aim) along(x, y int32) int64 { return a.at(Direction(x, y)) }

// at is the angle, in steps above the least, of what moves in a direction.
func (a *Aim) at(direction int32) int64 {
	return within((int64(direction)*a.turn+1<<31)>>32+a.from, a.all)
}

// Expect is what a row's angle should be, given its base and its velocity now. If the
// velocity has not changed, or is zero, it is the angle of the base. Else it is the
// direction of the velocity, plus the difference that the angle of the base had from
// its own.
func (a *Aim) Expect(base, now Words) int32 {
	was := *base.Word(a.word)
	x0, y0, x, y := *base.Word(a.x), *base.Word(a.y), *now.Word(a.x), *now.Word(a.y)
	if (x^x0)|(y^y0) == 0 || x|y == 0 {
		return was
	}
	along := a.at(Direction(x, y))
	if x0|y0 != 0 {
		off := Around(int64(was)-a.least-a.at(Direction(x0, y0)), a.all)
		if off < -1 || off > 1 { // a smaller difference is rounding
			along = within(along+off, a.all)
		}
	}
	return int32(a.least + along)
}

// Direction is the angle of a vector other than zero, from x towards y, in 2³²nds of a
// turn. It is right to a millionth of a turn, and the same on every machine. It has no
// branches, because which eighth of a turn the angle is in cannot be predicted.
func Direction(x, y int32) int32 {
	a, b := int64(Magnitude(x)), int64(Magnitude(y))
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
