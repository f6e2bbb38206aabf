package schema

import (
	"errors"
	"fmt"
)

// faults collects a schema's mistakes, so that they are reported together.
type faults struct{ errs []error }

func (f *faults) add(format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf(format, args...))
}

func (f *faults) len() int { return len(f.errs) }

// maxFaults is how many mistakes are reported at once: nobody reads more than a screen
// of them, and many have one cause.
const maxFaults = 10

// err joins the first maxFaults mistakes; nil if there are none.
func (f *faults) err() error {
	errs := f.errs
	if n := len(errs) - maxFaults; n > 0 {
		errs = append(errs[:maxFaults:maxFaults], fmt.Errorf("and %d more mistakes; mend these first", n))
	}
	return errors.Join(errs...)
}
