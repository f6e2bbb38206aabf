package rowtype

// Phases: where a moving value is between two steps of its quantiser.
//
// A position that travels in whole steps is off by up to half a step, and so is every
// prediction made from it. In a quarter of the ticks the predicted position rounds to
// another step than the true one, and a correction is sent that corrects nothing but
// rounding. So each predicted word has a hidden word, its phase in sixteenths of a
// step, which the authority estimates from the steps that the value has taken. The
// phase is part of a version. It is never compared, and no component sees it.
//
// Where a course begins, the estimate is an odd number of sixteenths, the middle of an
// eighth: finer estimates cost a bit each and save few corrections. Even numbers come
// about as the course goes on. So the difference from what was expected, made odd, is
// mostly even.

const (
	PhaseBits  = 4                    // binary digits of a step in a phase
	PhaseKinds = 1 << PhaseBits       // phases, and differences of two phases
	PhaseHalf  = 1 << (PhaseBits - 1) // half a step
)

// phases gives every predicted word that does not wrap a hidden word. The hidden words
// stand behind all other words of the row.
func (t *Type) phases() {
	t.Phase = make([]int, len(t.Words))
	t.Width = len(t.Words)
	for i := range t.Words {
		t.Phase[i] = -1
		if w := &t.Words[i]; w.Velocity >= 0 && !w.Wrap {
			t.Phase[i] = t.Width
			t.Phased = append(t.Phased, i)
			t.Width++
		}
	}
}

// OddPhase is the middle of the eighth that a phase is in.
func OddPhase(phase int32) int32 { return phase | 1 }
