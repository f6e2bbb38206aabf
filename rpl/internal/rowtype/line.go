package rowtype

// Lines. What people do begins and ends: a jump is over before a velocity is known, a
// hook flies for six ticks, a sensor's noise bends every path. For a word of that kind
// the best guess is often the line through the two newest versions that both ends have.
// The authority finds out by counting for which words that is so (coder/line.go); learned
// tables let the peers know.

// A Second is the version before the base of an update, where both ends know which that is.
type Second struct {
	Words        // P is nil where there is none
	Gap   uint32 // the ticks from it to the base
	Step  uint32 // the ticks from the send before the base packet's to that: a word that stood moved in the last of them
}

// lineMost is up to how many times as far ahead as behind a line is followed.
const lineMost = 16

// Lines is whether learned tables may say that updates code a word along a line.
func (t *Type) Lines(i int) bool {
	w := &t.Words[i]
	return !w.Wrap && !t.IsOnce(i) && (t.Within == nil || t.Within[i] < 0) && t.From[i] >= 0
}

// IsDeclared is whether a word is predicted by a velocity that the item, or another, has.
func (t *Type) IsDeclared(i int) bool {
	v := t.Words[i].Velocity
	return v >= 0 && t.From[v] != isInferred
}

// Along is the value of word i on the line through the second version and was, n ticks
// after was.
func (c *Motion) Along(was Words, second *Second, i int, n uint32) int32 {
	x := *was.Word(i)
	d := int64(x) - int64(*second.Word(i))
	if d == 0 {
		return x
	}
	took := second.Gap
	if c.Velocity < 0 || *second.Word(int(c.Velocity)) == 0 {
		took = min(took, second.Step)
	}
	if d *= int64(n); took != 1 {
		if n > lineMost*took {
			return x
		}
		d /= int64(took)
	} else if n > lineMost {
		return x
	}
	return int32(min(max(int64(x)+d, int64(c.Min)), int64(c.Max)))
}
