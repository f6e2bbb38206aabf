package rowtype

// Fractions: where a moving value is between two steps of its quantiser.
//
// A position that travels in whole steps is off by up to half a step, and so is every
// prediction made from it. In a quarter of the ticks the predicted position rounds to
// another step than the true one, and a correction is sent that corrects nothing but
// rounding. So each predicted word has a hidden word, its fraction in sixteenths of a
// step, which the authority estimates from the steps that the value has taken. The
// fraction is part of a version. It is never compared, and no component sees it.
//
// In a new version, the estimate is an odd number of sixteenths, the middle of an
// eighth: finer estimates cost a bit each and save few corrections. Even numbers come
// about as the prediction goes on. So the difference from what was expected, made odd, is
// mostly even.

const (
	FractionBits   = 4                       // binary digits of a step in a fraction
	FractionValues = 1 << FractionBits       // fractions, and differences of two fractions
	HalfStep       = 1 << (FractionBits - 1) // half a step
)

// placeFractions gives every predicted word that does not wrap a hidden word. The hidden words
// stand behind all other words of the row.
func (t *Type) placeFractions() {
	t.Fraction = make([]int, len(t.Words))
	t.Width = len(t.Words)
	for i := range t.Words {
		t.Fraction[i] = -1
		if w := &t.Words[i]; w.Velocity >= 0 && !w.Wrap {
			t.Fraction[i] = t.Width
			t.Fractional = append(t.Fractional, i)
			t.Width++
		}
	}
}

// OddFraction is the middle of the eighth that a fraction is in.
func OddFraction(fraction int32) int32 { return fraction | 1 }
